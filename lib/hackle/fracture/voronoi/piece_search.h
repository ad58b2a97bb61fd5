// Into how many pieces a strain energy breaks a body.
#pragma once

#include <hackle/fracture/voronoi/lloyd.h>

namespace hackle {

struct PieceSearchOptions {
  double threshold = 1.0;  // gamma, J m^2; above 0
  size_t maximum = 1000;   // pieces at most
  LloydOptions lloyd;
};

struct PieceSearch {
  size_t pieces = 1;       // N
  double wholeEnergy = 0;  // E_D of one piece, J m^2
  size_t evaluations = 0;  // diagrams that the search computed
  bool capped = false;     // E_D is still above the threshold with `maximum` pieces
  CentroidalCells cells;   // of that many pieces
};

/// The least N whose diagram leaves less than the threshold, [Schvartzman14] eq. 2: doubled from 1 until it
/// does, then bisected. E_D of each N depends on nothing else (`centroidalCells`), so a higher threshold
/// never gives more pieces, and more energy of the same shape never fewer. One piece where the energy is
/// zero.
PieceSearch searchPieces(const Embedding& embedding, const NodeGraph& graph, Span<const double> energies,
                         const PieceSearchOptions& options, Context& context);

}  // namespace hackle
