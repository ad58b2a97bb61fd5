#include <hackle/fracture/voronoi/piece_count_model.h>

#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/linalg/dense.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr uint32_t kVersion = 1;
constexpr double kSpread = 0.5;  // how far components reach, beside one unit of log energy
constexpr double kTiny = 1e-300;

/// What the components are taken of: a vector of length 1 whatever the energy.
VectorXd shareVector(Span<const double> energies) {
  VectorXd x(static_cast<Index>(energies.size()));
  double sum = 0;
  for (const double e : energies) sum += e;
  for (size_t i = 0; i < energies.size(); ++i)
    x[static_cast<Index>(i)] = std::sqrt(std::max(energies[i], 0.0) / std::max(sum, kTiny));
  return x;
}

VectorXd inputOf(const PieceCountModel& model, const VectorXd& shares, double logEnergy) {
  VectorXd x(1 + model.components.cols());
  x[0] = logEnergy;
  x.tail(model.components.cols()) =
      model.componentScale * (model.components.transpose() * (shares - model.mean));
  return x;
}

double logRatio(double energy, double threshold) { return std::log(std::max(energy, kTiny) / threshold); }

/// Principal components until the rest is below the bound.
void findComponents(const MatrixXd& shares, double bound, PieceCountModel& model) {
  model.mean = shares.rowwise().mean();
  const MatrixXd centred = shares.colwise() - model.mean;
  const MatrixXd gram = centred.transpose() * centred;
  const SymmetricEigen eigen = symmetricEigen(gram);
  const VectorXd values = eigen.values.reverse().cwiseMax(0.0);
  const double total = values.sum();
  Index count = 0;
  double left = total;
  while (count < values.size() && left > bound * total && values[count] > 1e-12 * total)
    left -= values[count++];
  model.pcaError = total > 0 ? std::max(left, 0.0) / total : 0;
  model.components.resize(shares.rows(), count);
  for (Index k = 0; k < count; ++k) {
    VectorXd axis = centred * eigen.vectors.col(values.size() - 1 - k) / std::sqrt(values[k]);
    Index at = 0;
    axis.cwiseAbs().maxCoeff(&at);
    model.components.col(k) = axis[at] < 0 ? VectorXd(-axis) : axis;
  }
  const double spread = std::sqrt(total / static_cast<double>(shares.cols()));
  model.componentScale = spread > 0 ? kSpread / spread : 1;
}

/// Orthogonal least squares [Chen91]: columns of `regressors` are candidates, the first `always` are in from
/// the start.
class ForwardSelection {
 public:
  ForwardSelection(MatrixXd regressors, VectorXd target, Index always)
      : mColumns(std::move(regressors)), mOriginal(mColumns), mTarget(std::move(target)), mRest(mTarget) {
    for (Index k = 0; k < always; ++k) take(k);
  }

  /// Takes the candidate that lowers the error most; false if none does.
  bool step() {
    Index best = -1;
    double gain = 0;
    for (Index c = 0; c < mColumns.cols(); ++c) {
      if (std::find(mTaken.begin(), mTaken.end(), c) != mTaken.end()) continue;
      const double length = mColumns.col(c).squaredNorm();
      if (length <= 1e-10 * mOriginal.col(c).squaredNorm()) continue;
      const double dot = mColumns.col(c).dot(mRest);
      if (dot * dot / length > gain) {
        gain = dot * dot / length;
        best = c;
      }
    }
    if (best < 0) return false;
    take(best);
    return true;
  }

  const std::vector<Index>& taken() const { return mTaken; }
  double error() const { return mRest.squaredNorm(); }
  /// Generalised cross validation: the error per degree of freedom that is left, squared.
  double crossValidation() const {
    const double n = static_cast<double>(mTarget.size());
    const double left = n - static_cast<double>(mTaken.size());
    return left > 0 ? n * error() / (left * left) : std::numeric_limits<double>::infinity();
  }
  VectorXd fitted() const { return mTarget - mRest; }
  /// Weights of the first `count` that were taken.
  VectorXd weights(size_t count) const {
    const std::vector<Index> first(mTaken.begin(), mTaken.begin() + static_cast<std::ptrdiff_t>(count));
    return MatrixXd(mOriginal(Eigen::all, first)).colPivHouseholderQr().solve(mTarget);
  }

 private:
  void take(Index c) {
    mTaken.push_back(c);
    const double length = mColumns.col(c).norm();
    if (!(length > 0)) return;
    const VectorXd axis = mColumns.col(c) / length;
    mColumns -= axis * (axis.transpose() * mColumns).eval();
    mRest -= axis * axis.dot(mRest);
  }

