#include <hackle/linalg/eigenpairs.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/linalg/dense.h>
#include <hackle/linalg/sparse_cholesky.h>
#include <hackle/linalg/symmetric_matrix.h>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ConstBlock = Eigen::Ref<const MatrixXd>;

constexpr size_t kRows = 2048;     // of dense blocks that one task handles
constexpr Index kDenseSize = 256;  // below it, a dense solve is quicker
constexpr uint64_t kSeed = 0x68616b;

/// a^T b, summed over rows in a fixed order.
MatrixXd innerProducts(const ConstBlock& a, const ConstBlock& b, Context& context) {
  const auto part = [&](size_t begin, size_t end) -> MatrixXd {
    const auto first = static_cast<Index>(begin), rows = static_cast<Index>(end - begin);
    return a.middleRows(first, rows).transpose() * b.middleRows(first, rows);
  };
  return parallelReduce(context, static_cast<size_t>(a.rows()), kRows,
                        MatrixXd(MatrixXd::Zero(a.cols(), b.cols())), part,
                        [](MatrixXd sum, MatrixXd more) -> MatrixXd { return sum + more; });
}

/// target = a c, or target -= a c.
template <bool Subtract>
void combine(const ConstBlock& a, const MatrixXd& c, Eigen::Ref<MatrixXd> target, Context& context) {
  parallelRanges(context, static_cast<size_t>(a.rows()), kRows, [&](size_t begin, size_t end) {
    const auto first = static_cast<Index>(begin), rows = static_cast<Index>(end - begin);
    if constexpr (Subtract)
      target.middleRows(first, rows).noalias() -= a.middleRows(first, rows) * c;
    else
      target.middleRows(first, rows).noalias() = a.middleRows(first, rows) * c;
  });
}

/// The space that the iteration has seen: an M-orthonormal basis V with M V, A V and V^T M A V, where
/// A = (K + s M)^-1 M.
class KrylovSpace {
 public:
  KrylovSpace(const SymmetricMatrix& mass, const SparseCholesky& inverse, Index capacity, Context& context)
      : mMass(mass),
        mInverse(inverse),
        mContext(context),
        mBasis(mass.size(), capacity),
        mMassBasis(mass.size(), capacity),
        mImage(mass.size(), capacity),
        mProjected(MatrixXd::Zero(capacity, capacity)) {}

  Index size() const { return mSize; }
  Index capacity() const { return mBasis.cols(); }

  /// Adds directions; what lies in the space already is replaced by what rounding left, or at random.
  void add(MatrixXd block) {
    MatrixXd massBlock;
    for (int pass = 0; pass < 3; ++pass) {
      if (mSize > 0) {
        const MatrixXd c = innerProducts(mMassBasis.leftCols(mSize), block, mContext);
        combine<true>(mBasis.leftCols(mSize), c, block, mContext);
      }
      massBlock = mMass.times(block, mContext);
      orthonormalise(block, massBlock);
    }
    const Index added = block.cols();
    mBasis.middleCols(mSize, added) = block;
    mMassBasis.middleCols(mSize, added) = massBlock;
    mInverse.solve(massBlock, mContext);
    mImage.middleCols(mSize, added) = massBlock;
    mSize += added;
    const MatrixXd column = innerProducts(mMassBasis.leftCols(mSize), massBlock, mContext);
    mProjected.block(0, mSize - added, mSize, added) = column;
    mProjected.block(mSize - added, 0, added, mSize) = column.transpose();
  }

  void addRandom(Index columns) {
    MatrixXd block(mMass.size(), columns);
    for (Index c = 0; c < columns; ++c) block.col(c) = randomVector();
    add(std::move(block));
  }

  /// Image of the last `columns` directions: the next ones of a Krylov space.
  MatrixXd lastImage(Index columns) const { return mImage.middleCols(mSize - columns, columns); }

  /// Ritz values of A, descending, and their vectors in the basis.
  void ritz(VectorXd& values, MatrixXd& vectors) const {
    const MatrixXd p = mProjected.topLeftCorner(mSize, mSize);
    const SymmetricEigen eigen = symmetricEigen(0.5 * (p + p.transpose()));
    values = eigen.values.reverse();
    vectors = eigen.vectors.rowwise().reverse();
  }

