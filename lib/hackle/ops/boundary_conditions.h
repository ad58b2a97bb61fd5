// Boundary conditions and the mesh to solve on, as operators that load a solid share them.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/ops/parameter_table.h>

#include <optional>

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
  TriangleMesh mesh;              // of the solid
  TriangleMesh solved;            // the same, or a coarse copy
  std::vector<int32_t> source;    // per triangle of `solved`: the triangle of `mesh` that lies nearest
  bool coarse = false;            // `solved` is not a copy of `mesh`, whole or split
  std::optional<Geometry> given;  // the surface of `solved`, if it is not made from the solid

  size_t bytes() const;
};

struct SolveMeshOptions {
  size_t triangles = 1000;  // surfaces with more are solved on a coarse copy
  bool refine = false;      // those with fewer on a copy whose long edges are split
};

/// The solid of an input, and a mesh for it. Error(BadInput) for surfaces that cannot be solved on. Kept in
/// the run's memo.
SolveMesh solveMesh(const Geometry& input, const SolveMeshOptions& options, Context& context);
/// The same on a mesh that is given.
SolveMesh solveMesh(const Geometry& input, const Geometry& mesh, Context& context);

/// What the conditions say on the mesh that is solved on. Groups and attributes of a given mesh go before
/// those of the solid. A region that is smaller than faces of a coarse mesh gets the nearest ones, with a
/// warning.
BoundaryData boundaryDataOn(const SolveMesh& mesh, const BemSurface& surface,
                            const std::vector<BoundaryCondition>& conditions, Context& context);

}  // namespace hackle
