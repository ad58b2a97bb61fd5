#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/fracture/modes/l1_program.h>
#include <hackle/fracture/modes/mode_search.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hackle::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr size_t kSeedLevels = 9;  // sets taken from an initial guess
constexpr size_t kSetsPerCut = 8;  // sets taken from a minimum cut
constexpr size_t kPoolSize = 700;  // sets from which on the pool is thinned ...
constexpr size_t kPoolKept = 450;  // ... to the best of them
constexpr double kStill = 1e-9;    // M-norm of the change from one convex problem to the next

/// Whether the image of a mode is more than what the zigzags of a cut and of its image leave of it: that is
/// small, and in fewer elements than the cut has faces.
bool isNew(const VectorXd& left, double share, const VectorXd& image, const ElementGraph& graph) {
  constexpr double kRounding = 1e-6, kLarge = 0.1;  // of the squared norm
  constexpr double kPerFace = 1.5;                  // elements for each face
  if (share < kRounding) return false;
  if (share > kLarge) return true;
  const double half = 0.5 * left.cwiseAbs().maxCoeff();
  const auto elements = static_cast<double>((left.array().abs() > half).count());
  const double range = image.maxCoeff() - image.minCoeff();
  const auto isCut = [&](const std::array<int32_t, 2>& f) {
    return std::abs(image[f[0]] - image[f[1]]) > 1e-9 * range;
  };
  const auto faces = static_cast<double>(std::count_if(graph.faces.begin(), graph.faces.end(), isCut));
  return elements > kPerFace * faces;
}

}  // namespace

/// What one start keeps from one convex problem to the next.
struct ModeSearch::Work {
  CutPool pool;
  CutNetwork::Flow flow;
  std::vector<int32_t> basis;
};

ModeSearch::ModeSearch(const ElementGraph& graph, Index axis, MatrixXd seeds, const ModeOptions& options,
                       Context& context)
    : mNetwork(graph, axis),
      mMasses(Eigen::Map<const VectorXd>(graph.masses.data(), static_cast<Index>(graph.size()))),
      mSeeds(std::move(seeds)),
      mOptions(options),
      mPool(mNetwork, graph.masses),
      mModes(static_cast<Index>(graph.size()), 0) {
  for (Index s = 0; s < mSeeds.cols(); ++s) mPool.addLevels(mSeeds.col(s), kSeedLevels, context);
}

/// The cheapest combination of sets in the pool; then a minimum cut finds sets that would make it cheaper,
/// until there are none (README eq. 3, 4).
ConvexSolution ModeSearch::solveConvex(const VectorXd& guess, Work& work, Context& context) const {
  ConvexSolution solution;
  const VectorXd massTimesGuess = mMasses.cwiseProduct(guess);
  const Index rows = mModes.cols() + 1;
  const VectorXd target = VectorXd::Unit(rows, 0);
  for (int round = 0; solution.cuts < mOptions.maxCuts;) {
    context.checkCancel();
    MatrixXd columns(rows, static_cast<Index>(work.pool.size()));
    columns.row(0) = work.pool.sums(massTimesGuess, context).transpose();
    columns.bottomRows(rows - 1) = work.pool.functionSums();
    const L1Solution best = cheapestCombination(columns, work.pool.perimeters(), target, work.basis);
    if (!best.solved) {
      if (!enrich(work.pool, round++, context)) return solution;
      continue;
    }
    work.basis = best.basis;
    const VectorXd values = work.pool.combination(best.basis, best.weights);

    // A set that the prices value above its perimeter?
    VectorXd function = best.prices[0] * guess;
    if (rows > 1) function += mModes * best.prices.tail(rows - 1);
    const VectorXd supply = mMasses.cwiseProduct(function);
    const CutNetwork::Cut worst = mNetwork.largestExcess(supply, work.flow, context);
    ++solution.cuts;
    solution.objective = best.objective;
    solution.prices = best.prices;
    solution.gap = worst.excess * (values.maxCoeff() - values.minCoeff()) / best.objective;
    solution.converged = solution.gap <= mOptions.tolerance;
    if (solution.converged || work.pool.addParts(worst.inside, supply, kSetsPerCut, context) == 0) {
      solution.mode = piecewise(mNetwork, values);
      break;
    }
  }
  if (!solution.mode) return solution;
  while (joinPieces(*solution.mode, mNetwork, mMasses, mModes)) {
  }
  orthonormalise(*solution.mode, mMasses, mModes);
  solution.energy = solution.mode->variation();
  return solution;
}

ConvexSolution ModeSearch::solveConvex(const VectorXd& guess, Context& context) const {
  Work work{mPool, mNetwork.emptyFlow(), {}};
  return solveConvex(guess, work, context);
}

/// c <- s / |s| with s of the convex problem at c, until it stands still. The energy never rises: |s| >= ⟨c,
/// s⟩ = 1.
Attempt ModeSearch::iterate(VectorXd guess, Work& work, Context& context) const {
  Attempt attempt;
  while (attempt.iterations < mOptions.maxIterations) {
    attempt.last = solveConvex(guess, work, context);
    attempt.cuts += attempt.last.cuts;
    ++attempt.iterations;
    if (!attempt.last.mode) return attempt;
    const VectorXd values = attempt.last.mode->perElement();
    const double change = std::sqrt((values - guess).cwiseAbs2().dot(mMasses));
    guess = values;
    attempt.converged = attempt.last.converged && change < kStill;
    if (change < kStill) break;
  }
  attempt.share = 1 / (mMasses.sum() * guess.array().pow(4).matrix().dot(mMasses));
  return attempt;
}

