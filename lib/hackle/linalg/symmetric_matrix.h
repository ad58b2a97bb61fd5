// A symmetric sparse matrix held whole, for products that run over its rows in parallel.
#pragma once

#include <hackle/core/context.h>
#include <hackle/linalg/sparse.h>

namespace hackle {

class SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  /// Reads the lower triangle. Error(BadInput) if the matrix is not square.
  explicit SymmetricMatrix(const SparseMatrix& lower);

  Eigen::Index size() const { return mFull.rows(); }
  /// Both triangles.
  const SparseMatrix& full() const { return mFull; }
  /// Sum of the diagonal.
  double trace() const;
  /// A x; `x` has size() rows and any number of columns. The same bytes on any number of threads.
  Eigen::MatrixXd times(const Eigen::Ref<const Eigen::MatrixXd>& x, Context& context) const;

 private:
  SparseMatrix mFull;
};

}  // namespace hackle
