#include <hackle/core/parallel.h>
#include <hackle/linalg/dense_blocks.h>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace hackle {

namespace {

using Size = std::ptrdiff_t;
using Packet = Eigen::internal::packet_traits<double>::type;

constexpr Size kLanes = Eigen::internal::packet_traits<double>::size;
constexpr Size kStripRows = 3 * kLanes;  // a strip of A: three packets
constexpr Size kStripColumns = 4;
constexpr Size kDepth = 128;     // sums are split here, always
constexpr Size kTileRows = 192;  // C is split in tiles of this size, always
constexpr Size kTileColumns = 192;
constexpr double kParallelWork = 4e6;  // multiplications from which on threads pay
static_assert(kTileRows % kStripRows == 0 && kTileColumns % kStripColumns == 0);

struct PackBuffers {
  alignas(64) double a[kTileRows * kDepth];
  alignas(64) double b[kTileColumns * kDepth];
};

PackBuffers& packBuffers() {
  static thread_local std::unique_ptr<PackBuffers> buffers;
  if (!buffers) buffers.reset(new PackBuffers);
  return *buffers;
}

/// Strips of `width` rows, each with its columns one after another; the last is filled with zeros.
template <Size width>
void pack(double* to, const BlockView& from, Size rows, Size depth) {
  for (Size i = 0; i < rows; i += width, to += width * depth) {
    const Size count = std::min(width, rows - i);
    const double* source = from.data + i * from.rowStride;
    if (count == width && from.rowStride == 1) {
      for (Size k = 0; k < depth; ++k)
        std::memcpy(to + k * width, source + k * from.columnStride, width * sizeof(double));
      continue;
    }
    for (Size k = 0; k < depth; ++k) {
      for (Size r = 0; r < count; ++r) to[k * width + r] = source[r * from.rowStride + k * from.columnStride];
      for (Size r = count; r < width; ++r) to[k * width + r] = 0;
    }
  }
}

/// Subtracts one strip of A times one strip of B from C.
inline void multiplyStrips(double* c, Size ldc, const double* a, const double* b, Size depth) {
  using namespace Eigen::internal;
  Packet sum[3][kStripColumns];
  for (auto& row : sum)
    for (auto& s : row) s = pset1<Packet>(0.0);
  for (Size k = 0; k < depth; ++k, a += kStripRows, b += kStripColumns) {
    const Packet a0 = pload<Packet>(a), a1 = pload<Packet>(a + kLanes), a2 = pload<Packet>(a + 2 * kLanes);
    for (Size j = 0; j < kStripColumns; ++j) {
      const Packet bj = pset1<Packet>(b[j]);
      sum[0][j] = pmadd(a0, bj, sum[0][j]);
      sum[1][j] = pmadd(a1, bj, sum[1][j]);
      sum[2][j] = pmadd(a2, bj, sum[2][j]);
    }
  }
  for (Size j = 0; j < kStripColumns; ++j)
    for (Size i = 0; i < 3; ++i) {
      double* target = c + i * kLanes + j * ldc;
      pstoreu(target, psub(ploadu<Packet>(target), sum[i][j]));
    }
}

/// One tile of C; `lower` leaves out strips that are wholly above the diagonal.
void multiplyTile(double* c, Size ldc, const BlockView& a, const BlockView& b, const ProductShape& shape,
                  bool lower, Size diagonal) {
  PackBuffers& buffers = packBuffers();
  for (Size k0 = 0; k0 < shape.depth; k0 += kDepth) {
    const Size depth = std::min(kDepth, shape.depth - k0);
    pack<kStripRows>(buffers.a, a.at(0, k0), shape.rows, depth);
    pack<kStripColumns>(buffers.b, b.at(k0, 0).transposed(), shape.columns, depth);
    for (Size j = 0; j < shape.columns; j += kStripColumns)
      for (Size i = 0; i < shape.rows; i += kStripRows) {
        if (lower && i + kStripRows + diagonal <= j) continue;
        const double* stripA = buffers.a + i * depth;
        const double* stripB = buffers.b + j * depth;
        if (i + kStripRows <= shape.rows && j + kStripColumns <= shape.columns) {
          multiplyStrips(c + i + j * ldc, ldc, stripA, stripB, depth);
          continue;
        }
        alignas(64) double edge[kStripRows * kStripColumns] = {};
        const Size rows = std::min(kStripRows, shape.rows - i),
                   columns = std::min(kStripColumns, shape.columns - j);
        for (Size jj = 0; jj < columns; ++jj)
          for (Size ii = 0; ii < rows; ++ii) edge[ii + jj * kStripRows] = c[i + ii + (j + jj) * ldc];
        multiplyStrips(edge, kStripRows, stripA, stripB, depth);
        for (Size jj = 0; jj < columns; ++jj)
          for (Size ii = 0; ii < rows; ++ii) c[i + ii + (j + jj) * ldc] = edge[ii + jj * kStripRows];
      }
  }
}

void subtract(double* c, Size ldc, const BlockView& a, const BlockView& b, const ProductShape& shape,
              bool lower, Context& context) {
  if (shape.rows <= 0 || shape.columns <= 0 || shape.depth <= 0) return;
  const Size tilesDown = (shape.rows + kTileRows - 1) / kTileRows;
  const Size tilesAcross = (shape.columns + kTileColumns - 1) / kTileColumns;
  const auto tile = [&](size_t t) {
    const Size i = static_cast<Size>(t) % tilesDown * kTileRows,
               j = static_cast<Size>(t) / tilesDown * kTileColumns;
    if (lower && i + kTileRows <= j) return;
    const ProductShape part{std::min(kTileRows, shape.rows - i), std::min(kTileColumns, shape.columns - j),
                            shape.depth};
    multiplyTile(c + i + j * ldc, ldc, a.at(i, 0), b.at(0, j), part, lower, i - j);
  };
  const auto tiles = static_cast<size_t>(tilesDown * tilesAcross);
  const double work =
      static_cast<double>(shape.rows) * static_cast<double>(shape.columns) * static_cast<double>(shape.depth);
  if (tiles > 1 && work > kParallelWork)
    parallelFor(context, tiles, 1, tile);
  else
    for (size_t t = 0; t < tiles; ++t) tile(t);
}

/// A few columns, without blocks.
PivotCount choleskyFew(double* a, Size lda, Size rows, Size columns, const PivotRule& rule) {
  PivotCount count;
  for (Size j = 0; j < columns; ++j) {
    double* column = a + j * lda;
    double pivot = column[j];
    if (pivot <= rule.floor) {
      pivot = rule.replacement;
      ++count.mended;
    }
    if (!(pivot > 0) || !std::isfinite(pivot)) {
      if (count.failed < 0) count.failed = j;
      pivot = 1;
    }
    const double root = std::sqrt(pivot), inverse = 1 / root;
    column[j] = root;
    for (Size i = j + 1; i < rows; ++i) column[i] *= inverse;
    for (Size k = j + 1; k < columns; ++k) {
      double* other = a + k * lda;
      const double factor = column[k];
      for (Size i = k; i < rows; ++i) other[i] -= column[i] * factor;
    }
  }
  return count;
}

}  // namespace

