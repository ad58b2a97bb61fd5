// An artist's surface inside a lattice of tetrahedra: loads go in and results come out by interpolation.
#pragma once

#include <hackle/geometry/bvh.h>
#include <hackle/mechanics/contact.h>
#include <hackle/meshing/lattice/tet_locator.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

/// Points of the lattice and their weights at a place; they are 0 or more and add up to 1.
struct LatticePlace {
  std::array<int32_t, 4> points{};
  std::array<double, 4> weights{};
};

/// Places within a lattice, which must outlive it. A place outside counts as the nearest one of the boundary,
/// so a lattice that cuts off the surface's edges still takes loads there.
class SurfaceEmbedding {
 public:
  SurfaceEmbedding(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context);

  LatticePlace place(const Vec3& position) const;
  std::vector<LatticePlace> places(Span<const Vec3> positions, Context& context) const;

  /// 3 #points nodal forces (N) of forces at places. Their sum is that of the forces; their torque too,
  /// where the places lie inside the lattice.
  Eigen::VectorXd nodalForces(Span<const PointForce> forces) const;

 private:
  Span<const Vec3> mPoints;
  Span<const Tetrahedron> mTetrahedra;
  TetLocator mLocator;
  std::vector<Triangle> mBoundary;
  TriangleBvh mBoundaryBvh;
};

/// Displacements (3 #points numbers) at places.
std::vector<Vec3> displacementsAt(Span<const LatticePlace> places, const Eigen::VectorXd& displacements);
/// Numbers of the points at places.
std::vector<double> valuesAt(Span<const LatticePlace> places, Span<const double> values);

}  // namespace hackle