  /// Shrinks the space to the first `keep` Ritz vectors.
  void restart(const VectorXd& values, const MatrixXd& vectors, Index keep) {
    const MatrixXd c = vectors.leftCols(keep);
    MatrixXd rotated(mBasis.rows(), keep);
    for (MatrixXd* whole : {&mBasis, &mMassBasis, &mImage}) {
      combine<false>(whole->leftCols(mSize), c, rotated, mContext);
      whole->leftCols(keep) = rotated;
    }
    mProjected.setZero();
    mProjected.diagonal().head(keep) = values.head(keep);
    mSize = keep;
  }

  /// A x - nu x of basis vectors that are Ritz vectors.
  MatrixXd residuals(const VectorXd& values, Index count) const {
    return mImage.leftCols(count) - mBasis.leftCols(count) * values.head(count).asDiagonal();
  }
  VectorXd massNorms(const MatrixXd& block) const {
    return block.cwiseProduct(mMass.times(block, mContext)).colwise().sum().cwiseMax(0.0).cwiseSqrt();
  }
  MatrixXd basis(Index count) const { return mBasis.leftCols(count); }

 private:
  VectorXd randomVector() {
    Random random(kSeed, mStream++);
    VectorXd v(mMass.size());
    for (double& x : v) x = random.uniform(-1, 1);
    return v;
  }

  void orthonormalise(MatrixXd& block, MatrixXd& massBlock) {
    for (Index j = 0; j < block.cols(); ++j) {
      for (Index i = 0; i < j; ++i) {
        const double c = massBlock.col(i).dot(block.col(j));
        block.col(j) -= c * block.col(i);
        massBlock.col(j) -= c * massBlock.col(i);
      }
      double norm = std::sqrt(std::max(0.0, block.col(j).dot(massBlock.col(j))));
      if (!(norm > 1e-280)) {
        block.col(j) = randomVector();
        massBlock.col(j) = mMass.times(block.col(j), mContext);
        norm = std::sqrt(block.col(j).dot(massBlock.col(j)));
      }
      block.col(j) /= norm;
      massBlock.col(j) /= norm;
    }
  }

  const SymmetricMatrix& mMass;
  const SparseCholesky& mInverse;
  Context& mContext;
  MatrixXd mBasis, mMassBasis, mImage, mProjected;
  Index mSize = 0;
  uint64_t mStream = 0;
};

/// Runs the iteration until the first `count` Ritz pairs have converged twice, the second time after a probe
/// from random directions. Leaves them at the front of the space.
void iterate(KrylovSpace& space, Index count, const EigenOptions& options, Eigenpairs& result,
             Context& context) {
  const auto block = static_cast<Index>(options.block);
  VectorXd values, accepted;
  MatrixXd vectors;
  space.addRandom(block);
  for (;;) {
    while (space.size() + block <= space.capacity()) space.add(space.lastImage(block));

    // Judge the pairs that are wanted.
    space.ritz(values, vectors);
    const Index keep = std::min(space.size() - block, count + std::max(block, (space.size() - count) / 3));
    space.restart(values, vectors, keep);
    const MatrixXd residuals = space.residuals(values, keep);
    const VectorXd sizes = space.massNorms(residuals);
    std::vector<Index> open;
    result.residual = 0;
    for (Index i = 0; i < keep; ++i) {
      const double floor = 1e-14 * values[0] / values[i];
      const double size = sizes[i] / values[i];
      if (i < count) result.residual = std::max(result.residual, size);
      if (i >= count || size > std::max(options.tolerance, floor)) open.push_back(i);
    }
    const bool converged = open.empty() || open.front() >= count;
    ++result.cycles;

    // Look once more from elsewhere: a vector that the space misses would change the values.
    if (converged) {
      if (accepted.size() > 0 &&
          (values.head(count) - accepted).cwiseAbs().cwiseQuotient(accepted).maxCoeff() < 1e-7)
        return;
      accepted = values.head(count);
      space.addRandom(block);
      continue;
    }
    if (result.cycles >= options.maxCycles)
      throw Error(ErrorCode::Failed,
                  fmt::format("{} eigenpairs did not converge in {} cycles (residual {:.1e})", count,
                              result.cycles, result.residual),
                  "ask for fewer, or set a larger shift");
    MatrixXd next(residuals.rows(), std::min<Index>(block, static_cast<Index>(open.size())));
    for (Index c = 0; c < next.cols(); ++c) {
      const Index i = open[c];
      next.col(c) = residuals.col(i) / std::max(sizes[i], 1e-280);
    }
    space.add(std::move(next));
    if (space.size() < keep + block) space.addRandom(keep + block - space.size());
    context.checkCancel();
  }
}

