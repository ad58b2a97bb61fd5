#include <hackle/core/random.h>
#include <hackle/fracture/modes/l1_program.h>
#include <hackle/linalg/dense.h>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace hackle::detail {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kOptimal = 1e-10;  // a column must be this much too cheap to enter
constexpr double kPerturbation = 1e-9;

/// Works on columns divided by their costs, so that every cost is 1.
class L1Simplex {
 public:
  L1Simplex(const Eigen::Ref<const MatrixXd>& columns, const Eigen::Ref<const VectorXd>& costs,
            const VectorXd& target)
      : mColumns(columns), mCosts(costs), mTarget(target), mPerturbed(target), mRows(columns.rows()) {
    // Ties between columns that leave would let the method go in circles.
    const double size = target.cwiseAbs().maxCoeff();
    for (Index i = 0; i < mRows; ++i)
      mPerturbed[i] += kPerturbation * size * (0.5 + Random(17, static_cast<uint64_t>(i)).uniform());
  }

  bool start(std::vector<int32_t> basis) {
    mBasis = std::move(basis);
    if (static_cast<Index>(mBasis.size()) == mRows && factor()) return true;
    const ColumnRanking ranking = rankColumns(mColumns * mCosts.cwiseInverse().asDiagonal());
    if (ranking.rank < mRows) return false;
    mBasis.assign(ranking.order.begin(), ranking.order.begin() + mRows);
    return factor();
  }

  bool run(L1Solution& solution) {
    const int limit = 200 + 50 * static_cast<int>(mRows);
    for (int pivot = 0; pivot < limit; ++pivot) {
      const VectorXd weights = mFactor.solve(mPerturbed);
      const VectorXd signs = weights.unaryExpr([](double w) { return w < 0 ? -1.0 : 1.0; });
      const VectorXd prices = mFactor.transpose().solve(signs);
      Index enter = 0;
      const VectorXd value = (mColumns.transpose() * prices).cwiseQuotient(mCosts);
      const double best = value.cwiseAbs().maxCoeff(&enter);
      if (best <= 1 + kOptimal) {
        solution.pivots = pivot;
        finish(solution);
        return true;
      }
      if (!exchange(enter, value[enter] < 0 ? -1.0 : 1.0, best - 1, weights)) return false;
    }
    return false;
  }

 private:
  MatrixXd basisMatrix() const {
    MatrixXd b(mRows, mRows);
    for (Index i = 0; i < mRows; ++i) b.col(i) = mColumns.col(mBasis[i]) / mCosts[mBasis[i]];
    return b;
  }
  bool factor() {
    mFactor.compute(basisMatrix());
    return mFactor.rcond() > 1e-14;
  }
  /// Brings a column in; goes on past weights that change sign as long as that pays.
  bool exchange(Index enter, double sign, double slope, const VectorXd& weights) {
    const VectorXd direction = mFactor.solve(mColumns.col(enter) * (sign / mCosts[enter]));
    std::vector<std::pair<double, Index>> stops;
    for (Index i = 0; i < mRows; ++i)
      if (weights[i] * direction[i] > 0) stops.emplace_back(weights[i] / direction[i], i);
    std::sort(stops.begin(), stops.end());
    for (const auto& [step, leave] : stops) {
      slope -= 2 * std::abs(direction[leave]);
      if (slope > 0) continue;
      const int32_t old = mBasis[leave];
      mBasis[leave] = static_cast<int32_t>(enter);
      if (factor()) return true;
      mBasis[leave] = old;
      factor();
      return false;
    }
    return false;
  }
  void finish(L1Solution& solution) const {
    const MatrixXd b = basisMatrix();
    VectorXd weights = mFactor.solve(mTarget);
    weights += mFactor.solve(mTarget - b * weights);
    const VectorXd signs =
        VectorXd(mFactor.solve(mPerturbed)).unaryExpr([](double w) { return w < 0 ? -1.0 : 1.0; });
    solution.prices = mFactor.transpose().solve(signs);
    solution.objective = weights.cwiseAbs().sum();
    for (Index i = 0; i < mRows; ++i) weights[i] /= mCosts[mBasis[i]];
    solution.weights = weights;
    solution.basis = mBasis;
    solution.solved = true;
  }

  const Eigen::Ref<const MatrixXd>& mColumns;
  const Eigen::Ref<const VectorXd>& mCosts;
  VectorXd mTarget, mPerturbed;
  Index mRows;
  std::vector<int32_t> mBasis;
  Eigen::PartialPivLU<MatrixXd> mFactor;
};

}  // namespace

L1Solution cheapestCombination(const Eigen::Ref<const MatrixXd>& columns,
                               const Eigen::Ref<const VectorXd>& costs, const VectorXd& target,
                               std::vector<int32_t> basis) {
  L1Solution solution;
  L1Simplex simplex(columns, costs, target);
  if (simplex.start(std::move(basis))) simplex.run(solution);
  return solution;
}

}  // namespace hackle::detail
