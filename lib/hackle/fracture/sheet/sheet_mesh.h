// The triangles of a sheet: where they rest and where they are, how they are connected, what each remembers.
#pragma once

#include <hackle/core/error.h>
#include <hackle/geometry/vec.h>

#include <array>
#include <cstdint>
#include <vector>

namespace hackle {

/// What a face remembers of what happened to it. Tensors are symmetric, in the space of the rest shape, and
/// act in the plane of the face only.
struct SheetHistory {
  double thickness = 1e-3;              // m, now: plastic flow thins
  Mat3 stretch = Mat3::Identity();      // plastic stretch U_p
  Mat3 curvature = Mat3::Zero();        // plastic curvature S_p, 1/m
  Mat3 strainBefore = Mat3::Zero();     // elastic strain at the start of the step, for damping
  Mat3 curvatureBefore = Mat3::Zero();  // elastic curvature at the start of the step, 1/m
  double work = 0.0;                    // plastic work so far, J per m^2 of the rest shape
};

enum class SheetEdgeKind : uint8_t {
  Inner,   // between two faces, or a border of the sheet as it was given
  Crack,   // a border that a crack made
  Locked,  // between two faces, must stay an edge (the path of a crack to come)
};

/// Corner c of a face f has the number 3 f + c and stands for the edge opposite to it, which runs from corner
/// c + 1 to corner c + 2. All state that remeshing must carry along is here.
class SheetMesh {
 public:
  /// Everything that is interpolated to a new vertex.
  std::array<std::vector<Vec3>*, 7> vertexArrays() {
    return {&rest, &x, &v, &xBefore, &vBefore, &inertial, &coast};
  }

  // Vertices ----------------------------------------------------------------------------------------------
  std::vector<Vec3> rest;              // m, on the rest shape ("material space")
  std::vector<Vec3> x, v;              // m and m/s, now
  std::vector<Vec3> xBefore, vBefore;  // at the end of the step before (BDF2)
  std::vector<Vec3> inertial, coast;   // of the step that is being solved: README eq. (8)
  // Faces -------------------------------------------------------------------------------------------------
  std::vector<Triangle> faces;                 // a face with corner -1 is dead until `compact`
  std::vector<std::array<int32_t, 3>> across;  // the corner on the other side of the edge, -1 at a border
  std::vector<std::array<int32_t, 3>> edges;   // the edge opposite to each corner
  std::vector<SheetHistory> history;
  // Edges -------------------------------------------------------------------------------------------------
  std::vector<Vec3> director;  // unit, perpendicular to the edge: the normal of the sheet along it
  std::vector<SheetEdgeKind> kind;
  std::vector<double> crackTime;  // s at which the edge became a crack; -1 for all others

  /// Pairs of vertices that were one before a crack opened between them; what bridges cracks (an interlayer)
  /// pulls at them.
  std::vector<Edge> twins;
  /// Per vertex: on a crack whose sides have been apart, so that they collide from then on.
  std::vector<uint8_t> parted;

  size_t vertexCount() const { return rest.size(); }
  size_t faceCount() const { return faces.size(); }
  size_t edgeCount() const { return director.size(); }

  /// From triangles at rest, at that place, of one thickness. Error(BadInput) that names the face or the edge
  /// where three faces meet, faces disagree on the side, or a face has no area.
  static SheetMesh make(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                        double thickness);

  bool dead(int32_t face) const { return faces[face][0] < 0; }
  int32_t cornerVertex(int32_t corner) const { return faces[corner / 3][corner % 3]; }
  static int32_t next(int32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }
  static int32_t previous(int32_t corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }
  int32_t acrossOf(int32_t corner) const { return across[corner / 3][corner % 3]; }
  int32_t edgeOf(int32_t corner) const { return edges[corner / 3][corner % 3]; }
  /// Any corner at each vertex, -1 where there is none; on a border the one from which `fan` reaches all.
  std::vector<int32_t> cornerOfVertices() const;
  /// Corners at the vertex of `corner`, counter-clockwise from the border or from `corner`.
  std::vector<int32_t> fan(int32_t corner) const;
  bool onBorder(int32_t corner) const;

  Vec3 restNormal(int32_t face) const;
  Vec3 normal(int32_t face) const;
  double restArea(int32_t face) const;
  double restLength(int32_t corner) const;  // of the edge opposite to it

  // Changes of topology. Masses follow from faces: all keep the sum of mass and of momentum up to the
  // interpolation of velocities, `splitEdge` and `unglue` exactly (README, section 6). --------------------
  /// A vertex on the edge opposite to `corner`, at part t from its start; gives its number.
  int32_t splitEdge(int32_t corner, double t);
  /// Replaces the edge by the other diagonal of its two faces. The caller checks that it may.
  void flipEdge(int32_t corner);
  /// Removes the vertex at the start of the edge opposite to `corner`, pulling its faces to the end of it.
  /// The caller checks that it may.
  void collapseEdge(int32_t corner);
  /// Opens the edge opposite to `corner` at that time; ends that nothing else connects get copies.
  void unglue(int32_t corner, double time);
  /// Drops dead faces and what nobody uses. `vertexMap`, if given, gets the new number of each old vertex, -1
  /// for those that are gone.
  void compact(std::vector<int32_t>* vertexMap = nullptr);

  /// kg per vertex: a third of each face's mass; `density` in kg/m^3.
  std::vector<double> masses(double density) const;
  /// Throws Error(Internal) if the arrays contradict each other. For tests.
  void checkInvariants() const;

 private:
  int32_t addVertexBetween(int32_t a, int32_t b, double t);
  int32_t addEdge(const Vec3& normal, SheetEdgeKind kind, double time);
  int32_t addFace(const Triangle& corners, int32_t historyOf);
  void link(int32_t cornerA, int32_t cornerB);
  void separateFans(int32_t cornerA, int32_t cornerB);
};

}  // namespace hackle