  MatrixXd mColumns, mOriginal;
  VectorXd mTarget, mRest;
  std::vector<Index> mTaken;
};

void fitNetwork(const MatrixXd& inputs, const VectorXd& target, const PieceCountModelOptions& options,
                PieceCountModel& model, Context& context) {
  const Index n = inputs.rows();
  MatrixXd regressors(n, 2 + n);
  regressors.col(0).setOnes();
  regressors.col(1) = inputs.col(0);
  for (Index c = 0; c < n; ++c) regressors.col(2 + c) = (inputs.rowwise() - inputs.row(c)).rowwise().norm();
  ForwardSelection selection(std::move(regressors), target, 2);
  const auto meanError = [&] { return ((selection.fitted() - target).array().exp() - 1).abs().mean(); };
  model.trend = selection.weights(2)[1];
  size_t best = 2;
  double least = selection.crossValidation();
  while (selection.taken().size() < 2 + options.maxCentres && meanError() > options.targetError) {
    context.checkCancel();
    if (!selection.step()) break;
    if (selection.crossValidation() < least) {
      least = selection.crossValidation();
      best = selection.taken().size();
    }
  }
  const VectorXd weights = selection.weights(best);
  model.bias = weights[0];
  model.slope = weights[1];
  model.weights = weights.tail(static_cast<Index>(best) - 2);
  model.centres.resize(model.weights.size(), inputs.cols());
  for (size_t k = 2; k < best; ++k)
    model.centres.row(static_cast<Index>(k - 2)) = inputs.row(selection.taken()[k] - 2);
}

double evaluate(const PieceCountModel& model, const VectorXd& x) {
  double sum = model.bias + model.slope * x[0];
  for (Index c = 0; c < model.centres.rows(); ++c)
    sum += model.weights[c] * (model.centres.row(c).transpose() - x).norm();
  return sum;
}

}  // namespace

double wholeEnergy(const Embedding& embedding, Span<const double> energies) {
  HACKLE_ASSERT(energies.size() == embedding.size());
  std::vector<double> centre(embedding.dimensions, 0.0);
  double total = 0;
  for (size_t i = 0; i < energies.size(); ++i) {
    total += energies[i];
    for (size_t k = 0; k < embedding.dimensions; ++k) centre[k] += energies[i] * embedding.of(i)[k];
  }
  if (!(total > 0)) return 0;
  for (double& x : centre) x /= total;
  double sum = 0;
  for (size_t i = 0; i < energies.size(); ++i)
    sum += energies[i] * squaredDistance(embedding.of(i), centre.data(), embedding.dimensions);
  return sum;
}

PieceCountModel trainPieceCountModel(Span<const PieceCountExample> examples, double threshold,
                                     uint64_t fingerprint, const PieceCountModelOptions& options,
                                     Context& context) {
  if (examples.size() < 3)
    throw Error(ErrorCode::BadInput, fmt::format("{} examples are too few to learn from", examples.size()),
                "raise the number of orientations or heights");
  const size_t nodes = examples[0].energies.size();
  MatrixXd shares(static_cast<Index>(nodes), static_cast<Index>(examples.size()));
  VectorXd logEnergies(shares.cols()), target(shares.cols());
  PieceCountModel model;
  for (size_t e = 0; e < examples.size(); ++e) {
    if (examples[e].energies.size() != nodes)
      throw Error(ErrorCode::BadInput, "the examples are of different lattices");
    const auto i = static_cast<Index>(e);
    shares.col(i) = shareVector(examples[e].energies);
    logEnergies[i] = logRatio(examples[e].wholeEnergy, threshold);
    target[i] = std::log(std::max(examples[e].pieces, 1.0));
    model.mostPieces = std::max(model.mostPieces, examples[e].pieces);
  }
  model.fingerprint = fingerprint;
  model.threshold = threshold;
  model.examples = examples.size();
  model.lowest = logEnergies.minCoeff();
  model.highest = logEnergies.maxCoeff();
  findComponents(shares, options.pcaError, model);
  MatrixXd inputs(shares.cols(), 1 + model.components.cols());
  for (Index i = 0; i < shares.cols(); ++i)
    inputs.row(i) = inputOf(model, shares.col(i), logEnergies[i]).transpose();
  fitNetwork(inputs, target, options, model, context);
  model.trainingError = meanRelativeError(model, examples);
  return model;
}

