// Cracks that did not go through, for the pieces in which they ended.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>

namespace hackle {

/// The parts of the solver's coarse sheets that are inside of a piece, 0.1 r_c or more below its surface:
/// cracks that may go on growing in it. Open triangles whose places are floats; empty if there are none.
/// Sheets along the surface of the piece, which separated it, are left out. Rows of triangles at the surface
/// are left out, too: a crack that was open there starts just below it.
Geometry leftoverCracks(const CrackSolver& solver, const TriangleBvh& piece, double coarse);

}  // namespace hackle
