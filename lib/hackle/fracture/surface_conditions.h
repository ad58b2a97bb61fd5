// Boundary conditions of a solid, on the mesh that it is solved on.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/fracture/solve_mesh.h>

#include <vector>

namespace hackle {

/// What the conditions say on the mesh that is solved on. Groups and attributes of a given mesh take
/// precedence over those of the solid. A region that is smaller than the faces of a coarse mesh gets the
/// nearest ones, with a warning.
BoundaryData boundaryDataOn(const SolveMesh& mesh, const BemSurface& surface,
                            const std::vector<BoundaryCondition>& conditions, Context& context);

}  // namespace hackle
