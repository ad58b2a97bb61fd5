// Dense Cholesky factorisation of a symmetric matrix that grows at its end and is never factorised twice.
#pragma once

#include <hackle/core/context.h>

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <vector>

namespace hackle {

/// A = L S Lᵀ with L lower triangular and S = diag(±1), a sign for each appended block: a positive definite
/// matrix has plus signs only; [V −K; −Kᵀ −D] with V and D + KᵀV⁻¹K positive definite (a quasi-definite
/// matrix) takes + for the rows of V and − for those of D, and needs no pivoting either.
///
/// Only the lower triangle is kept, in square tiles: 4 n (n + 240) bytes. Blocks are appended by bordering;
/// m rows after n cost n²m + nm² + m³/3 operations, a new factorisation (n+m)³/3. All work is in
/// tile products, run on the context's threads; each tile is updated in one fixed order, so results are the
/// same bytes on any number of threads, and on any processor (see fixEigenBlocking). Copies take no further
/// memory until they grow.
class GrowingCholesky {
 public:
  using Matrix = Eigen::MatrixXd;
  enum class Sign : int8_t { Positive = 1, Negative = -1 };

  GrowingCholesky();

  /// Rows with finished factors, and those with them that `grow` has added.
  size_t size() const { return mFactorised; }
  size_t rows() const { return mTileOfRow.size(); }

  /// Adds `count` rows and columns, whose entries are not set: all of their lower triangle has to be before
  /// `factorise`. Memory is taken as they are written.
  void grow(size_t count, Sign sign);
  /// A(row, column) of rows that are not factorised yet; column <= row. Different entries may be written from
  /// different threads.
  double& entry(size_t row, size_t column) {
    return tile(mTileOfRow[row], mTileOfRow[column])(local(row), local(column));
  }
  /// Factors the rows that were added. Error(Failed) when the matrix has not the promised signs (or is
  /// singular to rounding), Error(Cancelled) when asked to stop; the added rows are then dropped and the
  /// factorisation is as before `grow`.
  void factorise(Context& context);

  /// grow + factorise: `newRows` is count × (size() + count), of which the lower triangle is read.
  void append(const Eigen::Ref<const Matrix>& newRows, Sign sign, Context& context);

  /// Replaces each column b of `rhs` (size() rows) by A⁻¹ b.
  void solve(Eigen::Ref<Matrix> rhs, Context& context) const;

  /// Memory of the factor.
  size_t bytes() const;

 private:
  using TileRow = std::vector<Matrix>;
  Matrix& tile(int32_t row, int32_t column) { return (*mTiles[row])[column]; }
  const Matrix& tile(int32_t row, int32_t column) const { return (*mTiles[row])[column]; }
  Eigen::Index local(size_t row) const { return static_cast<Eigen::Index>(row) - mStart[mTileOfRow[row]]; }
  int32_t tileCount() const { return static_cast<int32_t>(mTiles.size()); }
  void addTile(Eigen::Index rows, int8_t sign);
  void eliminateColumn(int32_t column, int32_t firstNew, Context& context);
  void factoriseDiagonal(int32_t t);
  void dropTiles(int32_t firstNew);
  void joinSmallTiles(int32_t firstNew);

  // [row][column], column <= row; L, or A where not factorised. Copies share the rows that are factorised.
  std::vector<std::shared_ptr<TileRow>> mTiles;
  std::vector<Eigen::Index> mStart;  // first row of each row of tiles, and the end
  std::vector<int8_t> mSign;         // of each row of tiles
  std::vector<int32_t> mTileOfRow;
  size_t mFactorised = 0;
};

/// Tells Eigen to cut products as for caches of fixed sizes. Left alone, it asks the processor for its caches
/// when a program starts and splits sums accordingly: the last bits would differ between machines. Called by
/// what in linalg/ uses dense products; does its work once.
void fixEigenBlocking();

}  // namespace hackle
