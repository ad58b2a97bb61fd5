#include <hackle/linalg/cross_approximation.h>

#include <cmath>

namespace hackle {

namespace {

/// Place of the largest entry not yet used; one at hand already counts if it is not much smaller.
template <class Has>
Eigen::Index pivot(const Eigen::VectorXd& values, const std::vector<bool>& used, const Has& has) {
  constexpr double kEnough = 0.3;
  Eigen::Index best = -1, known = -1;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (used[i]) continue;
    if (best < 0 || std::abs(values[i]) > std::abs(values[best])) best = i;
    if (has(i) && (known < 0 || std::abs(values[i]) > std::abs(values[known]))) known = i;
  }
  return known >= 0 && std::abs(values[known]) >= kEnough * std::abs(values[best]) ? known : best;
}

/// The growing factors.
class Crosses {
 public:
  Crosses(CrossSource& source, Eigen::Index maxRank)
      : mSource(source),
        mLeft(source.rows(), maxRank),
        mRight(source.columns(), maxRank),
        mRow(source.columns()),
        mColumn(source.rows()),
        mUsedRows(static_cast<size_t>(source.rows()), false),
        mUsedColumns(static_cast<size_t>(source.columns()), false) {}

  Eigen::Index rank() const { return mRank; }
  double norm() const { return std::sqrt(std::max(mSquare, 0.0)); }
  bool used(Eigen::Index row) const { return mUsedRows[row]; }

  /// What is left of a row; returns its norm.
  double residual(Eigen::Index i) {
    mSource.row(i, mRow);
    mRow.noalias() -= mRight.leftCols(mRank) * mLeft.row(i).head(mRank).transpose();
    return mRow.norm();
  }

  /// Adds the cross through row i, whose residual was just computed. Returns its Frobenius norm; 0 if the row
  /// has nothing left. Sets the next row.
  double add(Eigen::Index i, Eigen::Index& next) {
    mUsedRows[i] = true;
    next = -1;
    const Eigen::Index j = pivot(mRow, mUsedColumns, [&](Eigen::Index k) { return mSource.hasColumn(k); });
    if (j < 0 || !(std::abs(mRow[j]) > 1e-300)) return 0;
    mUsedColumns[j] = true;
    mSource.column(j, mColumn);
    mColumn.noalias() -= mLeft.leftCols(mRank) * mRight.row(j).head(mRank).transpose();
    mLeft.col(mRank) = mColumn / mRow[j];
    mRight.col(mRank) = mRow;
    const Eigen::VectorXd a = mLeft.leftCols(mRank).transpose() * mLeft.col(mRank);
    const Eigen::VectorXd b = mRight.leftCols(mRank).transpose() * mRight.col(mRank);
    const double cross = mLeft.col(mRank).norm() * mRight.col(mRank).norm();
    mSquare += 2 * a.dot(b) + cross * cross;
    ++mRank;
    next = pivot(mColumn, mUsedRows, [&](Eigen::Index k) { return mSource.hasRow(k); });
    return cross;
  }

  void take(LowRank& result) const {
    result.left = mLeft.leftCols(mRank);
    result.right = mRight.leftCols(mRank);
  }

 private:
  CrossSource& mSource;
  Eigen::MatrixXd mLeft, mRight;
  Eigen::VectorXd mRow, mColumn;
  std::vector<bool> mUsedRows, mUsedColumns;
  Eigen::Index mRank = 0;
  double mSquare = 0;
};

}  // namespace

bool crossApproximation(CrossSource& source, double relative, double absolute, Eigen::Index maxRank,
                        LowRank& result) {
  Crosses crosses(source, maxRank);
  const std::vector<Eigen::Index> checks = source.checks();
  Eigen::Index next = checks.empty() ? source.rows() / 2 : checks.front();
  const double rowShare = 1 / std::sqrt(static_cast<double>(source.rows()));
  const auto small = [&] { return relative * crosses.norm() + absolute; };
  while (true) {
    // Crosses until they are small; a row with nothing left gives none
    while (next >= 0) {
      if (crosses.rank() == maxRank) return false;
      if (crosses.residual(next) <= rowShare * small()) break;
      if (crosses.add(next, next) <= small()) break;
    }
    // Rows that were not looked at may hold something else
    next = -1;
    for (Eigen::Index row : checks)
      if (!crosses.used(row) && crosses.residual(row) > rowShare * small()) {
        next = row;
        break;
      }
    if (next < 0) break;
  }
  crosses.take(result);
  return true;
}

}  // namespace hackle