/// The entry of largest size (the first of equals) becomes positive.
void makeSignsCanonical(MatrixXd& vectors) {
  for (Index c = 0; c < vectors.cols(); ++c) {
    Index at = 0;
    vectors.col(c).cwiseAbs().maxCoeff(&at);
    if (vectors(at, c) < 0) vectors.col(c) *= -1;
  }
}

Eigenpairs denseEigenpairs(const SymmetricMatrix& K, const SymmetricMatrix& M, Index count) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver{MatrixXd(K.full()), MatrixXd(M.full())};
  Eigenpairs result;
  result.values = solver.eigenvalues().head(count);
  result.vectors = solver.eigenvectors().leftCols(count);
  if (!result.values.allFinite() || !result.vectors.allFinite())
    throw Error(ErrorCode::BadInput, "the mass matrix is not positive definite");
  return result;
}

/// Eigenvalues as Rayleigh quotients, ascending.
void sortByRayleighQuotient(const SymmetricMatrix& K, MatrixXd vectors, Eigenpairs& result,
                            Context& context) {
  const VectorXd quotients = vectors.cwiseProduct(K.times(vectors, context)).colwise().sum();
  std::vector<Index> order(static_cast<size_t>(quotients.size()));
  std::iota(order.begin(), order.end(), Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return quotients[a] < quotients[b]; });
  result.values = quotients(order);
  result.vectors = vectors(Eigen::all, order);
}

}  // namespace

Eigenpairs smallestEigenpairs(const SparseMatrix& K, const SparseMatrix& M, size_t count,
                              const EigenOptions& options, Context& context) {
  if (K.rows() != M.rows() || K.cols() != M.cols())
    throw Error(ErrorCode::BadInput,
                fmt::format("stiffness has {} rows but mass has {}", K.rows(), M.rows()));
  const SymmetricMatrix stiffness(K), mass(M);
  const Index wanted = static_cast<Index>(std::min(count, static_cast<size_t>(stiffness.size())));
  if (wanted == 0) return {VectorXd(0), MatrixXd(stiffness.size(), 0)};
  if (!(mass.trace() > 0)) throw Error(ErrorCode::BadInput, "the mass matrix is not positive definite");

  Eigenpairs result;
  const auto block = static_cast<Index>(options.block);
  const Index capacity = 2 * wanted + 6 * block;
  if (stiffness.size() <= std::max(kDenseSize, 2 * capacity)) {
    result = denseEigenpairs(stiffness, mass, wanted);
  } else {
    const double mean = stiffness.trace() / mass.trace();
    const double shift = options.shift.value_or(mean > 0 ? 1e-7 * mean : 1.0);
    const SparseMatrix shifted = SparseMatrix(K.triangularView<Eigen::Lower>()) +
                                 shift * SparseMatrix(M.triangularView<Eigen::Lower>());
    SparseCholesky inverse;
    inverse.analyse(shifted, context);
    inverse.factorise(shifted, context);
    KrylovSpace space(mass, inverse, capacity, context);
    iterate(space, wanted, options, result, context);
    sortByRayleighQuotient(stiffness, space.basis(wanted), result, context);
  }
  makeSignsCanonical(result.vectors);
  return result;
}

}  // namespace hackle
