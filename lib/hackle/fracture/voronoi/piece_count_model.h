// Learning how many pieces a strain energy gives, from examples ([Schvartzman14] section 4).
#pragma once

#include <hackle/fracture/voronoi/embedding.h>

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace hackle {

/// One fracture that was computed.
struct PieceCountExample {
  std::vector<double> energies;  // J per node, those that break
  double wholeEnergy = 0;        // E_D of one piece, J m^2
  double pieces = 1;             // N, the mean over repetitions
  int32_t orientation = -1;      // of the drop
  double height = 0;             // m
};

/// E_D of one piece (J m^2): what is left of the energies around their centre in the embedding.
double wholeEnergy(const Embedding& embedding, Span<const double> energies);

struct PieceCountModelOptions {
  double pcaError = 0.02;     // share of the variance that the principal components may leave out
  size_t maxCentres = 90;     // of the network
  double targetError = 0.03;  // mean relative error on the examples at which centres are enough
};

/// A network of radial functions |x - c| over x = (log(E_D / gamma), principal components of the shares
/// sqrt(W / sum W) of the nodes): log N = bias + slope log(E_D / gamma) + sum of weight_i |x - c_i|.
///
/// Where we leave the paper: it feeds W itself and learns N. Energies grow with the 6/5th power of the height
/// and N with a power of the energy, so logarithms are nearly straight; and since N depends on W / gamma
/// alone, the model serves every gamma. Centres are also bounded by cross validation, not by the error on
/// the examples alone.
struct PieceCountModel {
  uint64_t fingerprint = 0;    // of the embedding on whose nodes it was trained
  double threshold = 0;        // gamma of the examples, J m^2
  Eigen::VectorXd mean;        // #nodes
  Eigen::MatrixXd components;  // #nodes x #components, orthonormal
  double componentScale = 1;   // makes components comparable to the logarithm
  Eigen::MatrixXd centres;     // #centres x (1 + #components)
  Eigen::VectorXd weights;     // #centres
  double bias = 0, slope = 0;
  double trend = 0;                // slope of log N over log(E_D / gamma) alone, to go beyond the examples
  double lowest = 0, highest = 0;  // log(E_D / gamma) of the examples
  double mostPieces = 1;           // of the examples
  double pcaError = 0;             // share of the variance that was left out
  double trainingError = 0;        // mean of |N' - N| / N on the examples
  size_t examples = 0;
};

/// Checks nothing but sizes: Error(BadInput) for fewer than three examples, or ones of different length.
/// Principal components by the examples' Gram matrix; centres are examples, chosen one by one by orthogonal
/// least squares [Chen91]: always the one that takes most of the error away.
PieceCountModel trainPieceCountModel(Span<const PieceCountExample> examples, double threshold,
                                     uint64_t fingerprint, const PieceCountModelOptions& options,
                                     Context& context);

/// N, 1 or more, not rounded. `extrapolates`, if given, tells whether E_D / gamma is beyond the examples; the
/// answer is then that of the nearest example's energy, carried on along the trend.
double predictPieceCount(const PieceCountModel& model, Span<const double> energies, double wholeEnergy,
                         double threshold, bool* extrapolates = nullptr);

/// Mean of |N' - N| / N.
double meanRelativeError(const PieceCountModel& model, Span<const PieceCountExample> examples);

/// Of the coordinates, bit by bit.
uint64_t embeddingFingerprint(const Embedding& embedding);

std::string writePieceCountModel(const PieceCountModel& model);
/// Error(BadInput) for bytes that are no model.
PieceCountModel readPieceCountModel(const std::string& bytes);

}  // namespace hackle
