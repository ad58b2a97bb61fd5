#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/union_find.h>
#include <hackle/meshing/cut/crossing_predicates.h>
#include <hackle/meshing/cut/cut_cleanup.h>
#include <hackle/meshing/cut/cutter.h>
#include <hackle/meshing/cut/inner_edges.h>
#include <hackle/meshing/cut/partition_triangles.h>
#include <hackle/meshing/cut/planar_faces.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace hackle {

namespace {

/// An edge of the surface (low < high) through a triangle of the partition.
struct SurfaceEdgeHit {
  int32_t low, high, partition;
  bool forward;  // from low to high, it goes from the back of the triangle to its front
  auto key() const { return std::tie(low, high, partition); }
};

/// An edge of the partition through a triangle of the surface.
struct PartitionEdgeHit {
  int32_t edge, triangle;
  bool leaves;  // along the edge, the solid is left here
  auto key() const { return std::tie(edge, triangle); }
};

/// A hit by what it is: an edge of the surface (low, high, partition triangle) or of the partition (-1, edge,
/// surface triangle).
using HitName = std::array<int32_t, 3>;

/// Where a triangle of the surface and one of the partition meet; seen from outside the solid, the back of
/// the partition is on the left.
struct Trace {
  int32_t triangle, partition;
  HitName from, to;
};

/// What the triangles of a chunk of the surface meet.
struct Meetings {
  std::vector<SurfaceEdgeHit> surfaceEdges;
  std::vector<PartitionEdgeHit> partitionEdges;
  std::vector<Trace> traces;
};

/// How one triangle of the surface meets one of the partition: not at all, or along a segment between two of
/// the six edges.
class PairCrossing {
 public:
  PairCrossing(const CrossingPredicates& predicates, const Triangle& surface,
               const PartitionTriangles::Triangle3& partition)
      : mPredicates(predicates), mSurface(surface), mPartition(partition) {}

  /// Appends what the pair has, if anything.
  void find(int32_t triangle, int32_t partition, Meetings& found) {
    for (size_t k = 0; k < 3; ++k)
      mSurfaceSide[k] = mPredicates.surfacePointSide(mSurface[k], mPartition.nodes);
    // A triangle without area lies on nobody's side, but may be crossed edge-on.
    if (sameSign(mSurfaceSide) && mPartition.hasArea) return;
    for (size_t m = 0; m < 3; ++m)
      mPartitionSide[m] = mPredicates.partitionPointSide(mPartition.nodes[m], mSurface);
    if (sameSign(mPartitionSide) && mPredicates.surfaceHasArea(mSurface)) return;

    Trace trace{triangle, partition, {}, {}};
    int starts = 0, ends = 0;
    const auto note = [&](const HitName& hit, bool start) {
      (start ? trace.from : trace.to) = hit;
      ++(start ? starts : ends);
    };
    for (size_t k = 0; k < 3; ++k) {
      const size_t next = (k + 1) % 3;
      if (mSurfaceSide[k] == mSurfaceSide[next] || !sameSign({edges(k, 0), edges(k, 1), edges(k, 2)}))
        continue;
      const int32_t low = std::min(mSurface[k], mSurface[next]), high = std::max(mSurface[k], mSurface[next]);
      // Around the triangle, from the back of the partition to its front: the back's border turns off here.
      const bool toFront = mSurfaceSide[k] < 0;
      note({low, high, partition}, toFront);
      found.surfaceEdges.push_back({low, high, partition, toFront == (mSurface[k] == low)});
    }
    for (size_t m = 0; m < 3; ++m) {
      const size_t next = (m + 1) % 3;
      if (mPartitionSide[m] == mPartitionSide[next] || !sameSign({edges(0, m), edges(1, m), edges(2, m)}))
        continue;
      const bool leaves = mPartitionSide[m] < 0;
      note({-1, mPartition.edges[m], triangle}, !leaves);
      found.partitionEdges.push_back({mPartition.edges[m], triangle, leaves == mPartition.along[m]});
    }
    HACKLE_ASSERT(starts == ends && starts <= 1);
    if (starts == 1) found.traces.push_back(trace);
  }

