// Boundary conditions as people give them, on regions of a surface.
#pragma once

#include <hackle/bem/boundary_data.h>
#include <hackle/bem/surface.h>
#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/triangle_mesh.h>

#include <string>

namespace hackle {

/// The faces that meet everything that is given; all faces if nothing is.
struct SurfaceRegion {
  std::string group;                 // primitive or point groups, by name, separated by blanks
  std::string attribute;             // primitive or point attribute (integers or strings) ...
  std::string value;                 // ... that has this value
  Vec3 low = Vec3::Constant(-1e30);  // m, box with all three corners; leave sides open for half-spaces
  Vec3 high = Vec3::Constant(1e30);  // m
  Vec3 at = Vec3::Zero();            // m, ball with the middle of the face, or the nearest face if there
  double radius = -1;                // m is none; negative: no ball
};

enum class ConditionKind {
  Displacement,  // m, of the components in `axes`; the others are free of traction: it slides
  Traction,      // Pa
  Force,         // N, spread evenly over the region
  Pressure,      // Pa, against the faces; value.x()
};

struct BoundaryCondition {
  ConditionKind kind = ConditionKind::Displacement;
  Vec3 value = Vec3::Zero();
  std::array<bool, 3> axes = {true, true, true};
  SurfaceRegion region;
};

/// The triangles of `target` in a region of `surface`; ascending. `source[t]` is the triangle of `mesh` (that
/// of `surface`) which lies nearest to triangle t of the target: t itself where they are the same. `name`
/// says which condition it is in errors: Error(BadInput) for an unknown group or attribute (with those that
/// there are) and for a region without faces.
std::vector<int32_t> trianglesIn(const SurfaceRegion& region, const std::string& name,
                                 const Geometry& surface, const TriangleMesh& mesh,
                                 const TriangleMesh& target, Span<const int32_t> source);

/// Loads on the same triangle add up. Error(BadInput) that names both conditions and some of the triangles or
/// nodes when a component has two different displacements, or a displacement and a load; also at nodes where
/// two regions meet. Triangles without condition are free.
BoundaryData boundaryData(const BemSurface& body, Span<const BoundaryCondition> conditions,
                          Span<const std::vector<int32_t>> triangles);

/// "condition 2 (force on group top)"; counts from 1.
std::string conditionName(const BoundaryCondition& condition, size_t index);

}  // namespace hackle
