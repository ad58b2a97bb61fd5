// The connected solids among the faces of a cut.
#pragma once

#include <hackle/core/context.h>
#include <hackle/meshing/cutter.h>

#include <vector>

namespace hackle {

/// Faces of a cut by piece: piece p has faces[starts[p]] to starts[p + 1], in the order of the cut.
struct PieceFaces {
  std::vector<int32_t> starts{0};
  std::vector<int32_t> faces;
  std::vector<double> volumes;  // m^3

  size_t count() const { return volumes.size(); }
};

/// Faces that share an edge are in one piece; a surface that is inside out (a cavity) joins the piece of its
/// cell around it. Pieces are in the order of their cells. Error(Internal) if some edge of a cell has not
/// exactly one face on either side.
PieceFaces connectPieces(const Cut& cut, Context& context);

}  // namespace hackle
