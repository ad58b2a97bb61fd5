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

  void buildDiagramEdges() {
    struct End {
      std::array<int32_t, 3> cells;
      Key node;
      bool isStart;
    };
    std::vector<End> ends;
    for (size_t c = 0; c < mCells.size(); ++c) {
      mContext.checkCancel();
      const int32_t cell = static_cast<int32_t>(c);
      for (const auto& vertex : mCells[c].vertices) {
        const Key node = nodeKey(cell, vertex);
        mNodes.push_back(node);
        for (size_t k = 0; k < 3; ++k) {
          const int32_t x = vertex[k], y = vertex[(k + 1) % 3];
          const int32_t a = std::min(x, y), b = std::max(x, y);
          if (cell < a && !mPredicates.isBoxPlane(b)) ends.push_back({{cell, a, b}, node, x == b});
        }
      }
    }
    checkNodesAgree();
    parallelStableSort(mContext, ends, [](const End& l, const End& r) { return l.cells < r.cells; });
    HACKLE_ASSERT(ends.size() % 2 == 0);
    for (size_t e = 0; e < ends.size(); e += 2) {
      HACKLE_ASSERT(ends[e].cells == ends[e + 1].cells && ends[e].isStart != ends[e + 1].isStart);
      PartitionEdge edge{indexOf(mNodes, ends[e].node), indexOf(mNodes, ends[e + 1].node)};
      if (!ends[e].isStart) std::swap(edge.start, edge.end);
      mEdges.push_back(edge);
      mEdgeCells.push_back(ends[e].cells);
    }
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
    for (const ClippedTriangle& part : mSurface.parts) {
      mContext.checkCancel();
      for (size_t k = 0; k < part.lines.size(); ++k) {
        const int32_t before = part.lines[k], after = part.lines[(k + 1) % part.lines.size()];
        if (before < 0 && after < 0) continue;
        if (before < 0 || after < 0) {
          mEdgeCuts.push_back(edgeCutKey(part, std::min(before, after), std::max(before, after)));
        } else {
          mTriangleCuts.push_back(triangleCutKey(part, before, after));
          if (part.cell < std::min(before, after))
            mCrossings.push_back({{part.cell, std::min(before, after), std::max(before, after)},
                                  part.triangle,
                                  before < after});
        }
      }
    }
    sortUnique(mContext, mEdgeCuts);
    sortUnique(mContext, mTriangleCuts);
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
    input.nodePosition = [&](int32_t n) {
      const auto& [i, j, k, l] = mNodes[n];
      return mPredicates.vertexPosition(i, j, k, l);
    };
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
    for (const ClippedTriangle& part : mSurface.parts) {
      mContext.checkCancel();
      const size_t n = part.lines.size();
      for (size_t k = 0; k < n; ++k)
        if (part.lines[k] > part.cell)
          mFaceEdges.push_back(
              {part.cell, part.lines[k], {cornerVertex(part, k), cornerVertex(part, (k + n - 1) % n)}});
    }
    parallelStableSort(mContext, mFaceEdges, std::less<FaceEdge>());
  }

  // Coordinates and faces -------------------------------------------------------------------------------

  void placeVertices() {
    // A triangle at each cut edge, for attributes.
    std::vector<int32_t> edgeTriangle(mEdgeCuts.size(), -1);
    for (const ClippedTriangle& part : mSurface.parts)
      for (size_t k = 0; k < part.lines.size(); ++k) {
        const int32_t before = part.lines[k], after = part.lines[(k + 1) % part.lines.size()];
        if ((before < 0) == (after < 0)) continue;
        int32_t& t = edgeTriangle[indexOf(
            mEdgeCuts, edgeCutKey(part, std::min(before, after), std::max(before, after)))];
        if (t < 0) t = part.triangle;
      }
    const size_t total = mMesh.points.size() + mEdgeCuts.size() + mTriangleCuts.size() + mNodes.size();
    mCut.vertices.resize(total);
    CutVertex* out = mCut.vertices.data();
    for (size_t p = 0; p < mMesh.points.size(); ++p, ++out) {
      out->position = mMesh.points[p];
      out->point = static_cast<int32_t>(p);
    }
    const auto point = [&](int32_t p) -> const Vec3& { return mMesh.points[p]; };
    for (size_t e = 0; e < mEdgeCuts.size(); ++e, ++out) {
      const auto& [a, b, i, j] = mEdgeCuts[e];
      const double u = mPredicates.edgeParameter(a, b, i, j);
      out->position = (1.0 - u) * point(a) + u * point(b);
      out->triangle = edgeTriangle[e];
      const Triangle& t = mMesh.triangles[out->triangle];
      for (size_t c = 0; c < 3; ++c) out->barycentric[c] = t[c] == a ? 1.0 - u : t[c] == b ? u : 0.0;
    }
    for (size_t f = 0; f < mTriangleCuts.size(); ++f, ++out) {
      const auto& [t, i, j, k] = mTriangleCuts[f];
      const Triangle& corners = mMesh.triangles[t];
      out->triangle = t;
      out->barycentric = mPredicates.triangleParameter(corners, i, j, k);
      out->position = out->barycentric[0] * point(corners[0]) + out->barycentric[1] * point(corners[1]) +
                      out->barycentric[2] * point(corners[2]);
    }
    for (const auto& [i, j, k, l] : mNodes) (out++)->position = mPredicates.vertexPosition(i, j, k, l);
  }

  void addOutsideFaces() {
    size_t part = 0;
    std::vector<int32_t> corners;
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
            corners.clear();
            for (size_t k = 0; k < mSurface.parts[p].lines.size(); ++k)
              corners.push_back(cornerVertex(mSurface.parts[p], k));
            face.cell = mSurface.parts[p].cell;
            mCut.addFace(face, corners);
          }
        }
      }
      t = end;
    }
  }

  void addInsideFaces() {
    int32_t pairs = 0;
    std::vector<Vec3> positions;
    for (const CutVertex& v : mCut.vertices) positions.push_back(v.position);
    std::vector<LoopEdge> edges;
    for (size_t begin = 0; begin < mFaceEdges.size();) {
      mContext.checkCancel();
      const int32_t i = mFaceEdges[begin].i, j = mFaceEdges[begin].j;
      edges.clear();
      for (; begin < mFaceEdges.size() && mFaceEdges[begin].i == i && mFaceEdges[begin].j == j; ++begin)
        edges.push_back(mFaceEdges[begin].edge);
      const Vec3 normal = mSites[j] - mSites[i];
      for (std::vector<int32_t>& face :
           facesFromLoops(linkLoops(edges, normal, positions), normal, positions)) {
        mCut.addInsideFace(i, j, pairs++, std::move(face));
      }
    }
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
  std::vector<Key> mEdgeCuts;      // mesh edge a < b, cells i < j
  std::vector<Key> mTriangleCuts;  // triangle, cells i < j < k
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
