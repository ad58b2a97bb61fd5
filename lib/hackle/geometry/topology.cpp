#include <hackle/geometry/topology.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <utility>

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
  // Parts of the vertices, each counted by one thread; buckets are sorted, so their number changes nothing.
  const size_t parts =
      next.size() < 4 * kGrain ? 1 : static_cast<size_t>(std::clamp(context.threads(), 1, 8));
  const size_t length = (next.size() + parts - 1) / std::max<size_t>(parts, 1);
  const auto forEach = [&](size_t part, const auto& visit) {
    for (size_t v = part * length; v < std::min(next.size(), (part + 1) * length); ++v) {
      if (next[v] < 0) continue;
      const int32_t a = geometry.vertexPoint(v), b = geometry.vertexPoint(static_cast<size_t>(next[v]));
      if (a != b) visit(std::min(a, b), std::max(a, b), static_cast<int32_t>(v));
    }
  };
  std::vector<std::vector<int32_t>> places(parts);  // counts first, then where the next one goes
  parallelFor(context, parts, 1, [&](size_t part) {
    places[part].assign(geometry.pointCount(), 0);
    forEach(part, [&](int32_t low, int32_t, int32_t) { ++places[part][low]; });
  });
  Buckets buckets;
  buckets.starts.resize(geometry.pointCount() + 1);
  int32_t total = 0;
  for (size_t p = 0; p < geometry.pointCount(); ++p) {
    buckets.starts[p] = total;
    for (std::vector<int32_t>& place : places) total += std::exchange(place[p], total);
  }
  buckets.starts.back() = total;
  buckets.halfEdges.resize(static_cast<size_t>(total));
  parallelFor(context, parts, 1, [&](size_t part) {
    forEach(part, [&](int32_t low, int32_t high, int32_t v) {
      buckets.halfEdges[places[part][low]++] = {high, v};
    });
  });
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

/// The same where every edge has two faces that agree and none is from a point to itself: a point is manifold
/// if going around it from one corner comes past all of them.
size_t countSplitPoints(const Geometry& geometry, const EdgeTable& table, Context& context) {
  std::vector<int32_t> across(geometry.vertexCount(), -1);  // the half-edge on the other side
  parallelFor(context, table.edges.size(), kGrain, [&](size_t e) {
    const Span<const int32_t> sides = table.halfEdgesOf(e);
    across[sides[0]] = sides[1];
    across[sides[1]] = sides[0];
  });
  std::vector<int32_t> first(geometry.pointCount(), -1), count(geometry.pointCount(), 0);
  for (size_t v = 0; v < across.size(); ++v) {
    if (across[v] < 0) continue;
    first[geometry.vertexPoint(v)] = static_cast<int32_t>(v);
    ++count[geometry.vertexPoint(v)];
  }
  return parallelReduce(
      context, first.size(), kGrain, size_t(0),
      [&](size_t begin, size_t end) {
        size_t split = 0;
        for (size_t p = begin; p < end; ++p) {
          int32_t reached = 0;
          for (int32_t v = first[p]; v >= 0 && (reached == 0 || v != first[p]); ++reached)
            v = table.next[across[v]];
          split += reached < count[p] ? 1 : 0;
        }
        return split;
      },
      [](size_t a, size_t b) { return a + b; });
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
  // Number the edges of ranges of points one after another.
  const auto isNew = [&](size_t p, size_t h) {
    return h == static_cast<size_t>(buckets.starts[p]) || halfEdges[h].other != halfEdges[h - 1].other;
  };
  std::vector<size_t> firstEdge((geometry.pointCount() + kGrain - 1) / kGrain + 1, 0);
  parallelRanges(context, geometry.pointCount(), kGrain, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p)
      for (size_t h = buckets.starts[p]; h < static_cast<size_t>(buckets.starts[p + 1]); ++h)
        firstEdge[begin / kGrain + 1] += isNew(p, h) ? 1 : 0;
  });
  for (size_t r = 1; r < firstEdge.size(); ++r) firstEdge[r] += firstEdge[r - 1];
  table.halfEdges.resize(halfEdges.size());
  table.edges.resize(firstEdge.back());
  table.starts.resize(firstEdge.back() + 1);
  parallelRanges(context, geometry.pointCount(), kGrain, [&](size_t begin, size_t end) {
    size_t edge = firstEdge[begin / kGrain];
    for (size_t p = begin; p < end; ++p)
      for (size_t h = buckets.starts[p]; h < static_cast<size_t>(buckets.starts[p + 1]); ++h) {
        table.halfEdges[h] = halfEdges[h].vertex;
        if (!isNew(p, h)) continue;
        table.edges[edge] = {static_cast<int32_t>(p), halfEdges[h].other};
        table.starts[edge++] = static_cast<int32_t>(h);
      }
  });
  table.starts.back() = static_cast<int32_t>(halfEdges.size());
  return table;
}

namespace {

/// Edges by how many faces they have.
struct EdgeCounts {
  size_t boundary = 0, nonManifold = 0, misoriented = 0, odd = 0;
};

EdgeCounts countEdges(const Geometry& geometry, const EdgeTable& table, Context& context) {
  return parallelReduce(
      context, table.edges.size(), kGrain, EdgeCounts(),
      [&](size_t begin, size_t end) {
        EdgeCounts counts;
        for (size_t e = begin; e < end; ++e) {
          const Span<const int32_t> around = table.halfEdgesOf(e);
          size_t forward = 0;
          for (const int32_t v : around)
            if (geometry.vertexPoint(static_cast<size_t>(v)) == table.edges[e][0]) ++forward;
          if (around.size() == 1) ++counts.boundary;
          if (around.size() > 2) ++counts.nonManifold;
          if (around.size() > 1 && 2 * forward != around.size()) ++counts.misoriented;
          if (around.size() % 2 == 1) ++counts.odd;
        }
        return counts;
      },
      [](EdgeCounts a, const EdgeCounts& b) {
        return EdgeCounts{a.boundary + b.boundary, a.nonManifold + b.nonManifold,
                          a.misoriented + b.misoriented, a.odd + b.odd};
      });
}

}  // namespace

Topology analyseTopology(const Geometry& geometry, Context& context) {
  const EdgeTable table = findEdges(geometry, context);
  const EdgeCounts edges = countEdges(geometry, table, context);
  Topology topology;
  topology.boundaryEdges = edges.boundary;
  topology.nonManifoldEdges = edges.nonManifold;
  topology.misorientedEdges = edges.misoriented;
  const auto faceVertices =
      std::count_if(table.next.begin(), table.next.end(), [](int32_t next) { return next >= 0; });
  const bool simple = edges.boundary + edges.nonManifold + edges.misoriented == 0 &&
                      static_cast<size_t>(faceVertices) == table.halfEdges.size();
  topology.nonManifoldPoints =
      simple ? countSplitPoints(geometry, table, context) : countNonManifoldPoints(geometry, table);
  context.checkCancel();
  countFaces(geometry, table, topology);
  topology.closed = edges.odd == 0 && topology.faces > 0;
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
