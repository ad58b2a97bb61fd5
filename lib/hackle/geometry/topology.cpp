#include <hackle/geometry/topology.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <atomic>

namespace hackle {

namespace {

constexpr size_t kGrain = 1 << 14;

bool isFace(const Geometry& geometry, size_t primitive) {
  return geometry.primitiveType(primitive) == PrimitiveType::Polygon && geometry.vertexCount(primitive) >= 3;
}

std::vector<int32_t> nextVertices(const Geometry& geometry, Context& context) {
  std::vector<int32_t> next(geometry.vertexCount(), -1);
  parallelFor(context, geometry.primitiveCount(), kGrain, [&](size_t p) {
    if (!isFace(geometry, p)) return;
    const size_t first = geometry.firstVertex(p), end = geometry.firstVertex(p + 1);
    for (size_t v = first; v + 1 < end; ++v) next[v] = static_cast<int32_t>(v + 1);
    next[end - 1] = static_cast<int32_t>(first);
  });
  return next;
}

struct HalfEdge {
  int32_t other;  // the edge's larger point
  int32_t vertex;
  bool operator<(const HalfEdge& o) const { return other != o.other ? other < o.other : vertex < o.vertex; }
};

/// Half-edges in buckets by the edge's smaller point, each bucket sorted.
struct Buckets {
  std::vector<int32_t> starts;
  std::vector<HalfEdge> halfEdges;
};

Buckets bucketHalfEdges(const Geometry& geometry, const std::vector<int32_t>& next, Context& context) {
  Buckets buckets;
  buckets.starts.assign(geometry.pointCount() + 1, 0);
  const auto forEach = [&](const auto& visit) {
    for (size_t v = 0; v < next.size(); ++v) {
      if (next[v] < 0) continue;
      const int32_t a = geometry.vertexPoint(v), b = geometry.vertexPoint(static_cast<size_t>(next[v]));
      if (a != b) visit(static_cast<size_t>(std::min(a, b)), std::max(a, b), static_cast<int32_t>(v));
    }
  };
  forEach([&](size_t low, int32_t, int32_t) { ++buckets.starts[low + 1]; });
  context.checkCancel();
  for (size_t i = 1; i < buckets.starts.size(); ++i) buckets.starts[i] += buckets.starts[i - 1];
  buckets.halfEdges.resize(static_cast<size_t>(buckets.starts.back()));
  std::vector<int32_t> place(buckets.starts.begin(), buckets.starts.end() - 1);
  forEach([&](size_t low, int32_t high, int32_t v) { buckets.halfEdges[place[low]++] = {high, v}; });
  parallelFor(context, geometry.pointCount(), kGrain, [&](size_t p) {
    std::sort(buckets.halfEdges.begin() + buckets.starts[p],
              buckets.halfEdges.begin() + buckets.starts[p + 1]);
  });
  return buckets;
}

/// Corners (vertices) that meet at a point and are joined through edges at it get one set.
UnionFind uniteFans(const Geometry& geometry, const EdgeTable& table) {
  UnionFind fans(geometry.vertexCount());
  for (size_t e = 0; e < table.edges.size(); ++e) {
    int32_t atLow = -1, atHigh = -1;
    for (const int32_t v : table.halfEdgesOf(e)) {
      const bool forward = geometry.vertexPoint(static_cast<size_t>(v)) == table.edges[e][0];
      const int32_t end = table.next[v];
      const int32_t low = forward ? v : end, high = forward ? end : v;
      if (atLow >= 0) {
        fans.unite(atLow, low);
        fans.unite(atHigh, high);
      }
      atLow = low;
      atHigh = high;
    }
  }
  return fans;
}

size_t countNonManifoldPoints(const Geometry& geometry, const EdgeTable& table) {
  constexpr int32_t kNone = -1, kCounted = -2;
  UnionFind fans = uniteFans(geometry, table);
  std::vector<int32_t> fanOf(geometry.pointCount(), kNone);
  size_t count = 0;
  for (size_t v = 0; v < geometry.vertexCount(); ++v) {
    if (table.next[v] < 0) continue;
    int32_t& known = fanOf[geometry.vertexPoint(v)];
    const int32_t fan = fans.find(static_cast<int32_t>(v));
    if (known == kNone) known = fan;
    if (known == kCounted || known == fan) continue;
    known = kCounted;
    ++count;
  }
  return count;
}

bool hasThreeDifferentPoints(Span<const int32_t> corners) {
  int32_t second = -1;
  for (const int32_t c : corners) {
    if (c == corners[0] || c == second) continue;
    if (second >= 0) return true;
    second = c;
  }
  return false;
}

void countFaces(const Geometry& geometry, const EdgeTable& table, Topology& topology) {
  UnionFind joined(geometry.pointCount());
  std::vector<uint8_t> used(geometry.pointCount(), 0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (!isFace(geometry, p)) continue;
    ++topology.faces;
    const Span<const int32_t> corners = geometry.corners(p);
    if (!hasThreeDifferentPoints(corners)) ++topology.degenerateFaces;
    for (const int32_t c : corners) {
      used[c] = 1;
      joined.unite(corners[0], c);
    }
  }
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    ++topology.points;
    if (joined.find(static_cast<int32_t>(i)) == static_cast<int32_t>(i)) ++topology.components;
  }
  topology.edges = table.edges.size();
}

}  // namespace

