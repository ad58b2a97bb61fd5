// Makes a solid of a dirty surface, or says why that is not possible.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <optional>
#include <string>
#include <vector>

namespace hackle {

/// The defaults do only what is certain. Lengths are relative to the diagonal of the bounding box, so that a
/// scaled surface gives the scaled result.
struct RepairOptions {
  /// Points on open edges are joined if that closes the edges and they are no farther apart than this.
  double weldTolerance = 1e-6;
  /// Holes with up to this many edges are filled; 0 fills none.
  int fillHoles = 0;
  /// Larger holes than this are not filled.
  double fillDiameter = 1.0;
  /// Turn faces so that neighbours agree and the outside is outside. Otherwise such faces are refused.
  bool orient = true;
  /// Inward shells inside a solid stay as cavities; otherwise they are dropped.
  bool keepCavities = true;
  /// Let surfaces that cross themselves or each other pass (and do not look for crossings).
  bool allowCrossings = false;
  /// What cannot be repaired otherwise becomes the level set of its winding number.
  bool resurface = false;
  std::optional<double> voxelSize;  // m, for resurfacing; not set: 1/150 of the diagonal
};

enum class RepairAction {
  LeaveOutPrimitives,
  DropUnusedPoints,
  WeldPoints,
  MoveAttributes,
  SplitOpenEdges,
  MendCorners,
  DropDegenerateFaces,
  DropDuplicateFaces,
  DropWalls,
  DropInnerFaces,
  TurnFaces,
  FillHoles,
  SplitPoints,
  CutFaces,
  DropFlatShells,
  DropRepeatedShells,
  TurnShells,
  DropNestedShells,
  FillCavities,
  Resurface,
};
/// "leave_out_primitives", "weld_points", ...
const char* repairActionName(RepairAction action);

/// One kind of change. `message` is a sentence with the count and the first places.
struct RepairStep {
  RepairAction action = RepairAction::WeldPoints;
  size_t count = 0;
  std::vector<int32_t> primitives;  // of the input, the first few concerned
  std::vector<Vec3> places;         // m, the first few
  std::string detail;               // names of attributes
  std::string message;
};

/// `geometry` is closed, 2-manifold, consistently oriented and encloses a positive volume. It is the input
/// itself, bit by bit, if there are no steps.
struct RepairResult {
  Geometry geometry;
  std::vector<RepairStep> steps;
};

/// Polygons become a solid by, in this order:
/// - leaving out primitives that are no polygons and points that no face uses;
/// - joining points of open edges that lie on each other, and adding corners where a point lies on an open
///   edge; all other points stay, so solids that touch do not grow together;
/// - dropping repeated corners, faces without area (their neighbour takes over the corner, so that no hole
///   opens), repeated faces, walls without thickness between parts of a solid, and other faces
///   with solid on either side;
/// - turning faces until neighbours agree, and pairing faces around edges with more than two of them by
/// angle,
///   so that solids that touch along an edge or at a point come apart, each closed;
/// - cutting polygons whose triangles would share a diagonal;
/// - filling holes (new faces are in the primitive group `filled`);
/// - turning shells outwards; dropping those without volume, copies, and those inside of a solid that has the
///   same orientation. A shell inside another of opposite orientation is a cavity.
/// Parts with different names (primitive attribute `name`) are different solids: nothing is dropped because
/// of another name.
///
/// Each step gives a warning. Error(BadInput) that names the place and the remedy for points that are not
/// finite and for all that cannot be repaired with certainty, unless `resurface` is set: then the surface is
/// made anew, attributes come from the closest point of the old one, and N is dropped.
/// repairSolid(repairSolid(x)) equals repairSolid(x).
RepairResult repairSolid(const Geometry& input, const RepairOptions& options, Context& context);

}  // namespace hackle
