// The pieces of a body after its cracks have grown, and why there is only one where that is so.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/solid.h>

#include <optional>

namespace hackle {

/// How a cracked body is cut. Lengths in units of the grids, as far as stress is resolved.
struct CrackPieceOptions {
  double threshold = 0.5;           // voxels: gaps between cracks that are narrower count as cracked
  double tolerance = 0.1;           // voxels by which inside faces may be off the cracks
  double smallest = 0.5;            // coarse resolutions: smaller crumbs join a neighbour
  double ligament = 0.5;            // coarse resolutions: narrower bridges between cracks break
  CutPieceOptions cut;              // what all engines share
  std::optional<size_t> maxPieces;  // at least 1: what would be more stays together

  CrackPieceOptions() { cut.minVolumeShare = 1e-5; }  // crumbs join a neighbour
};

struct CracksCut {
  std::optional<FracturePieces> pieces;  // without `depth`; not set: no crack goes through
  size_t crumbs = 0;                     // parts that came off but are too small, or too many, to be pieces
};

/// The solid along its cracks. `resolution` is that of the run.
CracksCut cutAlongCracks(const Solid& solid, const CrackSolver& solver, const CrackOptions& resolution,
                         const CrackPieceOptions& options, Context& context);

}  // namespace hackle
