// Parameters for boundary conditions, as operators that load a solid share them.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/ops/parameter_table.h>

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

}  // namespace hackle