double predictPieceCount(const PieceCountModel& model, Span<const double> energies, double wholeEnergy,
                         double threshold, bool* extrapolates) {
  if (extrapolates) *extrapolates = false;
  if (static_cast<Index>(energies.size()) != model.mean.size())
    throw Error(ErrorCode::BadInput, "the model was trained on another lattice");
  if (!(wholeEnergy > threshold)) return 1;  // one piece leaves less than gamma
  const double ratio = logRatio(wholeEnergy, threshold);
  const double inside = std::clamp(ratio, model.lowest, model.highest);
  if (extrapolates) *extrapolates = inside != ratio;
  const double log = evaluate(model, inputOf(model, shareVector(energies), inside)) +
                     std::max(model.trend, 0.0) * (ratio - inside);
  return std::max(1.0, std::exp(std::min(log, 20.0)));
}

double meanRelativeError(const PieceCountModel& model, Span<const PieceCountExample> examples) {
  double sum = 0;
  for (const PieceCountExample& e : examples)
    sum +=
        std::abs(predictPieceCount(model, e.energies, e.wholeEnergy, model.threshold) - e.pieces) / e.pieces;
  return examples.empty() ? 0 : sum / static_cast<double>(examples.size());
}

uint64_t embeddingFingerprint(const Embedding& embedding) {
  const auto* bytes = reinterpret_cast<const char*>(embedding.coordinates.data());
  return checksum64(std::string_view(bytes, embedding.coordinates.size() * sizeof(double)),
                    embedding.dimensions);
}

std::string writePieceCountModel(const PieceCountModel& model) {
  ArchiveWriter archive("cvd_train", kVersion);
  const auto span = [](const auto& m) { return Span<const double>(m.data(), static_cast<size_t>(m.size())); };
  const std::vector<int64_t> sizes{static_cast<int64_t>(model.fingerprint), model.components.cols(),
                                   model.centres.rows(), static_cast<int64_t>(model.examples)};
  archive.add("sizes", Span<const int64_t>(sizes));
  const std::vector<double> numbers{
      model.threshold, model.componentScale, model.bias,          model.slope,      model.lowest,
      model.highest,   model.pcaError,       model.trainingError, model.mostPieces, model.trend};
  archive.add("numbers", Span<const double>(numbers));
  archive.add("mean", span(model.mean));
  archive.add("components", span(model.components));
  archive.add("centres", span(model.centres));
  archive.add("weights", span(model.weights));
  return archive.finish();
}

PieceCountModel readPieceCountModel(const std::string& bytes) {
  const ArchiveReader archive(bytes, "cvd_train", kVersion);
  const std::vector<int64_t> sizes = archive.int64s("sizes");
  const std::vector<double> numbers = archive.float64s("numbers"), mean = archive.float64s("mean"),
                            components = archive.float64s("components"),
                            centres = archive.float64s("centres"), weights = archive.float64s("weights");
  const auto count = sizes.size() == 4 ? sizes[1] : -1;
  const bool good = sizes.size() == 4 && numbers.size() == 10 && count >= 0 && sizes[2] >= 0 &&
                    count <= static_cast<int64_t>(components.size()) + 1 &&
                    components.size() == mean.size() * static_cast<size_t>(count) &&
                    weights.size() == static_cast<size_t>(sizes[2]) &&
                    centres.size() == weights.size() * static_cast<size_t>(count + 1);
  if (!good) throw Error(ErrorCode::BadInput, "the sizes in the model do not fit together", "train it again");
  PieceCountModel model;
  model.fingerprint = static_cast<uint64_t>(sizes[0]);
  model.examples = static_cast<size_t>(sizes[3]);
  model.threshold = numbers[0];
  model.componentScale = numbers[1];
  model.bias = numbers[2];
  model.slope = numbers[3];
  model.lowest = numbers[4];
  model.highest = numbers[5];
  model.pcaError = numbers[6];
  model.trainingError = numbers[7];
  model.mostPieces = numbers[8];
  model.trend = numbers[9];
  model.mean = Eigen::Map<const VectorXd>(mean.data(), static_cast<Index>(mean.size()));
  model.components = Eigen::Map<const MatrixXd>(components.data(), model.mean.size(), count);
  model.weights = Eigen::Map<const VectorXd>(weights.data(), static_cast<Index>(weights.size()));
  model.centres = Eigen::Map<const MatrixXd>(centres.data(), model.weights.size(), count + 1);
  return model;
}

}  // namespace hackle
