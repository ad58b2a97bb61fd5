// Boundary conditions of a solid, chosen on the artist's surface and carried to the mesh that is solved on.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/core/value.h>
#include <hackle/fracture/solve_mesh.h>

#include <vector>

namespace hackle {

/// What a condition came to.
struct AppliedCondition {
  std::string name;            // "condition 2 (force on group top)"
  bool support = false;        // a displacement
  double area = 0;             // m^2, of its region on the solid
  double meshArea = 0;         // m^2, of the faces that it acts on in the mesh
  Vec3 asked = Vec3::Zero();   // N, force of a load on the solid
  Vec3 force = Vec3::Zero();   // N, as applied to the mesh
  Vec3 centre = Vec3::Zero();  // m, of the region
  Vec3 moment = Vec3::Zero();  // N m about it, as applied
};

/// An edge length that is wanted at a place.
struct WantedEdge {
  Vec3 place = Vec3::Zero();
  double edge = 0;  // m
};

struct SurfaceConditions {
  BoundaryData data;
  std::vector<AppliedCondition> applied;  // per condition
  /// Where the mesh is too coarse for the borders of supports: edges with which a tenth of a support's area
  /// would be held beside it or not at all. How a support turns depends on its width.
  std::vector<WantedEdge> borders;
};

/// Error(BadInput) for a condition whose region names groups or attributes that are not there, or meets no
/// face, and for conditions that contradict each other: what can be said before a mesh is made. `edge` (m) is
/// about that of the mesh to come; `given` is a mesh to solve on, or null.
void checkConditions(const Solid& solid, const Geometry* given,
                     const std::vector<BoundaryCondition>& conditions, double edge, Context& context);

/// What the conditions say on the mesh that is solved on. Regions are chosen on the solid's own faces, of
/// which long ones are split first. On a coarse mesh loads have exactly the force and moment that they have
/// on the solid, and supports the faces that they cover by half or more (load_transfer.h). Groups and
/// attributes of a given mesh take precedence over those of the solid; regions that name these are of its
/// faces.
SurfaceConditions conditionsOn(const SolveMesh& mesh, const BemSurface& surface,
                               const std::vector<BoundaryCondition>& conditions, Context& context);

/// Warns of supports that the mesh holds over an area much larger or smaller than that of their region: how a
/// solid bends and turns on a narrow support depends on its width.
void warnOfSupports(const std::vector<AppliedCondition>& applied, Context& context);

/// As reports list them.
Value conditionReport(const std::vector<AppliedCondition>& applied);

}  // namespace hackle