 private:
  static bool sameSign(const std::array<int, 3>& s) { return s[0] != 0 && s[0] == s[1] && s[1] == s[2]; }
  int edges(size_t k, size_t m) const {
    return mPredicates.edges(mSurface[k], mSurface[(k + 1) % 3], mPartition.nodes[m],
                             mPartition.nodes[(m + 1) % 3]);
  }

  const CrossingPredicates& mPredicates;
  const Triangle& mSurface;
  const PartitionTriangles::Triangle3& mPartition;
  std::array<int, 3> mSurfaceSide{}, mPartitionSide{};
};

class ComplexCutter {
 public:
  ComplexCutter(const Geometry& solid, const TriangleMesh& mesh, const LabelComplex& complex,
                const std::function<int32_t(const Vec3&)>& labelAt, Context& context)
      : mSolid(solid),
        mMesh(mesh),
        mComplex(complex),
        mLabelAt(labelAt),
        mContext(context),
        mPredicates(mesh.points, complex.nodes),
        mPartition(complex, mPredicates, extent()) {}

  Cut run() {
    {
      const Context::Stage stage(mContext, "cross", 0.5);
      meet();
      sortHits();
    }
    {
      const Context::Stage stage(mContext, "assemble", 0.5);
      placeVertices();
      dropStraight();
      labelPoints();
      addOutsideFaces();
      addInsideFaces();
    }
    mCut.sortFaces();
    return std::move(mCut);
  }

 private:
  double extent() const {
    Box3 box;
    for (const Vec3& p : mMesh.points) box.add(p);
    return box.diagonal();
  }

  // Intersections ---------------------------------------------------------------------------------------

  /// The larger set asks a tree of the smaller one: most of it is far away.
  void meet() {
    std::vector<Triangle> triangles;
    for (const auto& t : mPartition.triangles) triangles.push_back(t.nodes);
    const bool ofSurface = mMesh.triangles.size() < triangles.size();
    const TriangleBvh bvh = ofSurface ? TriangleBvh(mMesh.points, mMesh.triangles, mContext)
                                      : TriangleBvh(mComplex.nodes, triangles, mContext);
    const Span<const Triangle> asking =
        ofSurface ? Span<const Triangle>(triangles) : Span<const Triangle>(mMesh.triangles);
    const Span<const Vec3> points =
        ofSurface ? Span<const Vec3>(mComplex.nodes) : Span<const Vec3>(mMesh.points);
    constexpr size_t kChunk = 512;
    std::vector<Meetings> chunks((asking.size() + kChunk - 1) / kChunk);
    parallelRanges(mContext, asking.size(), kChunk, [&](size_t begin, size_t end) {
      std::vector<int32_t> near;
      for (size_t t = begin; t < end && !bvh.empty(); ++t) {
        Box3 box;
        for (const int32_t p : asking[t]) box.add(points[p]);
        bvh.trianglesNear(box, near);
        for (const int32_t other : near) {
          const int32_t own = static_cast<int32_t>(t);
          findMeeting(ofSurface ? other : own, ofSurface ? own : other, chunks[begin / kChunk]);
        }
      }
    });
    for (Meetings& chunk : chunks) {
      mSurfaceHits.insert(mSurfaceHits.end(), chunk.surfaceEdges.begin(), chunk.surfaceEdges.end());
      mPartitionHits.insert(mPartitionHits.end(), chunk.partitionEdges.begin(), chunk.partitionEdges.end());
      mTraces.insert(mTraces.end(), chunk.traces.begin(), chunk.traces.end());
    }
  }

  void findMeeting(int32_t triangle, int32_t partition, Meetings& found) const {
    PairCrossing(mPredicates, mMesh.triangles[triangle], mPartition.triangles[partition])
        .find(triangle, partition, found);
  }

  template <class Hit>
  void sortUnique(std::vector<Hit>& hits) {
    parallelStableSort(mContext, hits, [](const Hit& a, const Hit& b) { return a.key() < b.key(); });
    hits.erase(
        std::unique(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.key() == b.key(); }),
        hits.end());
  }

