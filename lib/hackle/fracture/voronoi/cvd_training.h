// Learns into how many pieces hits break a solid, by dropping it ([Schvartzman14] section 4).
#pragma once

#include <hackle/fracture/voronoi/cvd_state.h>
#include <hackle/fracture/voronoi/drop_examples.h>

namespace hackle {

struct CvdTrainingOptions {
  size_t orientations = 64;         // in which the solid is dropped to learn from
  size_t heldOut = 18;              // further ones that only test the model
  double lowest = 0.5;              // m, of the heights
  double highest = 3.0;             // m
  size_t heights = 6;               // from the lowest to the highest by equal factors
  size_t repeats = 3;               // random starts in each drop; the number of pieces is their mean
  std::optional<double> threshold;  // gamma, J m^2; not set: that by which a drop gives about `pieces`
  size_t pieces = 20;               // of a drop from a middle height, if the threshold is not set
  size_t maxPieces = 500;
  PieceCountModelOptions model;
  uint64_t seed = 0;
};

struct CvdTraining {
  PieceCountModel model;
  std::vector<double> heights;    // m
  DropExamples learned, heldOut;  // orientations first, heights within
  double heldOutError = 0;        // mean relative error of the model on `heldOut`
};

/// Drops the solid of `state` and learns the number of pieces from its strain energies. Error(Usage) if
/// highest is below lowest, Error(BadInput) for fewer than three drops, Error(Failed) if they strain nothing.
CvdTraining trainCvd(const CvdState& state, const CvdTrainingOptions& options, const ExampleStore& store,
                     Context& context);

}  // namespace hackle
