// Makes a crack one edge longer: an edge of the mesh is laid along the given direction, then opened.
#pragma once

#include <hackle/fracture/sheet/sheet_mesh.h>

#include <optional>
#include <vector>

namespace hackle {

/// What one increment of a crack did.
struct CrackIncrement {
  int32_t end = -1;               // the vertex that the crack has reached
  double length = 0;              // m, in the rest shape
  Vec3 direction = Vec3::Zero();  // of the increment, unit
  bool ended = false;             // it ran into a border or another crack: there is no tip any more
};

/// Any corner at a vertex, -1 if no face has it.
int32_t cornerAt(const SheetMesh& mesh, int32_t vertex);

/// Lays an edge from the vertex in that direction (tangent to the rest shape) to the opposite side of the
/// face that it enters: a vertex near the ray is moved onto it, or the side is split. Gives the other end;
/// nothing is opened. No value if the direction leads out of the sheet. `movable` says which vertices may be
/// moved.
std::optional<int32_t> layEdge(SheetMesh& mesh, int32_t vertex, const Vec3& direction,
                               const std::vector<uint8_t>& movable);

/// Opens the edge between two neighbours at that time.
void openEdge(SheetMesh& mesh, int32_t from, int32_t to, double time);

/// layEdge and openEdge. The vertex is a tip, or lies on a border.
std::optional<CrackIncrement> extendCrack(SheetMesh& mesh, int32_t vertex, const Vec3& direction,
                                          const std::vector<uint8_t>& movable, double time);

/// Cuts from the vertex nearest to one point to about another, both near the rest shape: a crack that is
/// there from the beginning, with the accuracy of one edge. Gives its ends that are tips, none if nothing
/// could be cut.
std::vector<int32_t> cutLine(SheetMesh& mesh, const Vec3& from, const Vec3& to,
                             const std::vector<uint8_t>& movable, double time);

}  // namespace hackle
