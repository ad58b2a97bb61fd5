#include <hackle/meshing/cut/cutter.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/cut/cut_cleanup.h>
#include <hackle/meshing/cut/inner_edges.h>
#include <hackle/meshing/cut/planar_faces.h>
#include <hackle/meshing/cut/surface_clipping.h>
#include <hackle/meshing/cut/voronoi_diagram.h>

#include <algorithm>
#include <array>

namespace hackle {

namespace {

using Key = std::array<int32_t, 4>;

int32_t indexOf(const std::vector<Key>& sorted, const Key& key) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), key);
  HACKLE_ASSERT(found != sorted.end() && *found == key);
  return static_cast<int32_t>(found - sorted.begin());
}

void sortUnique(Context& context, std::vector<Key>& keys) {
  parallelStableSort(context, keys, std::less<Key>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// Lists of some things that were made in chunks by many threads, one after another.
template <class T>
void appendChunks(std::vector<std::vector<T>>& chunks, std::vector<T>& to) {
  size_t count = to.size();
  for (const std::vector<T>& chunk : chunks) count += chunk.size();
  to.reserve(count);
  for (std::vector<T>& chunk : chunks) {
    to.insert(to.end(), chunk.begin(), chunk.end());
    std::vector<T>().swap(chunk);
  }
}

constexpr size_t kChunk = 2048;  // parts, vertices or edges that a thread takes at a time
size_t chunkCount(size_t count, size_t chunk = kChunk) { return (count + chunk - 1) / chunk; }

/// Where the surface crosses an edge of the diagram.
struct Crossing {
  std::array<int32_t, 3> cells;
  int32_t triangle;
  bool leaves;  // going along the edge, the solid is left here
};

/// A directed edge of the inside face between the cells i < j, as cell i has it.
struct FaceEdge {
  int32_t i, j;
  LoopEdge edge;
  bool operator<(const FaceEdge& o) const {
    return std::tie(i, j, edge.from, edge.to) < std::tie(o.i, o.j, o.edge.from, o.edge.to);
  }
};

class VoronoiCutter {
 public:
  VoronoiCutter(const Geometry& solid, const TriangleMesh& mesh, Span<const Vec3> sites, Context& context)
      : mSolid(solid),
        mMesh(mesh),
        mSites(sites),
        mContext(context),
        mBox(enclosingBox()),
        mPredicates(mesh.points, sites, mBox) {}

  Cut run() {
    {
      const Context::Stage stage(mContext, "diagram", 0.2);
      mCells = voronoiDiagram(mPredicates, mSites, mBox, mContext);
      buildDiagramEdges();
    }
    {
      const Context::Stage stage(mContext, "clip", 0.4);
      mSurface = clipSurface(mPredicates, mCells, mSites, mMesh, mContext);
      nameVertices();
    }
    {
      const Context::Stage stage(mContext, "assemble", 0.4);
      findCorners();
      cutDiagramEdges();
      addTraces();
      placeVertices();
      addOutsideFaces();
      addInsideFaces();
      mCut.sortFaces();
    }
    return std::move(mCut);
  }

 private:
  Box3 enclosingBox() const {
    Box3 box;
    for (const Vec3& p : mMesh.points) box.add(p);
    for (const Vec3& p : mSites) box.add(p);
    const double margin = box.diagonal() > 0 ? 0.01 * box.diagonal() : 1.0;
    box.min.array() -= margin;
    box.max.array() += margin;
    return box;
  }

  // Diagram ---------------------------------------------------------------------------------------------

  static Key nodeKey(int32_t cell, const std::array<int32_t, 3>& planes) {
    Key key{cell, planes[0], planes[1], planes[2]};
    std::sort(key.begin(), key.end());
    return key;
  }

  /// An end of an edge of the diagram, as one of its cells has it.
  struct EdgeEnd {
    std::array<int32_t, 3> cells;
    Key node;
    bool isStart;
  };

  void addEnds(int32_t cell, std::vector<Key>& nodes, std::vector<EdgeEnd>& ends) const {
    for (const auto& vertex : mCells[cell].vertices) {
      const Key node = nodeKey(cell, vertex);
      nodes.push_back(node);
      for (size_t k = 0; k < 3; ++k) {
        const int32_t x = vertex[k], y = vertex[(k + 1) % 3];
        const int32_t a = std::min(x, y), b = std::max(x, y);
        if (cell < a && !mPredicates.isBoxPlane(b)) ends.push_back({{cell, a, b}, node, x == b});
      }
    }
  }

  void buildDiagramEdges() {
    constexpr size_t kCells = 64;
    std::vector<std::vector<Key>> nodes(chunkCount(mCells.size(), kCells));
    std::vector<std::vector<EdgeEnd>> ends(nodes.size());
    parallelRanges(mContext, mCells.size(), kCells, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c)
        addEnds(static_cast<int32_t>(c), nodes[begin / kCells], ends[begin / kCells]);
      // First cells ascend from chunk to chunk: chunks that are sorted by themselves are so all together.
      std::stable_sort(ends[begin / kCells].begin(), ends[begin / kCells].end(),
                       [](const EdgeEnd& l, const EdgeEnd& r) { return l.cells < r.cells; });
    });
    appendChunks(nodes, mNodes);
    std::vector<EdgeEnd> all;
    appendChunks(ends, all);
    checkNodesAgree();
    HACKLE_ASSERT(all.size() % 2 == 0);
    mEdges.resize(all.size() / 2);
    mEdgeCells.resize(all.size() / 2);
    parallelFor(mContext, mEdges.size(), kChunk, [&](size_t e) {
      const EdgeEnd &first = all[2 * e], &second = all[2 * e + 1];
      HACKLE_ASSERT(first.cells == second.cells && first.isStart != second.isStart);
      PartitionEdge edge{indexOf(mNodes, first.node), indexOf(mNodes, second.node)};
      if (!first.isStart) std::swap(edge.start, edge.end);
      mEdges[e] = edge;
      mEdgeCells[e] = first.cells;
    });
  }

  /// Every vertex of the diagram must be in all of its cells.
  void checkNodesAgree() {
    parallelStableSort(mContext, mNodes, std::less<Key>());
    for (size_t n = 0; n < mNodes.size();) {
      size_t copies = 0, cells = 0;
      while (n + copies < mNodes.size() && mNodes[n + copies] == mNodes[n]) ++copies;
      for (const int32_t site : mNodes[n]) cells += mPredicates.isBoxPlane(site) ? 0 : 1;
      HACKLE_ASSERT(copies == cells);
      n += copies;
    }
    mNodes.erase(std::unique(mNodes.begin(), mNodes.end()), mNodes.end());
  }

  // Names of vertices -----------------------------------------------------------------------------------

  Key edgeCutKey(const ClippedTriangle& part, int32_t edgeLine, int32_t plane) const {
    const Triangle& t = mMesh.triangles[part.triangle];
    const size_t e = static_cast<size_t>(-edgeLine - 1);
    const int32_t a = t[e], b = t[(e + 1) % 3];
    return {std::min(a, b), std::max(a, b), std::min(part.cell, plane), std::max(part.cell, plane)};
  }

  static Key triangleCutKey(const ClippedTriangle& part, int32_t j, int32_t k) {
    std::array<int32_t, 3> cells{part.cell, j, k};
    std::sort(cells.begin(), cells.end());
    return {part.triangle, cells[0], cells[1], cells[2]};
  }

  void nameVertices() {
    const size_t chunks = chunkCount(mSurface.parts.size());
    std::vector<std::vector<Key>> edgeCuts(chunks), triangleCuts(chunks);
    std::vector<std::vector<Crossing>> crossings(chunks);
    parallelRanges(mContext, mSurface.parts.size(), kChunk, [&](size_t begin, size_t end) {
      const size_t chunk = begin / kChunk;
      for (size_t p = begin; p < end; ++p)
        nameCorners(mSurface.parts[p], edgeCuts[chunk], triangleCuts[chunk], crossings[chunk]);
    });
    appendChunks(edgeCuts, mEdgeCuts);
    appendChunks(triangleCuts, mTriangleCuts);
    appendChunks(crossings, mCrossings);
    sortUnique(mContext, mEdgeCuts);
    sortUnique(mContext, mTriangleCuts);
  }

  void nameCorners(const ClippedTriangle& part, std::vector<Key>& edgeCuts, std::vector<Key>& triangleCuts,
                   std::vector<Crossing>& crossings) const {
    for (size_t k = 0; k < part.lines.size(); ++k) {
      const int32_t before = part.lines[k], after = part.lines[(k + 1) % part.lines.size()];
      if (before < 0 && after < 0) continue;
      if (before < 0 || after < 0) {
        edgeCuts.push_back(edgeCutKey(part, std::min(before, after), std::max(before, after)));
      } else {
        triangleCuts.push_back(triangleCutKey(part, before, after));
        if (part.cell < std::min(before, after))
          crossings.push_back(
              {{part.cell, std::min(before, after), std::max(before, after)}, part.triangle, before < after});
      }
    }
  }

  /// Looks the vertices of all parts' corners up, once for all that follows.
  void findCorners() {
    mPartStarts.resize(mSurface.parts.size() + 1, 0);
    for (size_t p = 0; p < mSurface.parts.size(); ++p)
      mPartStarts[p + 1] = mPartStarts[p] + mSurface.parts[p].lines.size();
    mPartCorners.resize(mPartStarts.back());
    parallelFor(mContext, mSurface.parts.size(), kChunk, [&](size_t p) {
      for (size_t k = 0; k < mSurface.parts[p].lines.size(); ++k)
        mPartCorners[mPartStarts[p] + k] = cornerVertex(mSurface.parts[p], k);
    });
  }

  int32_t pointCount() const { return static_cast<int32_t>(mMesh.points.size()); }
  int32_t edgeCutVertex(const Key& key) const { return pointCount() + indexOf(mEdgeCuts, key); }
  int32_t triangleCutVertex(const Key& key) const {
    return pointCount() + static_cast<int32_t>(mEdgeCuts.size()) + indexOf(mTriangleCuts, key);
  }
  int32_t nodeVertex(int32_t node) const {
    return pointCount() + static_cast<int32_t>(mEdgeCuts.size() + mTriangleCuts.size()) + node;
  }
  int32_t cornerVertex(const ClippedTriangle& part, size_t k) const {
    const int32_t before = part.lines[k], after = part.lines[(k + 1) % part.lines.size()];
    if (before < 0 && after < 0) return mMesh.triangles[part.triangle][-after - 1];
    if (before < 0 || after < 0)
      return edgeCutVertex(edgeCutKey(part, std::min(before, after), std::max(before, after)));
    return triangleCutVertex(triangleCutKey(part, before, after));
  }

  // Edges of the diagram inside the solid ---------------------------------------------------------------

  void sortCrossings() {
    parallelStableSort(mContext, mCrossings,
                       [](const Crossing& l, const Crossing& r) { return l.cells < r.cells; });
    for (size_t begin = 0; begin < mCrossings.size();) {
      size_t end = begin;
      while (end < mCrossings.size() && mCrossings[end].cells == mCrossings[begin].cells) ++end;
      const auto [i, a, b] = mCrossings[begin].cells;
      std::stable_sort(mCrossings.begin() + static_cast<std::ptrdiff_t>(begin),
                       mCrossings.begin() + static_cast<std::ptrdiff_t>(end),
                       [&, i = i, a = a, b = b](const Crossing& l, const Crossing& r) {
                         if (l.triangle == r.triangle) return false;
                         const int order = mPredicates.orderAlong(i, a, b, mMesh.triangles[l.triangle],
                                                                  mMesh.triangles[r.triangle]);
                         if (order != 0) return order < 0;
                         return l.leaves && !r.leaves;
                       });
      begin = end;
    }
  }

  void cutDiagramEdges() {
    sortCrossings();
    std::vector<EdgeCrossing> crossings;
    int32_t edge = 0;
    for (const Crossing& c : mCrossings) {
      while (static_cast<size_t>(edge) < mEdges.size() && mEdgeCells[edge] < c.cells) ++edge;
      HACKLE_ASSERT(static_cast<size_t>(edge) < mEdges.size() && mEdgeCells[edge] == c.cells);
      crossings.push_back(
          {edge, c.triangle, triangleCutVertex({c.triangle, c.cells[0], c.cells[1], c.cells[2]}), c.leaves});
    }
    std::vector<uint8_t> outside;
    for (const Key& node : mNodes) outside.push_back(mPredicates.isBoxPlane(node[3]) ? 1 : 0);
    InnerEdgesInput input;
    input.edges = mEdges;
    input.crossings = crossings;
    input.outside = outside;
    input.firstNodeVertex = nodeVertex(0);
    input.nodePosition = [&](int32_t n) { return nodePosition(mNodes[n]); };
    // Stretches inside the solid bound three faces each.
    for (const InnerStretch& stretch : innerStretches(mMesh, input, mContext)) {
      const auto [i, a, b] = mEdgeCells[stretch.edge];
      mFaceEdges.push_back({i, a, {stretch.from, stretch.to}});
      mFaceEdges.push_back({i, b, {stretch.to, stretch.from}});
      mFaceEdges.push_back({a, b, {stretch.from, stretch.to}});
    }
  }

  /// Where the surface meets a bisector, the inside face runs against the outside one.
  void addTraces() {
    std::vector<std::vector<FaceEdge>> chunks(chunkCount(mSurface.parts.size()));
    parallelRanges(mContext, mSurface.parts.size(), kChunk, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        const ClippedTriangle& part = mSurface.parts[p];
        const int32_t* corners = mPartCorners.data() + mPartStarts[p];
        const size_t n = part.lines.size();
        for (size_t k = 0; k < n; ++k)
          if (part.lines[k] > part.cell)
            chunks[begin / kChunk].push_back(
                {part.cell, part.lines[k], {corners[k], corners[(k + n - 1) % n]}});
      }
    });
    appendChunks(chunks, mFaceEdges);
    parallelStableSort(mContext, mFaceEdges, std::less<FaceEdge>());
  }

  // Coordinates and faces -------------------------------------------------------------------------------

  void placeVertices() {
    // A triangle at each cut edge, for attributes: the first.
    const auto firstCut = static_cast<size_t>(pointCount());
    std::vector<int32_t> edgeTriangle(mEdgeCuts.size(), -1);
    for (size_t p = 0; p < mSurface.parts.size(); ++p)
      for (size_t c = mPartStarts[p]; c < mPartStarts[p + 1]; ++c) {
        const size_t e = static_cast<size_t>(mPartCorners[c]) - firstCut;  // huge for mesh points
        if (e < edgeTriangle.size() && edgeTriangle[e] < 0) edgeTriangle[e] = mSurface.parts[p].triangle;
      }
    const size_t firstTriangleCut = firstCut + mEdgeCuts.size();
    const size_t firstNode = firstTriangleCut + mTriangleCuts.size();
    mCut.vertices.resize(firstNode + mNodes.size());
    parallelFor(mContext, mCut.vertices.size(), kChunk, [&](size_t v) {
      if (v < firstCut)
        placePoint(static_cast<int32_t>(v), mCut.vertices[v]);
      else if (v < firstTriangleCut)
        placeEdgeCut(mEdgeCuts[v - firstCut], edgeTriangle[v - firstCut], mCut.vertices[v]);
      else if (v < firstNode)
        placeTriangleCut(mTriangleCuts[v - firstTriangleCut], mCut.vertices[v]);
      else
        mCut.vertices[v].position = nodePosition(mNodes[v - firstNode]);
    });
  }

  void placePoint(int32_t point, CutVertex& vertex) const {
    vertex.position = mMesh.points[point];
    vertex.point = point;
  }

  void placeEdgeCut(const Key& key, int32_t triangle, CutVertex& vertex) const {
    const auto& [a, b, i, j] = key;
    const double u = mPredicates.edgeParameter(a, b, i, j);
    vertex.position = (1.0 - u) * mMesh.points[a] + u * mMesh.points[b];
    vertex.triangle = triangle;
    const Triangle& t = mMesh.triangles[triangle];
    for (size_t c = 0; c < 3; ++c) vertex.barycentric[c] = t[c] == a ? 1.0 - u : t[c] == b ? u : 0.0;
  }

  void placeTriangleCut(const Key& key, CutVertex& vertex) const {
    const auto& [t, i, j, k] = key;
    const Triangle& corners = mMesh.triangles[t];
    vertex.triangle = t;
    vertex.barycentric = mPredicates.triangleParameter(corners, i, j, k);
    vertex.position = vertex.barycentric[0] * mMesh.points[corners[0]] +
                      vertex.barycentric[1] * mMesh.points[corners[1]] +
                      vertex.barycentric[2] * mMesh.points[corners[2]];
  }

  Vec3 nodePosition(const Key& node) const {
    const auto& [i, j, k, l] = node;
    return mPredicates.vertexPosition(i, j, k, l);
  }

  void addOutsideFaces() {
    size_t part = 0;
    for (size_t t = 0; t < mMesh.triangles.size();) {
      // All triangles of one polygon.
      const int32_t primitive = mMesh.primitives[t];
      size_t end = t;
      while (end < mMesh.triangles.size() && mMesh.primitives[end] == primitive) ++end;
      const size_t firstPart = part;
      while (part < mSurface.parts.size() && static_cast<size_t>(mSurface.parts[part].triangle) < end) ++part;
      CutFace face;
      face.primitive = primitive;
      if (part == firstPart) {
        const Span<const int32_t> polygon = mSolid.corners(static_cast<size_t>(primitive));
        face.cell = mSurface.pointCell[polygon[0]];
        mCut.addFace(face, polygon);
      } else {
        size_t p = firstPart;
        for (; t < end; ++t) {
          face.triangle = static_cast<int32_t>(t);
          if (p == part || static_cast<size_t>(mSurface.parts[p].triangle) != t) {
            const Triangle& whole = mMesh.triangles[t];
            face.cell = mSurface.pointCell[whole[0]];
            mCut.addFace(face, Span<const int32_t>(whole.data(), 3));
          }
          for (; p < part && static_cast<size_t>(mSurface.parts[p].triangle) == t; ++p) {
            face.cell = mSurface.parts[p].cell;
            mCut.addFace(face, {mPartCorners.data() + mPartStarts[p], mPartStarts[p + 1] - mPartStarts[p]});
          }
        }
      }
      t = end;
    }
  }

  void addInsideFaces() {
    std::vector<Vec3> positions(mCut.vertices.size());
    parallelFor(mContext, positions.size(), kChunk,
                [&](size_t v) { positions[v] = mCut.vertices[v].position; });
    std::vector<size_t> starts;  // of the edges of each two cells
    for (size_t e = 0; e < mFaceEdges.size(); ++e)
      if (e == 0 || mFaceEdges[e].i != mFaceEdges[e - 1].i || mFaceEdges[e].j != mFaceEdges[e - 1].j)
        starts.push_back(e);
    const size_t pairs = starts.size();
    starts.push_back(mFaceEdges.size());
    std::vector<std::vector<std::vector<int32_t>>> faces(pairs);
    parallelRanges(mContext, pairs, 256, [&](size_t begin, size_t end) {
      std::vector<LoopEdge> edges;
      for (size_t p = begin; p < end; ++p) {
        edges.clear();
        for (size_t e = starts[p]; e < starts[p + 1]; ++e) edges.push_back(mFaceEdges[e].edge);
        const Vec3 normal = mSites[mFaceEdges[starts[p]].j] - mSites[mFaceEdges[starts[p]].i];
        faces[p] = facesFromLoops(linkLoops(edges, normal, positions), normal, positions);
      }
    });
    int32_t number = 0;
    for (size_t p = 0; p < pairs; ++p)
      for (std::vector<int32_t>& face : faces[p])
        mCut.addInsideFace(mFaceEdges[starts[p]].i, mFaceEdges[starts[p]].j, number++, std::move(face));
  }

  const Geometry& mSolid;
  const TriangleMesh& mMesh;
  Span<const Vec3> mSites;
  Context& mContext;
  Box3 mBox;
  ScorePredicates mPredicates;
  std::vector<VoronoiCell> mCells;
  std::vector<Key> mNodes;            // vertices of the diagram, by their four cells or box planes
  std::vector<PartitionEdge> mEdges;  // by their cells
  std::vector<std::array<int32_t, 3>> mEdgeCells;  // i < a < b: the edge runs along (p_a - p_i) x (p_b - p_i)
  ClippedSurface mSurface;
  std::vector<size_t> mPartStarts;    // of each part of the surface in mPartCorners, and the end
  std::vector<int32_t> mPartCorners;  // vertices of the cut
  std::vector<Key> mEdgeCuts;         // mesh edge a < b, cells i < j
  std::vector<Key> mTriangleCuts;     // triangle, cells i < j < k
  std::vector<Crossing> mCrossings;
  std::vector<FaceEdge> mFaceEdges;
  Cut mCut;
};

}  // namespace

Cut cutByVoronoi(const Geometry& solid, const TriangleMesh& mesh, Span<const Vec3> sites, Context& context) {
  if (sites.size() == 0) throw Error(ErrorCode::BadInput, "no sites to cut with");
  Cut cut = VoronoiCutter(solid, mesh, sites, context).run();
  joinCoincidentVertices(cut, context);
  return cut;
}

}  // namespace hackle
