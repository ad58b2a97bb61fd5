// The steps of repairSolid, in the order in which it takes them. Internal.
#pragma once

#include <hackle/meshing/repair/repair.h>
#include <hackle/meshing/repair/repair_mesh.h>

#include <string>
#include <vector>

namespace hackle::detail {

/// What no certain repair removes: the sentence of the error, and its remedy.
struct RepairObstacle {
  std::string message, remedy;
};

/// The mesh on its way, with what was done to it.
struct RepairRun {
  const RepairOptions& options;
  Context& context;
  RepairMesh mesh;
  double diagonal = 0;  // m, of the input's faces
  std::vector<RepairStep> steps;
  std::vector<RepairObstacle> obstacles;

  /// The step of that kind, made on first use.
  RepairStep& step(RepairAction action);
  /// Counts one change to a face.
  void note(RepairAction action, size_t face);
  /// Counts changes at a place.
  void note(RepairAction action, size_t count, const Vec3& place);
  void forget(RepairAction action);
  void refuse(std::string message, std::string remedy);
};

/// "(1, 2.5, 0)"
std::string placeText(const Vec3& place);

// Faces -------------------------------------------------------------------------------------------------
/// Drops corners that repeat the one before and spikes a b a, then faces with fewer than three corners.
void mendCorners(RepairRun& run);
/// Joins the points of edges without length.
void collapseEmptyEdges(RepairRun& run);
/// Keeps one of faces with the same points. Whether pairs of opposite faces are walls is left open: the
/// face that stays is marked two-sided.
void dropDuplicateFaces(RepairRun& run);
/// Drops two-sided faces where what is around them is closed without them; the others stay as plain faces.
/// Refuses two-sided sheets with an edge of their own.
void dropWalls(RepairRun& run);
/// Triangles without height give their middle corner to the face across their longest edge.
void absorbSlivers(RepairRun& run);

// Open edges --------------------------------------------------------------------------------------------
bool hasOpenEdges(const RepairRun& run);
/// Joins the points of open edges whose ends lie within `tolerance` (m) of each other's.
void weldOpenEdges(RepairRun& run, double tolerance);
/// Adds corners to open edges where points of other open edges lie on them, if that closes any.
void splitOpenEdges(RepairRun& run, double tolerance);

// Sides -------------------------------------------------------------------------------------------------
/// Where an odd number of faces, three or more, meet at edges: drops those that have solid on either side.
void dropInnerFaces(RepairRun& run);
/// Turns faces so that neighbours agree.
void orientFaces(RepairRun& run);
/// For each corner the one whose half-edge runs back along it, -1 where there is none. Around edges with more
/// than two faces those that bound the same wedge of a solid are paired.
std::vector<int32_t> pairHalfEdges(const RepairRun& run);
/// Closes the loops of half-edges without partner; adds the partners of the new faces.
void fillHoles(RepairRun& run, std::vector<int32_t>& partners);
/// Gives every fan of faces a point of its own, so that partners and only partners share an edge.
void splitPoints(RepairRun& run, const std::vector<int32_t>& partners);

/// Cuts faces of more than three corners into triangles where their diagonals, as triangulatePolygon draws
/// them, coincide with another edge or diagonal, so that the triangles form a manifold, too.
void cutSharedDiagonals(RepairRun& run);

// Shells ------------------------------------------------------------------------------------------------
/// Turns and drops whole shells. The mesh must be closed and manifold.
void sortShells(RepairRun& run);
/// Refuses surfaces with an edge that passes through a face. Those that only touch are no crossings.
void refuseCrossings(RepairRun& run);
/// Evens out a closed manifold around places where it crosses itself: for surfaces from level sets, where
/// folds are smaller than a voxel. Returns how many pairs of triangles still cross or touch.
size_t smoothCrossings(Geometry& surface, Context& context);

}  // namespace hackle::detail
