#include <hackle/linalg/symmetric_matrix.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>

#include <fmt/format.h>

namespace hackle {

SymmetricMatrix::SymmetricMatrix(const SparseMatrix& lower) {
  if (lower.rows() != lower.cols())
    throw Error(ErrorCode::BadInput,
                fmt::format("a symmetric matrix of {} by {} cannot be", lower.rows(), lower.cols()));
  mFull = lower.selfadjointView<Eigen::Lower>();
  mFull.makeCompressed();
}

double SymmetricMatrix::trace() const { return mFull.diagonal().sum(); }

Eigen::MatrixXd SymmetricMatrix::times(const Eigen::Ref<const Eigen::MatrixXd>& x, Context& context) const {
  HACKLE_ASSERT(x.rows() == size());
  Eigen::MatrixXd y(x.rows(), x.cols());
  const int32_t* starts = mFull.outerIndexPtr();
  const int32_t* rows = mFull.innerIndexPtr();
  const double* values = mFull.valuePtr();
  // A column of the whole matrix is a row, too.
  parallelRanges(context, static_cast<size_t>(size()), 4096, [&](size_t begin, size_t end) {
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      const double* in = x.col(c).data();
      double* out = y.col(c).data();
      for (size_t i = begin; i < end; ++i) {
        double sum = 0;
        for (int32_t k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * in[rows[k]];
        out[i] = sum;
      }
    }
  });
  return y;
}

}  // namespace hackle
