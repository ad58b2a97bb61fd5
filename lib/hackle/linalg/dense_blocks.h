// Dense block operations whose sums run in one fixed order: on any machine's caches, on any number of
// threads.
#pragma once

#include <hackle/core/context.h>

#include <cstddef>
#include <limits>

namespace hackle {

/// A matrix in memory: entry (i, j) is data[i * rowStride + j * columnStride].
struct BlockView {
  const double* data = nullptr;
  std::ptrdiff_t rowStride = 1, columnStride = 0;

  BlockView transposed() const { return {data, columnStride, rowStride}; }
  BlockView at(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return {data + i * rowStride + j * columnStride, rowStride, columnStride};
  }
};

struct ProductShape {
  std::ptrdiff_t rows = 0, columns = 0, depth = 0;  // A is rows × depth, B depth × columns
};

/// C -= A B; C is kept by columns, `ldc` apart. Eigen's own products split long sums by the size of the
/// caches that they find, so their last bits differ between machines; here they do not. Large products run on
/// the context's threads.
void subtractProduct(double* c, std::ptrdiff_t ldc, const BlockView& a, const BlockView& b,
                     const ProductShape& shape, Context& context);
/// The same for the lower triangle or trapezoid of C; what is above it may change or not.
void subtractLowerProduct(double* c, std::ptrdiff_t ldc, const BlockView& a, const BlockView& b,
                          const ProductShape& shape, Context& context);

/// C -= A B, with a short way for a single column.
void subtractThinProduct(double* c, std::ptrdiff_t ldc, const BlockView& a, const BlockView& b,
                         const ProductShape& shape, Context& context);

/// Pivots that are not larger than `floor` are replaced; without a floor those that are not positive fail.
struct PivotRule {
  double floor = -std::numeric_limits<double>::infinity();
  double replacement = 1.0;
};
struct PivotCount {
  std::ptrdiff_t failed = -1;  // first column without a positive pivot, -1 if there is none
  std::ptrdiff_t mended = 0;
};

/// Factors the first `columns` columns of a symmetric matrix of `rows` rows, given by its lower trapezoid: L
/// of LLᵀ takes its place. What is above the diagonal is overwritten.
PivotCount choleskyColumns(double* a, std::ptrdiff_t lda, std::ptrdiff_t rows, std::ptrdiff_t columns,
                           const PivotRule& rule, Context& context);

/// X = L⁻¹ X or L⁻ᵀ X with L lower triangular, n × n, and X n × columns.
void solveLower(const double* l, std::ptrdiff_t ldl, std::ptrdiff_t n, double* x, std::ptrdiff_t ldx,
                std::ptrdiff_t columns, Context& context);
void solveLowerTransposed(const double* l, std::ptrdiff_t ldl, std::ptrdiff_t n, double* x,
                          std::ptrdiff_t ldx, std::ptrdiff_t columns, Context& context);

}  // namespace hackle
