#include <hackle/fracture/crack/pieces/crack_pieces.h>
#include <hackle/fracture/crack/pieces/cut_along_cracks.h>

#include <algorithm>
#include <cmath>

namespace hackle {

CracksCut cutAlongCracks(const Solid& solid, const CrackSolver& solver, const CrackOptions& resolution,
                         const CrackPieceOptions& options, Context& context) {
  CracksCut result;
  const std::vector<RecordedCrack> records = solver.records();
  if (records.empty()) return result;
  CutPieceOptions pieceOptions = options.cut;
  pieceOptions.pieces.minVolume = pieceOptions.minVolumeShare * solid.mass.volume;
  CrackCutOptions cutOptions;
  cutOptions.threshold = options.threshold;
  cutOptions.tolerance = options.tolerance;
  cutOptions.minVolume =
      std::max(pieceOptions.pieces.minVolume, std::pow(options.smallest * resolution.coarse, 3));
  cutOptions.ligament = options.ligament * resolution.coarse;
  if (options.maxPieces) cutOptions.most = std::max<size_t>(1, *options.maxPieces);
  // The cut may part what the grid sees as one: then there are fewer parts to cut.
  for (;;) {
    const CrackPartition partition(solver.surfaceTree(), records, cutOptions, context);
    result.crumbs = partition.crumbs();
    if (partition.whole()) return result;
    Cut cut = partition.cut(solid.geometry, solid.mesh, context);
    pieceOptions.pieces.minVolume = std::max(cutOptions.minVolume, partition.crumbVolume());
    FracturePieces pieces = unfinishedPiecesOfCut(solid.geometry, solid.mesh, solid.mass.volume,
                                                  std::move(cut), pieceOptions, context);
    if (options.maxPieces && pieces.names.size() > *options.maxPieces && cutOptions.most > 1) {
      --cutOptions.most;
      continue;
    }
    addCrackAttributes(pieces, partition, options.cut.pieces.insideGroup, context);
    result.pieces = std::move(pieces);
    return result;
  }
}

}  // namespace hackle