void subtractProduct(double* c, Size ldc, const BlockView& a, const BlockView& b, const ProductShape& shape,
                     Context& context) {
  subtract(c, ldc, a, b, shape, false, context);
}

void subtractLowerProduct(double* c, Size ldc, const BlockView& a, const BlockView& b,
                          const ProductShape& shape, Context& context) {
  subtract(c, ldc, a, b, shape, true, context);
}

PivotCount choleskyColumns(double* a, Size lda, Size rows, Size columns, const PivotRule& rule,
                           Context& context) {
  constexpr Size kFew = 8;
  if (columns <= kFew) return choleskyFew(a, lda, rows, columns, rule);
  // Factor the left half, take it off the right half, factor that.
  const Size left = columns > 2 * kFew ? (columns / 2 + kFew - 1) / kFew * kFew : kFew;
  PivotCount count = choleskyColumns(a, lda, rows, left, rule, context);
  const BlockView below{a + left, 1, lda};
  double* corner = a + left + left * lda;
  subtractLowerProduct(corner, lda, below, below.transposed(), {rows - left, columns - left, left}, context);
  const PivotCount right = choleskyColumns(corner, lda, rows - left, columns - left, rule, context);
  if (count.failed < 0 && right.failed >= 0) count.failed = left + right.failed;
  count.mended += right.mended;
  return count;
}

namespace {

constexpr Size kSmallTriangle = 16;

}  // namespace

void subtractThinProduct(double* c, Size ldc, const BlockView& a, const BlockView& b,
                         const ProductShape& shape, Context& context) {
  if (shape.columns > 1) {
    subtract(c, ldc, a, b, shape, false, context);
    return;
  }
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;
  using Matrix = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  const ConstVector x(b.data, shape.depth);
  Vector y(c, shape.rows);
  if (a.rowStride == 1)
    y.noalias() -= Matrix(a.data, shape.rows, shape.depth, Eigen::OuterStride<>(a.columnStride)) * x;
  else
    y.noalias() -= Matrix(a.data, shape.depth, shape.rows, Eigen::OuterStride<>(a.rowStride)).transpose() * x;
}

void solveLower(const double* l, Size ldl, Size n, double* x, Size ldx, Size columns, Context& context) {
  if (n > kSmallTriangle) {
    const Size half = (n / 2 + 7) / 8 * 8;
    solveLower(l, ldl, half, x, ldx, columns, context);
    subtractThinProduct(x + half, ldx, {l + half, 1, ldl}, {x, 1, ldx}, {n - half, columns, half}, context);
    solveLower(l + half + half * ldl, ldl, n - half, x + half, ldx, columns, context);
    return;
  }
  for (Size c = 0; c < columns; ++c) {
    double* column = x + c * ldx;
    for (Size j = 0; j < n; ++j) {
      const double value = column[j] / l[j + j * ldl];
      column[j] = value;
      for (Size i = j + 1; i < n; ++i) column[i] -= l[i + j * ldl] * value;
    }
  }
}

void solveLowerTransposed(const double* l, Size ldl, Size n, double* x, Size ldx, Size columns,
                          Context& context) {
  if (n > kSmallTriangle) {
    const Size half = (n / 2 + 7) / 8 * 8;
    solveLowerTransposed(l + half + half * ldl, ldl, n - half, x + half, ldx, columns, context);
    subtractThinProduct(x, ldx, {l + half, ldl, 1}, {x + half, 1, ldx}, {half, columns, n - half}, context);
    solveLowerTransposed(l, ldl, half, x, ldx, columns, context);
    return;
  }
  for (Size c = 0; c < columns; ++c) {
    double* column = x + c * ldx;
    for (Size j = n - 1; j >= 0; --j) {
      double value = column[j];
      for (Size i = j + 1; i < n; ++i) value -= l[i + j * ldl] * column[i];
      column[j] = value / l[j + j * ldl];
    }
  }
}

}  // namespace hackle
