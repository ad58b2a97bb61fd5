// Tetrahedra that fill a solid: a body-centred cubic lattice, cut along the surface, coarser inside if
// wanted.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/meshing/surface/solid_field.h>

#include <optional>
#include <vector>

namespace hackle {

struct LatticeOptions {
  double cellSize = 0.05;              // m, edge of the lattice's cubes along the surface
  std::optional<double> interiorSize;  // m, edge that cubes may grow to inside; not set: all are equal
  /// m, edge that the cubes around a place should have at most; never finer than `cellSize`. May be empty.
  ImplicitFunction sizeField;
  /// What is outside but cannot be reached from the bounds along the lattice is filled. Asks for the signs at
  /// all vertices within the bounds, as if there were no Lipschitz bound.
  bool fillCavities = false;
};

/// Tetrahedra of positive volume that meet face to face.
struct TetLattice {
  std::vector<Vec3> points;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<uint8_t> onSurface;  // 1 for points of the boundary
  std::vector<Triangle> boundary;  // a closed 2-manifold, counter-clockwise seen from outside
  size_t clampedPoints = 0;        // points that were held off the surface to keep the boundary manifold
};

/// Smallest and largest angle between two faces of a tetrahedron, in degrees, that the lattice can have.
constexpr double kLatticeMinDihedral = 10.7;
constexpr double kLatticeMaxDihedral = 164.8;

/// Isosurface stuffing [Labelle07]: lattice vertices that the surface passes too closely are moved onto it,
/// then the tetrahedra that it still crosses are cut by stencils. All dihedral angles lie between
/// kLatticeMinDihedral and kLatticeMaxDihedral whatever the function: only its signs at the lattice's
/// vertices and where it changes sign along edges are used (0 counts as outside). Surface points lie on
/// value = 0 to about 1e-4 cells, except `clampedPoints`. Parts thinner than a cube may be lost or come
/// apart, sharp edges are cut off by a part of a cube.
///
/// Where we leave the paper: every tetrahedron that is cut or moved belongs to the finest cubes, so the
/// bounds of the uniform lattice hold for the graded one too (the paper has 1.66 to 174.72 degrees there);
/// and where moving a vertex would pinch the boundary it stays in place, with the cuts around held off as far
/// as the angles need, so that the boundary is always a 2-manifold.
///
/// Empty if no vertex is inside. Error(Usage) for sizes that are not positive or too small for the bounds;
/// Error(BadInput) if the function is not finite or the solid reaches beyond the bounds; Error(Failed) if the
/// Lipschitz bound turns out to be wrong.
TetLattice stuffLattice(const SolidField& solid, const LatticeOptions& options, Context& context);

/// Tetrahedra with the point group `surface`.
Geometry latticeGeometry(const TetLattice& lattice);
/// The boundary as polygons on the points that it uses.
Geometry latticeBoundary(const TetLattice& lattice);

/// Faces that one tetrahedron has alone, counter-clockwise seen from outside, in the order of their
/// tetrahedra; only faces whose corners all have `candidate`, if given, are looked at.
std::vector<Triangle> boundaryFaces(Span<const Tetrahedron> tetrahedra, Span<const uint8_t> candidate,
                                    Context& context);

struct TetQuality {
  double minDihedral = 0, maxDihedral = 0;  // degrees; 0 without tetrahedra
  double volume = 0;                        // m^3
  double worstShape = 0;  // smallest of 3 inradius / circumradius: 1 regular, 0 flat, negative inverted
};
TetQuality tetQuality(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context);

}  // namespace hackle
