#include <hackle/linalg/growing_cholesky.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <array>
#include <cmath>

namespace hackle {

namespace {

using Eigen::Index;

// A multiple of the 12 rows of Eigen's AVX2 product kernel, and below the 248 terms at which it cuts a sum
// for a first-level cache of 32 KB.
constexpr Index kTile = 240;
// Columns of a right-hand side that one task takes.
constexpr Index kColumns = 64;
// A pivot this much smaller than the entry it came from is rounding noise.
constexpr double kSingular = 1e-14;

/// target -= sign * a * bᵀ
template <class Target, class A, class B>
void subtractProduct(Target&& target, double sign, const A& a, const B& b) {
  if (sign > 0) {
    target.noalias() -= a * b;
  } else {
    target.noalias() += a * b;
  }
}

}  // namespace

void fixEigenBlocking() {
  static const bool once = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024);
    return true;
  }();
  static_cast<void>(once);
}

GrowingCholesky::GrowingCholesky() : mStart{0} { fixEigenBlocking(); }

void GrowingCholesky::addTile(Index rows, int8_t sign) {
  const int32_t t = tileCount();
  TileRow row(static_cast<size_t>(t) + 1);
  for (int32_t c = 0; c < t; ++c) {
    const size_t k = static_cast<size_t>(c);
    row[k].resize(rows, mStart[k + 1] - mStart[k]);
  }
  row.back().resize(rows, rows);
  mTiles.push_back(std::make_shared<TileRow>(std::move(row)));
  mStart.push_back(mStart.back() + rows);
  mSign.push_back(sign);
  mTileOfRow.insert(mTileOfRow.end(), static_cast<size_t>(rows), t);
}

void GrowingCholesky::grow(size_t count, Sign sign) {
  if (count == 0) return;
  // Tiles of nearly equal size.
  const Index total = static_cast<Index>(count);
  const Index tiles = (total + kTile - 1) / kTile;
  for (Index t = 0; t < tiles; ++t) addTile(std::min(kTile, total - t * kTile), static_cast<int8_t>(sign));
}

void GrowingCholesky::factoriseDiagonal(int32_t t) {
  Matrix& a = tile(t, t);
  if (mSign[t] < 0) a = -a;
  const Eigen::VectorXd before = a.diagonal();
  Eigen::LLT<Eigen::Ref<Matrix>> cholesky(a);
  for (Index i = 0; i < a.rows(); ++i) {
    const double pivot = a(i, i) * a(i, i);
    const bool sound = std::isfinite(pivot) && a(i, i) > 0 && pivot > kSingular * before[i];
    if (!sound || (cholesky.info() != Eigen::Success && i + 1 == a.rows()))
      throw Error(ErrorCode::Failed, fmt::format("the matrix is not definite at row {} of {}", mStart[t] + i,
                                                 mTileOfRow.size()));
  }
  a.triangularView<Eigen::StrictlyUpper>().setZero();
}

void GrowingCholesky::eliminateColumn(int32_t column, int32_t firstNew, Context& context) {
  const int32_t firstRow = std::max(firstNew, column + 1);
  const double sign = mSign[column];
  const Matrix& diagonal = tile(column, column);

  // Divide the tiles below the diagonal one.
  const size_t below = static_cast<size_t>(tileCount() - firstRow);
  parallelFor(context, below, 1, [&](size_t k) {
    Matrix& a = tile(firstRow + static_cast<int32_t>(k), column);
    diagonal.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(a);
    if (sign < 0) a = -a;
  });

  // Subtract their products from the new tiles to the right.
  std::vector<std::array<int32_t, 2>> targets;
  for (int32_t i = firstRow; i < tileCount(); ++i)
    for (int32_t j = column + 1; j <= i; ++j) targets.push_back({i, j});
  parallelFor(context, targets.size(), 1, [&](size_t k) {
    const auto [i, j] = targets[k];
    if (i == j) {
      tile(i, i).selfadjointView<Eigen::Lower>().rankUpdate(tile(i, column), -sign);
    } else {
      subtractProduct(tile(i, j), sign, tile(i, column), tile(j, column).transpose());
    }
  });
}

void GrowingCholesky::factorise(Context& context) {
  if (mTileOfRow.size() == mFactorised) return;
  const int32_t firstNew = mTileOfRow[mFactorised];
  try {
    for (int32_t column = 0; column < tileCount(); ++column) {
      if (column >= firstNew) factoriseDiagonal(column);
      eliminateColumn(column, firstNew, context);
    }
  } catch (...) {
    dropTiles(firstNew);
    throw;
  }
  mFactorised = mTileOfRow.size();
  joinSmallTiles(firstNew);
}

