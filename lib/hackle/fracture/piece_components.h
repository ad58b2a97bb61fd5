// The connected solids among the faces of a cut.
#pragma once

#include <hackle/core/context.h>
#include <hackle/meshing/cut/cut.h>

#include <vector>

namespace hackle {

/// Faces of a cut by piece: piece p has faces[starts[p]] to starts[p + 1], in the order of the cut.
struct PieceFaces {
  std::vector<int32_t> starts{0};
  std::vector<int32_t> faces;
  std::vector<double> volumes;  // m^3
  std::vector<Vec3> centres;    // of mass, m

  size_t count() const { return volumes.size(); }
};

/// Faces that share an edge are in one piece; a surface that is inside out (a cavity) joins the piece of its
/// cell around it. Pieces are in the order of their cells. DegenerateCut if some edge of a cell has not
/// exactly one face on either side.
PieceFaces connectPieces(const Cut& cut, Context& context);

/// Where two pieces touch, all faces together.
struct PieceContact {
  int32_t a = 0, b = 0;        // pieces, a < b
  double area = 0.0;           // m^2
  Vec3 centre = Vec3::Zero();  // of the area, m
  Vec3 normal = Vec3::Zero();  // mean, from a to b; zero if the faces cancel out
};

/// By piece a, then b.
std::vector<PieceContact> findContacts(const Cut& cut, const PieceFaces& pieces, Context& context);

/// Pieces of less than `minVolume` (m^3) join the neighbour with which they share the most area, smallest
/// first; the faces between them go. A piece without neighbours stays. Pieces keep their order.
PieceFaces joinSmallPieces(const Cut& cut, PieceFaces pieces, double minVolume, Context& context);

}  // namespace hackle