  /// Each hit once (every triangle at an edge has found it); vertices are numbered in this order.
  void sortHits() {
    sortUnique(mSurfaceHits);
    sortUnique(mPartitionHits);
    parallelStableSort(mContext, mTraces, [](const Trace& a, const Trace& b) {
      return std::tie(a.triangle, a.partition) < std::tie(b.triangle, b.partition);
    });
  }

  int32_t firstSurfaceHit() const { return static_cast<int32_t>(mMesh.points.size()); }
  int32_t firstPartitionHit() const { return firstSurfaceHit() + static_cast<int32_t>(mSurfaceHits.size()); }
  int32_t firstNode() const { return firstPartitionHit() + static_cast<int32_t>(mPartitionHits.size()); }

  int32_t vertexOf(const HitName& name) const {
    if (name[0] < 0) {
      const auto found =
          std::lower_bound(mPartitionHits.begin(), mPartitionHits.end(), std::tie(name[1], name[2]),
                           [](const PartitionEdgeHit& hit, const auto& key) { return hit.key() < key; });
      HACKLE_ASSERT(found != mPartitionHits.end() && found->key() == std::tie(name[1], name[2]));
      return firstPartitionHit() + static_cast<int32_t>(found - mPartitionHits.begin());
    }
    const auto key = std::tie(name[0], name[1], name[2]);
    const auto found =
        std::lower_bound(mSurfaceHits.begin(), mSurfaceHits.end(), key,
                         [](const SurfaceEdgeHit& hit, const auto& k) { return hit.key() < k; });
    HACKLE_ASSERT(found != mSurfaceHits.end() && found->key() == key);
    return firstSurfaceHit() + static_cast<int32_t>(found - mSurfaceHits.begin());
  }

  void placeVertices() {
    const auto point = [&](int32_t p) -> const Vec3& { return mMesh.points[p]; };
    for (size_t p = 0; p < mMesh.points.size(); ++p) {
      CutVertex vertex;
      vertex.position = mMesh.points[p];
      vertex.point = static_cast<int32_t>(p);
      mCut.vertices.push_back(vertex);
    }
    mCut.vertices.resize(static_cast<size_t>(firstNode()) + mComplex.nodes.size());
    // A triangle at each cut edge, for attributes: the first whose trace ends there.
    for (const Trace& trace : mTraces)
      for (const HitName& name : {trace.from, trace.to}) {
        CutVertex& vertex = mCut.vertices[vertexOf(name)];
        if (vertex.triangle < 0) vertex.triangle = trace.triangle;
      }
    parallelFor(mContext, mSurfaceHits.size(), 1024, [&](size_t h) {
      const SurfaceEdgeHit& hit = mSurfaceHits[h];
      CutVertex& vertex = mCut.vertices[static_cast<size_t>(firstSurfaceHit()) + h];
      const double u =
          mPredicates.surfaceEdgeParameter(hit.low, hit.high, mPartition.triangles[hit.partition].nodes);
      vertex.position = (1.0 - u) * point(hit.low) + u * point(hit.high);
      const Triangle& t = mMesh.triangles[vertex.triangle];
      for (size_t c = 0; c < 3; ++c)
        vertex.barycentric[c] = t[c] == hit.low ? 1.0 - u : t[c] == hit.high ? u : 0.0;
    });
    parallelFor(mContext, mPartitionHits.size(), 1024, [&](size_t h) {
      const PartitionEdgeHit& hit = mPartitionHits[h];
      CutVertex& vertex = mCut.vertices[static_cast<size_t>(firstPartitionHit()) + h];
      const PartitionEdge& edge = mPartition.edges[hit.edge];
      const Triangle& t = mMesh.triangles[hit.triangle];
      vertex.barycentric = mPredicates.surfaceTriangleParameter(t, edge.start, edge.end);
      vertex.position = vertex.barycentric[0] * point(t[0]) + vertex.barycentric[1] * point(t[1]) +
                        vertex.barycentric[2] * point(t[2]);
    });
    for (size_t n = 0; n < mComplex.nodes.size(); ++n)
      mCut.vertices[static_cast<size_t>(firstNode()) + n].position = mComplex.nodes[n];
    for (const CutVertex& vertex : mCut.vertices) mPositions.push_back(vertex.position);
  }

  // Vertices that are not needed --------------------------------------------------------------------------

