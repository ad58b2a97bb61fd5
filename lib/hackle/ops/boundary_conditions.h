// Boundary conditions, as operators that load a solid share them.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/ops/parameter_table.h>
#include <hackle/ops/solve_mesh.h>

namespace hackle {

enum class ConditionAxes { XYZ, X, Y, Z, XY, YZ, XZ };

struct ConditionRecord {
  ConditionKind kind = ConditionKind::Displacement;
  Vec3 displacement = Vec3::Zero();
  ConditionAxes axes = ConditionAxes::XYZ;
  Vec3 traction = Vec3::Zero();
  Vec3 force = Vec3::Zero();
  double pressure = 0;
  SurfaceRegion region;
};

/// Rows for a list of conditions.
ParameterTable<ConditionRecord> conditionTable();
BoundaryCondition conditionOf(const ConditionRecord& record);

/// What the conditions say on the mesh that is solved on. Groups and attributes of a given mesh go before
/// those of the solid. A region that is smaller than faces of a coarse mesh gets the nearest ones, with a
/// warning.
BoundaryData boundaryDataOn(const SolveMesh& mesh, const BemSurface& surface,
                            const std::vector<BoundaryCondition>& conditions, Context& context);

}  // namespace hackle
