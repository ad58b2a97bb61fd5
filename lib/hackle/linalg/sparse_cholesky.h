// Direct solves with sparse symmetric positive definite matrices.
#pragma once

#include <hackle/core/context.h>
#include <hackle/linalg/sparse.h>

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <vector>

namespace hackle {

/// LLᵀ of a symmetric positive definite matrix: nested dissection, then dense fronts along the elimination
/// tree [Duff83], in parallel over the tree and inside large fronts. Sums run in one order, so factors and
/// solutions have the same bytes on any number of threads. Every call can be cancelled.
class SparseCholesky {
 public:
  SparseCholesky();
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  /// Order and pattern; needed once for all matrices of one pattern. Reads the lower triangle.
  /// Error(Internal) if the matrix is not square.
  void analyse(const SparseMatrix& lower, Context& context);
  /// With an order of the caller's: order[k] is the unknown eliminated k-th.
  void analyse(const SparseMatrix& lower, std::vector<int32_t> order, Context& context);
  /// The pattern must be the one analysed. Error(Failed) if a pivot is not positive or a value not finite,
  /// Error(BadInput) if the factor does not fit into the memory.
  void factorise(const SparseMatrix& lower, Context& context);
  /// Solves in place, #unknowns × any number of columns. Needs a factor. May be called from several threads
  /// at once.
  void solve(Eigen::Ref<Eigen::MatrixXd> rhs, Context& context) const;

  /// For matrices that are singular to rounding: pivots not larger than this part of the largest diagonal
  /// entry are replaced by a huge one, which sets their unknown to about 0. Not set: such pivots fail.
  void setPivotFloor(std::optional<double> partOfLargest) { mPivotFloor = partOfLargest; }
  size_t mendedPivots() const { return mMended; }

  size_t unknowns() const;
  size_t factorEntries() const;  // stored, a few zeros included
  double factorWork() const;     // multiplications of one factorisation

 private:
  struct Parts;
  std::unique_ptr<Parts> mParts;
  std::optional<double> mPivotFloor;
  size_t mMended = 0;
};

}  // namespace hackle