  /// Where a trace only passes from one triangle of a face to the next, it goes on straight. Such vertices
  /// are dropped everywhere, unless two ways between the same ends would become one.
  void dropStraight() {
    mDropped.assign(mCut.vertices.size(), 0);
    for (size_t h = 0; h < mPartitionHits.size(); ++h)
      if (mPartition.isInner(mPartitionHits[h].edge))
        mDropped[static_cast<size_t>(firstPartitionHit()) + h] = 1;
    for (size_t begin = 0; begin < mTraces.size();) {
      size_t end = begin;
      while (end < mTraces.size() && mTraces[end].triangle == mTraces[begin].triangle) ++end;
      keepWaysApart(begin, end);
      begin = end;
    }
  }

  void keepWaysApart(size_t begin, size_t end) {
    struct Step {
      int32_t from, to;
    };
    std::vector<Step> steps;
    for (size_t t = begin; t < end; ++t)
      steps.push_back({vertexOf(mTraces[t].from), vertexOf(mTraces[t].to)});
    struct Way {
      int32_t low, high;
      std::vector<int32_t> dropped;
    };
    std::vector<Way> ways;
    const auto dropped = [&](int32_t v) -> uint8_t& { return mDropped[v]; };
    // From each step that leaves a vertex that stays, on to the next one that does. Both triangles of a face
    // have the same labels, so a trace keeps its direction from one to the other.
    for (const Step& first : steps) {
      if (dropped(first.from)) continue;
      Way way{first.from, first.to, {}};
      while (dropped(way.high)) {
        const auto next =
            std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.from == way.high; });
        if (next == steps.end() || way.dropped.size() > steps.size()) break;
        way.dropped.push_back(way.high);
        way.high = next->to;
      }
      if (way.low > way.high) std::swap(way.low, way.high);
      ways.push_back(std::move(way));
    }
    std::stable_sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
      return std::tie(a.low, a.high) < std::tie(b.low, b.high);
    });
    for (size_t w = 0; w < ways.size(); ++w) {
      const auto same = [&](size_t o) { return ways[o].low == ways[w].low && ways[o].high == ways[w].high; };
      if ((w > 0 && same(w - 1)) || (w + 1 < ways.size() && same(w + 1)))
        for (const int32_t v : ways[w].dropped) dropped(v) = 0;
    }
  }

  // Outside -----------------------------------------------------------------------------------------------

  int32_t labelBefore(const SurfaceEdgeHit& hit) const {
    const LabelComplex::Facet& facet = facetOf(hit.partition);
    return hit.forward ? facet.back : facet.front;
  }
  int32_t labelAfter(const SurfaceEdgeHit& hit) const {
    const LabelComplex::Facet& facet = facetOf(hit.partition);
    return hit.forward ? facet.front : facet.back;
  }
  const LabelComplex::Facet& facetOf(int32_t partition) const {
    return mComplex.facets[mPartition.triangles[partition].facet];
  }

  /// Hits along an edge of the surface, from its low to its high point; mHitOrder lists those of all edges.
  Span<const int32_t> hitsOn(int32_t a, int32_t b) const {
    const auto key = std::make_pair(std::min(a, b), std::max(a, b));
    const auto less = [](const SurfaceEdgeHit& hit, const std::pair<int32_t, int32_t>& k) {
      return std::make_pair(hit.low, hit.high) < k;
    };
    const auto greater = [](const std::pair<int32_t, int32_t>& k, const SurfaceEdgeHit& hit) {
      return k < std::make_pair(hit.low, hit.high);
    };
    const auto first = std::lower_bound(mSurfaceHits.begin(), mSurfaceHits.end(), key, less);
    const auto last = std::upper_bound(first, mSurfaceHits.end(), key, greater);
    return Span<const int32_t>(mHitOrder.data() + (first - mSurfaceHits.begin()),
                               static_cast<size_t>(last - first));
  }

  void orderHits() {
    mHitOrder.resize(mSurfaceHits.size());
    std::iota(mHitOrder.begin(), mHitOrder.end(), 0);
    const auto hit = [&](int32_t h) -> const SurfaceEdgeHit& { return mSurfaceHits[h]; };
    const auto sameEdge = [&](int32_t a, int32_t b) {
      return hit(a).low == hit(b).low && hit(a).high == hit(b).high;
    };
    const auto order = [&](int32_t a, int32_t b) {
      if (a == b) return 0;
      const auto nodes = [&](int32_t h) -> const Triangle& {
        return mPartition.triangles[hit(h).partition].nodes;
      };
      return mPredicates.orderAlongSurfaceEdge(hit(a).low, hit(a).high, nodes(a), nodes(b));
    };
    std::stable_sort(mHitOrder.begin(), mHitOrder.end(), [&](int32_t a, int32_t b) {
      return sameEdge(a, b) ? order(a, b) < 0 : hit(a).key() < hit(b).key();
    });
    for (size_t begin = 0; begin < mHitOrder.size();) {
      size_t end = begin + 1;
      while (end < mHitOrder.size() && sameEdge(mHitOrder[begin], mHitOrder[end]) &&
             order(mHitOrder[begin], mHitOrder[end]) == 0)
        ++end;
      chainLabels(begin, end);
      begin = end;
    }
    for (size_t h = 0; h + 1 < mHitOrder.size(); ++h) {
      const SurfaceEdgeHit &a = hit(mHitOrder[h]), &b = hit(mHitOrder[h + 1]);
      if (sameEdge(mHitOrder[h], mHitOrder[h + 1]) && labelAfter(a) != labelBefore(b))
        throw DegenerateCut(mMesh.points[a.low]);
    }
  }

  /// Facets at one place, with regions of no thickness between them: in the order in which labels follow.
  void chainLabels(size_t begin, size_t end) {
    const auto hit = [&](size_t k) -> const SurfaceEdgeHit& { return mSurfaceHits[mHitOrder[k]]; };
    for (size_t k = begin; k + 1 < end; ++k) {
      size_t next = end;
      for (size_t c = k; c < end && next == end; ++c) {
        bool follows = k > begin && labelBefore(hit(c)) == labelAfter(hit(k - 1));
        if (k == begin) {
          follows = true;
          for (size_t o = begin; o < end; ++o) follows = follows && labelAfter(hit(o)) != labelBefore(hit(c));
        }
        if (follows) next = c;
      }
      if (next < end) std::swap(mHitOrder[k], mHitOrder[next]);
    }
  }

  void labelPoints() {
    orderHits();
    const auto hit = [&](int32_t h) -> const SurfaceEdgeHit& { return mSurfaceHits[h]; };
    // Points next to a hit have its label, and those that uncrossed edges join to them.
    UnionFind joined(mMesh.points.size());
    std::vector<std::pair<int32_t, int32_t>> known;
    for (const Triangle& t : mMesh.triangles) {
      for (size_t k = 0; k < 3; ++k) {
        const int32_t a = t[k], b = t[(k + 1) % 3];
        if (a > b) continue;  // the edge comes again, the other way
        const Span<const int32_t> hits = mSurfaceHits.empty() ? Span<const int32_t>() : hitsOn(a, b);
        if (hits.size() == 0) {
          joined.unite(a, b);
          continue;
        }
        known.emplace_back(a, labelBefore(hit(hits[0])));
        known.emplace_back(b, labelAfter(hit(hits[hits.size() - 1])));
      }
    }
    std::vector<int32_t> label(mMesh.points.size(), -1);
    for (const auto& [point, l] : known) {
      int32_t& of = label[joined.find(point)];
      if (of >= 0 && of != l) throw DegenerateCut(mMesh.points[point]);
      of = l;
    }
    mPointLabel.assign(mMesh.points.size(), -1);
    for (const Triangle& t : mMesh.triangles)
      for (const int32_t p : t) {
        int32_t& of = label[joined.find(p)];
        if (of < 0) of = mLabelAt(mMesh.points[p]);
        mPointLabel[p] = of;
      }
  }

  struct LabelledEdge {
    int32_t label;
    LoopEdge edge;
  };

  /// Faces of the part of one triangle that is cut, by label.
  void addCutTriangle(size_t t, size_t firstTrace, size_t lastTrace, CutFace face) {
    const Triangle& corners = mMesh.triangles[t];
    std::vector<LabelledEdge> edges;
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = corners[k], b = corners[(k + 1) % 3];
      const Span<const int32_t> hits = hitsOn(a, b);
      int32_t from = a, label = mPointLabel[a];
      for (size_t h = 0; h < hits.size(); ++h) {
        const int32_t index = a < b ? hits[h] : hits[hits.size() - 1 - h];
        const SurfaceEdgeHit& hit = mSurfaceHits[index];
        edges.push_back({label, {from, firstSurfaceHit() + index}});
        from = firstSurfaceHit() + index;
        label = a < b ? labelAfter(hit) : labelBefore(hit);
      }
      edges.push_back({label, {from, b}});
    }
    for (size_t k = firstTrace; k < lastTrace; ++k) {
      const int32_t from = vertexOf(mTraces[k].from), to = vertexOf(mTraces[k].to);
      edges.push_back({facetOf(mTraces[k].partition).back, {from, to}});
      edges.push_back({facetOf(mTraces[k].partition).front, {to, from}});
    }
    std::sort(edges.begin(), edges.end(), [](const LabelledEdge& a, const LabelledEdge& b) {
      return std::tie(a.label, a.edge.from, a.edge.to) < std::tie(b.label, b.edge.from, b.edge.to);
    });
    const auto at = [&](int32_t p) -> const Vec3& { return mMesh.points[p]; };
    const Vec3 normal = (at(corners[1]) - at(corners[0])).cross(at(corners[2]) - at(corners[0]));
    std::vector<LoopEdge> ofLabel;
    for (size_t begin = 0; begin < edges.size();) {
      face.cell = edges[begin].label;
      ofLabel.clear();
      for (; begin < edges.size() && edges[begin].label == face.cell; ++begin)
        ofLabel.push_back(edges[begin].edge);
      for (const std::vector<int32_t>& polygon : faces(ofLabel, normal)) mCut.addFace(face, polygon);
    }
  }

  /// Faces from directed edges, without the dropped vertices.
  std::vector<std::vector<int32_t>> faces(const std::vector<LoopEdge>& edges, const Vec3& normal) const {
    std::vector<std::vector<int32_t>> loops = linkLoops(edges, normal, mPositions);
    for (std::vector<int32_t>& loop : loops)
      loop.erase(std::remove_if(loop.begin(), loop.end(), [&](int32_t v) { return mDropped[v] != 0; }),
                 loop.end());
    loops.erase(std::remove_if(loops.begin(), loops.end(), [](const auto& loop) { return loop.size() < 3; }),
                loops.end());
    return loops.empty() ? loops : facesFromLoops(loops, normal, mPositions);
  }

  void addOutsideFaces() {
    size_t trace = 0;
    for (size_t t = 0; t < mMesh.triangles.size();) {
      // All triangles of one polygon.
      CutFace face;
      face.primitive = mMesh.primitives[t];
      size_t end = t;
      while (end < mMesh.triangles.size() && mMesh.primitives[end] == face.primitive) ++end;
      if (trace == mTraces.size() || static_cast<size_t>(mTraces[trace].triangle) >= end) {
        const Span<const int32_t> polygon = mSolid.corners(static_cast<size_t>(face.primitive));
        face.cell = mPointLabel[polygon[0]];
        mCut.addFace(face, polygon);
        t = end;
      }
      for (; t < end; ++t) {
        face.triangle = static_cast<int32_t>(t);
        const size_t first = trace;
        while (trace < mTraces.size() && static_cast<size_t>(mTraces[trace].triangle) == t) ++trace;
        if (trace > first) {
          addCutTriangle(t, first, trace, face);
        } else {
          face.cell = mPointLabel[mMesh.triangles[t][0]];
          mCut.addFace(face, Span<const int32_t>(mMesh.triangles[t].data(), 3));
        }
      }
    }
  }

  // Inside ------------------------------------------------------------------------------------------------

  struct GroupEdge {
    int32_t group;
    LoopEdge edge;
  };

  std::vector<EdgeCrossing> orderedCrossings() const {
    std::vector<EdgeCrossing> crossings;
    for (size_t h = 0; h < mPartitionHits.size(); ++h)
      crossings.push_back({mPartitionHits[h].edge, mPartitionHits[h].triangle,
                           firstPartitionHit() + static_cast<int32_t>(h), mPartitionHits[h].leaves});
    std::stable_sort(crossings.begin(), crossings.end(), [&](const EdgeCrossing& a, const EdgeCrossing& b) {
      if (a.edge != b.edge) return a.edge < b.edge;
      if (a.triangle == b.triangle) return false;
      const PartitionEdge& edge = mPartition.edges[a.edge];
      const int order = mPredicates.orderAlongPartitionEdge(edge.start, edge.end, mMesh.triangles[a.triangle],
                                                            mMesh.triangles[b.triangle]);
      return order != 0 ? order < 0 : a.leaves && !b.leaves;
    });
    return crossings;
  }

  void addInsideFaces() {
    int32_t pairs = 0;
    std::vector<GroupEdge> edges;
    for (const Trace& trace : mTraces)
      edges.push_back(
          {mPartition.triangles[trace.partition].group, {vertexOf(trace.to), vertexOf(trace.from)}});
    const std::vector<EdgeCrossing> crossings = orderedCrossings();
    InnerEdgesInput input;
    input.edges = mPartition.edges;
    input.crossings = crossings;
    const std::vector<uint8_t> outside(mComplex.nodes.size(), 0);
    input.outside = outside;
    input.firstNodeVertex = firstNode();
    input.nodePosition = [&](int32_t n) { return mComplex.nodes[n]; };
    for (const InnerStretch& stretch : innerStretches(mMesh, input, mContext)) {
      if (mPartition.isRim(stretch.edge)) refuseOpenPartition(stretch);
      if (mPartition.isInner(stretch.edge)) continue;
      for (const auto& side : mPartition.sidesOf(stretch.edge))
        edges.push_back(
            {mPartition.triangles[side.triangle].group,
             side.along ? LoopEdge{stretch.from, stretch.to} : LoopEdge{stretch.to, stretch.from}});
    }
    parallelStableSort(mContext, edges, [](const GroupEdge& a, const GroupEdge& b) {
      return std::tie(a.group, a.edge.from, a.edge.to) < std::tie(b.group, b.edge.from, b.edge.to);
    });
    std::vector<LoopEdge> ofGroup;
    for (size_t begin = 0; begin < edges.size();) {
      const int32_t group = edges[begin].group;
      ofGroup.clear();
      for (; begin < edges.size() && edges[begin].group == group; ++begin)
        ofGroup.push_back(edges[begin].edge);
      const PartitionTriangles::Group& of = mPartition.groups[group];
      for (std::vector<int32_t>& polygon : faces(ofGroup, of.normal)) {
        mCut.addInsideFace(of.back, of.front, pairs++, std::move(polygon));
      }
    }
  }

  [[noreturn]] void refuseOpenPartition(const InnerStretch& stretch) const {
    const Vec3& p = mPositions[stretch.to];
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the lattice ends inside the solid near ({:.4g}, {:.4g}, {:.4g})", p.x(), p.y(), p.z()),
        "use a lattice that encloses the whole surface");
  }

  const Geometry& mSolid;
  const TriangleMesh& mMesh;
  const LabelComplex& mComplex;
  const std::function<int32_t(const Vec3&)>& mLabelAt;
  Context& mContext;
  CrossingPredicates mPredicates;
  PartitionTriangles mPartition;
  std::vector<SurfaceEdgeHit> mSurfaceHits;
  std::vector<int32_t> mHitOrder;  // indices of mSurfaceHits, by edge, then along it
  std::vector<PartitionEdgeHit> mPartitionHits;
  std::vector<Trace> mTraces;  // by triangle of the surface
  std::vector<int32_t> mPointLabel;
  std::vector<uint8_t> mDropped;  // vertices that no face needs
  std::vector<Vec3> mPositions;
  Cut mCut;
};

}  // namespace

Cut cutByComplex(const Geometry& solid, const TriangleMesh& mesh, const LabelComplex& complex,
                 const std::function<int32_t(const Vec3&)>& labelAt, Context& context) {
  Cut cut = ComplexCutter(solid, mesh, complex, labelAt, context).run();
  joinCoincidentVertices(cut, context);
  return cut;
}

}  // namespace hackle