EdgeTable findEdges(const Geometry& geometry, Context& context) {
  EdgeTable table;
  table.next = nextVertices(geometry, context);
  const Buckets buckets = bucketHalfEdges(geometry, table.next, context);
  const std::vector<HalfEdge>& halfEdges = buckets.halfEdges;
  table.halfEdges.resize(halfEdges.size());
  table.edges.reserve(halfEdges.size() / 2);
  table.starts.reserve(halfEdges.size() / 2 + 1);
  for (size_t p = 0; p < geometry.pointCount(); ++p) {
    const size_t first = static_cast<size_t>(buckets.starts[p]);
    for (size_t h = first; h < static_cast<size_t>(buckets.starts[p + 1]); ++h) {
      if (h == first || halfEdges[h].other != halfEdges[h - 1].other) {
        table.edges.push_back({static_cast<int32_t>(p), halfEdges[h].other});
        table.starts.push_back(static_cast<int32_t>(h));
      }
      table.halfEdges[h] = halfEdges[h].vertex;
    }
  }
  table.starts.push_back(static_cast<int32_t>(halfEdges.size()));
  return table;
}

Topology analyseTopology(const Geometry& geometry, Context& context) {
  const EdgeTable table = findEdges(geometry, context);
  Topology topology;
  bool even = true;
  for (size_t e = 0; e < table.edges.size(); ++e) {
    const Span<const int32_t> around = table.halfEdgesOf(e);
    size_t forward = 0;
    for (const int32_t v : around)
      if (geometry.vertexPoint(static_cast<size_t>(v)) == table.edges[e][0]) ++forward;
    if (around.size() == 1) ++topology.boundaryEdges;
    if (around.size() > 2) ++topology.nonManifoldEdges;
    if (around.size() > 1 && 2 * forward != around.size()) ++topology.misorientedEdges;
    if (around.size() % 2 == 1) even = false;
  }
  context.checkCancel();
  topology.nonManifoldPoints = countNonManifoldPoints(geometry, table);
  context.checkCancel();
  countFaces(geometry, table, topology);
  topology.closed = even && topology.faces > 0;
  topology.manifold = topology.nonManifoldEdges == 0 && topology.nonManifoldPoints == 0;
  topology.oriented = topology.misorientedEdges == 0;
  return topology;
}

std::vector<Edge> boundaryEdges(const Geometry& geometry, Context& context) {
  const EdgeTable table = findEdges(geometry, context);
  std::vector<Edge> result;
  for (size_t e = 0; e < table.edges.size(); ++e) {
    const Span<const int32_t> around = table.halfEdgesOf(e);
    if (around.size() != 1) continue;
    const size_t v = static_cast<size_t>(around[0]);
    result.push_back({geometry.vertexPoint(v), geometry.vertexPoint(static_cast<size_t>(table.next[v]))});
  }
  return result;
}

Components findComponents(const Geometry& geometry) {
  UnionFind joined(geometry.pointCount());
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    const Span<const int32_t> corners = geometry.corners(p);
    for (const int32_t c : corners) joined.unite(corners[0], c);
  }
  Components components;
  components.ofPrimitive.assign(geometry.primitiveCount(), -1);
  components.ofPoint.assign(geometry.pointCount(), -1);
  std::vector<int32_t> numberOf(geometry.pointCount(), -1);  // by the set's smallest point
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    const Span<const int32_t> corners = geometry.corners(p);
    if (corners.empty()) continue;
    int32_t& number = numberOf[joined.find(corners[0])];
    if (number < 0) number = static_cast<int32_t>(components.count++);
    components.ofPrimitive[p] = number;
    for (const int32_t c : corners) components.ofPoint[c] = number;
  }
  return components;
}

}  // namespace hackle