void GrowingCholesky::dropTiles(int32_t firstNew) {
  const size_t keep = static_cast<size_t>(firstNew);
  mTiles.resize(keep);
  mSign.resize(keep);
  mStart.resize(keep + 1);
  mTileOfRow.resize(static_cast<size_t>(mStart.back()));
}

/// Many small blocks would leave many small tiles: joins the first new row of tiles to the one above.
void GrowingCholesky::joinSmallTiles(int32_t firstNew) {
  const size_t second = static_cast<size_t>(firstNew), first = second - 1;
  if (firstNew == 0 || second + 1 != mTiles.size() || mSign[first] != mSign[second]) return;
  const Index upper = mStart[second] - mStart[first], lower = mStart[second + 1] - mStart[second];
  if (upper + lower > kTile) return;
  // A new row: copies of this may have the old one.
  const TileRow &above = *mTiles[first], &below = *mTiles[second];
  auto row = std::make_shared<TileRow>(second);
  for (size_t c = 0; c < first; ++c) {
    (*row)[c].resize(upper + lower, above[c].cols());
    (*row)[c] << above[c], below[c];
  }
  Matrix corner = Matrix::Zero(upper + lower, upper + lower);
  corner.topLeftCorner(upper, upper) = above[first];
  corner.bottomLeftCorner(lower, upper) = below[first];
  corner.bottomRightCorner(lower, lower) = below[second];
  (*row)[first] = std::move(corner);
  mTiles[first] = std::move(row);
  mTiles.pop_back();
  mSign.pop_back();
  mStart.erase(mStart.begin() + static_cast<std::ptrdiff_t>(second));
  for (size_t row = static_cast<size_t>(mStart[first]); row < mTileOfRow.size(); ++row)
    mTileOfRow[row] = static_cast<int32_t>(first);
}

void GrowingCholesky::append(const Eigen::Ref<const Matrix>& newRows, Sign sign, Context& context) {
  const size_t before = mTileOfRow.size(), count = static_cast<size_t>(newRows.rows());
  HACKLE_ASSERT(before == mFactorised && static_cast<size_t>(newRows.cols()) == before + count);
  grow(count, sign);
  const int32_t firstNew = count > 0 ? mTileOfRow[before] : tileCount();
  for (int32_t i = firstNew; i < tileCount(); ++i)
    for (int32_t j = 0; j <= i; ++j) {
      Matrix& t = tile(i, j);
      t = newRows.block(mStart[i] - static_cast<Index>(before), mStart[j], t.rows(), t.cols());
    }
  factorise(context);
}

void GrowingCholesky::solve(Eigen::Ref<Matrix> rhs, Context& context) const {
  HACKLE_ASSERT(static_cast<size_t>(rhs.rows()) == mFactorised);
  const Index batches = (rhs.cols() + kColumns - 1) / kColumns;
  const auto part = [&](int32_t t, Index batch) {
    const size_t k = static_cast<size_t>(t);
    const Index column = batch * kColumns;
    return rhs.block(mStart[k], column, mStart[k + 1] - mStart[k], std::min(kColumns, rhs.cols() - column));
  };
  const int32_t tiles = tileCount();

  // L y = b, and the signs.
  for (int32_t j = 0; j < tiles; ++j) {
    parallelFor(context, static_cast<size_t>(batches), 1, [&](size_t b) {
      auto y = part(j, static_cast<Index>(b));
      tile(j, j).triangularView<Eigen::Lower>().solveInPlace(y);
    });
    const size_t below = static_cast<size_t>(tiles - j - 1);
    parallelFor(context, below * static_cast<size_t>(batches), 1, [&](size_t k) {
      const int32_t i = j + 1 + static_cast<int32_t>(k % below);
      const Index b = static_cast<Index>(k / below);
      part(i, b).noalias() -= tile(i, j) * part(j, b);
    });
    if (mSign[j] < 0)
      for (Index b = 0; b < batches; ++b) part(j, b) *= -1;
  }
  // Lᵀ x = y
  for (int32_t i = tiles - 1; i >= 0; --i) {
    parallelFor(context, static_cast<size_t>(batches), 1, [&](size_t b) {
      auto x = part(i, static_cast<Index>(b));
      tile(i, i).triangularView<Eigen::Lower>().transpose().solveInPlace(x);
    });
    parallelFor(context, static_cast<size_t>(i) * static_cast<size_t>(batches), 1, [&](size_t k) {
      const int32_t j = static_cast<int32_t>(k % static_cast<size_t>(i));
      const Index b = static_cast<Index>(k / static_cast<size_t>(i));
      part(j, b).noalias() -= tile(i, j).transpose() * part(i, b);
    });
  }
}

size_t GrowingCholesky::bytes() const {
  size_t numbers = 0;
  for (const auto& row : mTiles)
    for (const Matrix& t : *row) numbers += static_cast<size_t>(t.size());
  return numbers * sizeof(double);
}

}  // namespace hackle
