// A coarse lattice that strictly encloses any triangles: the cage in which engines embed an artist's surface.
#pragma once

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/lattice/lattice.h>

namespace hackle {

struct EnclosingOptions {
  std::optional<double> cellSize;      // m, edge of the lattice's cubes; not set: from `cells`
  double cells = 24;                   // cubes along the longest side of the input's box
  std::optional<double> interiorSize;  // m, edge that cubes may grow to inside; not set: all are equal
  /// m, distance of the cage from the input to try first; not set: a quarter of a cube. It grows as far as
  /// the cage needs, to 1.4 cubes at most.
  std::optional<double> offset;
  bool fillCavities = true;  // no hollows that cannot be reached from outside
};

struct EnclosingLattice {
  TetLattice lattice;
  double cellSize = 0;   // m, as used
  double offset = 0;     // m, of the level that was stuffed
  double clearance = 0;  // m, smallest distance between the boundary and the input; above 0
  int rounds = 0;        // offsets that were tried
};

/// Every triangle of the input, open, crossing, repeated or degenerate, lies inside the lattice, away from
/// its boundary; proven by a test of every triangle near the boundary before it returns. The lattice is that
/// of `stuffLattice` for the distance from the input minus an offset, with what the winding number (of either
/// orientation) takes for inside, so it has its angles and a 2-manifold boundary that does not cross itself.
///
/// Where the input is thinner than the lattice can see, the first offsets may not do; the last one always
/// does: a tetrahedron with a point of the input has no vertex farther than one cube from it, so with an
/// offset of more than 1 + 0.3985 sqrt(3)/2 = 1.346 cubes none is moved or cut. [Sellan22] algorithm 2
/// searches for an offset too, but has no bound for it and decimates, joins and tetrahedralizes anew each
/// time.
///
/// Error(BadInput) without triangles; Error(Usage) for sizes that are not positive. Triangles with a corner
/// that is not finite are left out.
EnclosingLattice enclosingLattice(const TriangleMesh& soup, const EnclosingOptions& options,
                                  Context& context);

/// The same with about the wanted number of tetrahedra (to 12 % where the shape allows it): a guess of the
/// size of cubes, corrected by what it gives.
EnclosingLattice enclosingLatticeOfSize(const TriangleMesh& soup, size_t tetrahedra, bool fillCavities,
                                        Context& context);

/// Smallest distance between the boundary of a lattice and the triangles if all of them lie inside it; not
/// set if one does not.
std::optional<double> enclosingClearance(const TetLattice& lattice, const TriangleMesh& soup,
                                         Context& context);

}  // namespace hackle