/// More sets, where those of the pool do not span the constraints; false if none can be had.
bool ModeSearch::enrich(CutPool& pool, int round, Context& context) const {
  constexpr int kRounds = 40;
  if (round >= kRounds) return false;
  const size_t before = pool.size();
  const auto n = static_cast<uint64_t>(mMasses.size());
  Random random(n, static_cast<uint64_t>(round));
  if (mSeeds.cols() > 0 && round < kRounds / 2) {
    VectorXd mixture = VectorXd::Zero(mMasses.size());
    for (Index s = 0; s < mSeeds.cols(); ++s) mixture += random.normal() * mSeeds.col(s);
    pool.addLevels(mixture, 5, context);
  }
  for (int single = 0; single < 8; ++single) {
    std::vector<uint8_t> inside(static_cast<size_t>(n), 0);
    inside[random.below(n)] = 1;
    pool.add(inside, context);
  }
  return pool.size() > before || round + 1 < kRounds;
}

/// Tries the next few vibrations, each with a pool of its own; then gathers the sets in the order of the
/// starts.
std::vector<Attempt> ModeSearch::tryStarts(Context& context) {
  const Index starts = std::clamp<Index>(static_cast<Index>(mOptions.starts), 1, mSeeds.cols());
  const Index first = std::min(mModes.cols(), mSeeds.cols() - starts);
  std::vector<Attempt> attempts(static_cast<size_t>(starts));
  std::vector<std::optional<Work>> works(attempts.size());
  const size_t before = mPool.size();
  parallelFor(context, attempts.size(), 1, [&](size_t s) {
    works[s].emplace(Work{mPool, mNetwork.emptyFlow(), {}});
    attempts[s] = iterate(mSeeds.col(first + static_cast<Index>(s)), *works[s], context);
    works[s]->flow = {};
  });
  for (size_t s = 0; s < attempts.size(); ++s) {
    mPool.append(works[s]->pool, before, context);
    mCuts += attempts[s].cuts;
  }
  return attempts;
}

void ModeSearch::thinPool() {
  if (mPool.size() <= kPoolSize) return;
  const auto products = mPool.products();
  const auto functions = mPool.functionSums();
  std::vector<double> price(mPool.size());
  std::vector<size_t> order(mPool.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (Index s = 0; s < products.cols(); ++s) {
    const double left = std::max(products(s, s) - functions.col(s).squaredNorm(), 1e-6 * products(s, s));
    price[s] = mPool.set(static_cast<size_t>(s)).perimeter / std::sqrt(left);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return price[a] < price[b]; });
  std::vector<uint8_t> marked(mPool.size(), 0);
  for (size_t k = 0; k < kPoolKept; ++k) marked[order[k]] = 1;
  mPool.keep(marked);
}

VectorXd ModeSearch::next(FractureMode& mode, Context& context) {
  const std::vector<Attempt> attempts = tryStarts(context);
  const Attempt* best = nullptr;
  const auto better = [&](const Attempt& a, const Attempt& b) {
    if (a.converged != b.converged) return a.converged;
    const bool moves = a.share >= mOptions.leastShare, othersMoves = b.share >= mOptions.leastShare;
    if (moves != othersMoves) return moves;
    return a.last.energy < b.last.energy * (1 - 1e-9);
  };
  for (const Attempt& a : attempts)
    if (a.last.mode && (!best || better(a, *best))) best = &a;
  if (!best)
    throw Error(ErrorCode::Failed, fmt::format("no fracture mode was found after {}", mModes.cols()),
                "ask for fewer modes or use a finer lattice");

  mode.energy = best->last.energy;
  mode.gap = best->last.gap;
  mode.iterations = best->iterations;
  mode.converged = best->converged;
  mode.share = best->share;
  return keep(*best->last.mode, mode, context);
}

std::optional<VectorXd> ModeSearch::addImage(const VectorXd& values, const ElementGraph& graph,
                                             FractureMode& mode, Context& context) {
  // Element by element, so that equal values stay equal.
  VectorXd left = values.array() - values.dot(mMasses) / mMasses.sum();
  const double whole = left.cwiseAbs2().dot(mMasses);
  for (Index m = 0; m < mModes.cols(); ++m) {
    const double product = mModes.col(m).cwiseProduct(left).dot(mMasses);
    for (Index e = 0; e < left.size(); ++e) left[e] -= product * mModes(e, m);
  }
  const double norm = left.cwiseAbs2().dot(mMasses);
  if (!isNew(left, norm / whole, values, graph)) return std::nullopt;
  Piecewise pieces = piecewise(mNetwork, left / std::sqrt(norm));
  orthonormalise(pieces, mMasses, mModes);
  mode.energy = pieces.variation();
  return keep(pieces, mode, context);
}

/// Adds a mode to those that the next ones have nothing of.
VectorXd ModeSearch::keep(const Piecewise& pieces, FractureMode& mode, Context& context) {
  mode.pieces = static_cast<size_t>(pieces.size());
  mode.smallestJump = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : pieces.borders)
    mode.smallestJump = std::min(mode.smallestJump, std::abs(pieces.values[a] - pieces.values[b]));
  const VectorXd values = pieces.perElement();
  mModes.conservativeResize(Eigen::NoChange, mModes.cols() + 1);
  mModes.rightCols(1) = values;
  mPool.addFunction(mMasses.cwiseProduct(values), context);
  thinPool();
  return values;
}

}  // namespace hackle::detail
