// The polygons under repair: faces that can be changed one by one and remember where they came from.
// Internal.
#pragma once

#include <hackle/geometry/mixture.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/union_find.h>

#include <string>
#include <utility>
#include <vector>

namespace hackle::detail {

struct RepairCorner {
  int32_t point = 0;
  Mixture vertex;  // of the input's vertices
};

struct RepairFace {
  int32_t first = 0;      // corner
  int32_t count = 0;      // of corners; 0: the face is removed
  int32_t primitive = 0;  // of the input, whose attributes it has
  bool reversed = false;  // turned over in this round of repair
  bool turned = false;    // turned over in earlier rounds
  bool twoSided = false;  // stood for a face and its reverse
  bool filled = false;    // closes a hole
};

/// A half-edge: corner `corner` of the mesh to the next one of its face.
struct EdgeUse {
  int32_t low = 0, high = 0;  // its points, low < high
  int32_t face = 0;
  int32_t corner = 0;
  bool forward = false;  // from low to high

  bool sameEdge(const EdgeUse& o) const { return low == o.low && high == o.high; }
};

class RepairMesh {
 public:
  /// Takes the polygons with three corners or more. The input must outlive this.
  explicit RepairMesh(const Geometry& input);

  const Geometry& input() const { return *mInput; }
  size_t faceCount() const { return mFaces.size(); }  // removed ones included
  size_t liveFaceCount() const;
  RepairFace& face(size_t f) { return mFaces[f]; }
  const RepairFace& face(size_t f) const { return mFaces[f]; }
  Span<const RepairCorner> corners(size_t f) const {
    return Span<const RepairCorner>(mCorners.data() + mFaces[f].first, static_cast<size_t>(mFaces[f].count));
  }
  std::vector<int32_t> facePoints(size_t f) const;
  /// The face that a corner belongs to, and its neighbours around that face.
  int32_t faceOf(int32_t corner) const { return mCornerFace[corner]; }
  int32_t nextCorner(int32_t corner) const;
  const RepairCorner& corner(int32_t corner) const { return mCorners[corner]; }
  size_t cornerCount() const { return mCorners.size(); }  // those of removed faces included

  size_t pointCount() const { return mPositions.size(); }
  const Vec3& position(int32_t point) const { return mPositions[point]; }

  /// Forgets what was turned over so far.
  void beginRound();
  void removeFace(size_t f) { mFaces[f].count = 0; }
  void setCorners(size_t f, const std::vector<RepairCorner>& corners);
  size_t addFace(const std::vector<RepairCorner>& corners, int32_t primitive);
  /// Turns a face over, keeping its first corner.
  void reverse(size_t f);
  /// Replaces each point by its set's name. Returns how many used points went.
  size_t joinPoints(UnionFind& sets);
  /// Puts a corner of the mesh on another point.
  void movePoint(int32_t corner, int32_t point) { mCorners[corner].point = point; }
  int32_t copyPoint(int32_t point);
  int32_t addPointBetween(int32_t a, int32_t b);
  /// In the middle of them.
  int32_t addPointAmong(const std::vector<int32_t>& points);

  /// Sorted by edge, then by corner. Edges between equal points are left out.
  std::vector<EdgeUse> edgeUses() const;
  /// Twice the area times the unit normal of the best-fit plane.
  Vec3 areaVector(size_t f) const;
  Vec3 middle(size_t f) const;
  /// The live faces in triangles of the mesh's points; `primitives` are face numbers.
  TriangleMesh triangles() const;
  /// Number of the face's piece: faces with the same `name` have the same. 0 without names.
  int32_t nameOf(size_t f) const;

  /// The live faces and the points they use. Point attributes that differ at joined points move to vertices;
  /// `moved` gets their names.
  Geometry geometry(std::vector<std::string>& moved) const;

 private:
  bool differsWhereJoined(const Attribute& attribute) const;
  void carryPointAttributes(const std::vector<int32_t>& pointOrder, const std::vector<Mixture>& vertices,
                            Geometry& result, std::vector<std::string>& moved) const;
  void carryEdgeGroups(const std::vector<Mixture>& vertices, Geometry& result) const;

  const Geometry* mInput;
  std::vector<RepairFace> mFaces;
  std::vector<RepairCorner> mCorners;
  std::vector<int32_t> mCornerFace;
  std::vector<Vec3> mPositions;
  std::vector<Mixture> mPointSources;                // of the input's points
  std::vector<std::pair<int32_t, int32_t>> mJoined;  // points of the input that became one
  std::vector<int32_t> mNames;                       // of input primitives; empty without names
};

/// Calls visit(uses) with the uses of each edge.
template <class Visit>
void forEachEdge(const std::vector<EdgeUse>& uses, const Visit& visit) {
  for (size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
    while (end < uses.size() && uses[end].sameEdge(uses[begin])) ++end;
    visit(Span<const EdgeUse>(uses.data() + begin, end - begin));
  }
}

}  // namespace hackle::detail
