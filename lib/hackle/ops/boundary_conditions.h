// Boundary conditions and the mesh to solve on, as operators that load a solid share them.
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

/// The closed surface, checked, and the mesh that is solved on.
struct SolveMesh {
  Geometry solid;
  TriangleMesh mesh;            // of the solid
  TriangleMesh solved;          // the same, or a coarse copy
  std::vector<int32_t> source;  // per triangle of `solved`: the triangle of `mesh` that lies nearest
  bool coarse = false;

  size_t bytes() const;
};

/// The solid of an input, and a mesh of about `triangles` for it if it has more. Error(BadInput) for surfaces
/// that cannot be solved on. Kept in the run's memo.
SolveMesh solveMesh(const Geometry& input, size_t triangles, Context& context);

/// What the conditions say on the mesh that is solved on.
BoundaryData boundaryDataOn(const SolveMesh& mesh, const BemSurface& surface,
                            const std::vector<BoundaryCondition>& conditions);

}  // namespace hackle
