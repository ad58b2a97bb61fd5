// Low-rank approximation of a matrix from a few of its rows and columns.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace hackle {

/// A matrix that is known by rows and columns. Entries that were computed already can say so: they are
/// preferred as pivots.
class CrossSource {
 public:
  virtual ~CrossSource() = default;
  virtual Eigen::Index rows() const = 0;
  virtual Eigen::Index columns() const = 0;
  virtual void row(Eigen::Index i, Eigen::Ref<Eigen::VectorXd> out) = 0;
  virtual void column(Eigen::Index j, Eigen::Ref<Eigen::VectorXd> out) = 0;
  virtual bool hasRow(Eigen::Index) const { return false; }
  virtual bool hasColumn(Eigen::Index) const { return false; }
  /// Rows that the result is checked on in the end; should differ as much as rows can.
  virtual std::vector<Eigen::Index> checks() const { return {}; }
};

/// left * rightᵀ.
struct LowRank {
  Eigen::MatrixXd left, right;
};

/// Adaptive cross approximation with partial pivoting [Bebendorf00], until a cross is smaller (Frobenius)
/// than relative * (what was found so far) + absolute, and so is what is left of the rows to check. False if
/// that takes more than maxRank: the matrix is better stored whole.
bool crossApproximation(CrossSource& source, double relative, double absolute, Eigen::Index maxRank,
                        LowRank& result);

}  // namespace hackle
