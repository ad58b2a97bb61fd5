// A stiffness matrix with some unknowns held at zero, factorised.
#pragma once

#include <hackle/linalg/sparse_cholesky.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

class ReducedStiffness {
 public:
  /// `stiffness`: lower triangle; `fixed`: unknowns, in any order. Error(BadInput) if what is left can still
  /// move without energy.
  ReducedStiffness(const SparseMatrix& stiffness, std::vector<int32_t> fixed, Context& context);

  /// Solves in place for any number of columns; fixed unknowns come out as 0 whatever their load.
  void solve(Eigen::Ref<Eigen::MatrixXd> loads, Context& context) const;
  /// Memory of the factor.
  size_t bytes() const { return mFactor.factorEntries() * sizeof(double); }

 private:
  std::vector<int32_t> mFixed;
  SparseCholesky mFactor;
};

}  // namespace hackle
