#include <hackle/fracture/voronoi/piece_search.h>

#include <hackle/core/error.h>

#include <algorithm>

namespace hackle {

PieceSearch searchPieces(const Embedding& embedding, const NodeGraph& graph, Span<const double> energies,
                         const PieceSearchOptions& options, Context& context) {
  HACKLE_ASSERT(options.threshold > 0);
  PieceSearch result;
  const size_t maximum = std::clamp<size_t>(options.maximum, 1, embedding.size());
  const auto cellsOf = [&](size_t count) {
    ++result.evaluations;
    return centroidalCells(embedding, graph, energies, count, options.lloyd, context);
  };
  const auto holds = [&](const CentroidalCells& cells) { return cells.energy() < options.threshold; };

  result.cells = cellsOf(1);
  result.wholeEnergy = result.cells.energy();
  size_t fails = 0, suffices = 1;
  while (!holds(result.cells)) {
    fails = suffices;
    if (suffices == maximum) {
      result.pieces = maximum;
      result.capped = true;
      return result;
    }
    suffices = std::min(2 * suffices, maximum);
    result.cells = cellsOf(suffices);
  }
  while (suffices - fails > 1) {
    const size_t middle = fails + (suffices - fails) / 2;
    CentroidalCells cells = cellsOf(middle);
    if (holds(cells)) {
      suffices = middle;
      result.cells = std::move(cells);
    } else {
      fails = middle;
    }
  }
  result.pieces = suffices;
  return result;
}

}  // namespace hackle
