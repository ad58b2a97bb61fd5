// Sparse matrices of 3 x 3 blocks between the points of elements, assembled in an order that no thread
// changes.
#pragma once

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/linalg/sparse.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace hackle {

/// A matrix of 3 x 3 blocks between points that share an element, lower triangle. `Scalar` ones have
/// multiples of the unit matrix as blocks, of which only the diagonal is stored. `Element` is an array of
/// points.
template <bool Scalar, class Element>
class BlockMatrix {
 public:
  BlockMatrix(size_t points, Span<const Element> elements, Context& context)
      : mElements(elements), mStars(points, elements), mNeighbours(points) {
    const size_t n = points;
    parallelFor(context, n, kGrain, [&](size_t j) {
      std::vector<int32_t>& list = mNeighbours[j];
      for (const int32_t t : mStars.of(j))
        for (const int32_t i : elements[t])
          if (static_cast<size_t>(i) >= j) list.push_back(i);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    });
    const auto size = static_cast<Eigen::Index>(3 * n);
    mMatrix.resize(size, size);
    int32_t* starts = mMatrix.outerIndexPtr();
    size_t count = 0;
    for (size_t j = 0; j < n; ++j)
      for (size_t c = 0; c < 3; ++c) {
        starts[3 * j + c] = static_cast<int32_t>(count);
        count += Scalar ? mNeighbours[j].size() : 3 * mNeighbours[j].size() - c;
      }
    if (count > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      throw Error(ErrorCode::BadInput, "the mesh has too many tetrahedra", "make it coarser");
    starts[3 * n] = static_cast<int32_t>(count);
    mMatrix.resizeNonZeros(static_cast<Eigen::Index>(count));
  }

  /// block(t, a, b): what element t adds for its points a (row) and b (column).
  template <class Block>
  SparseMatrix fill(const Block& block, Context& context) {
    parallelRanges(context, mNeighbours.size(), kGrain, [&](size_t begin, size_t end) {
      std::vector<Mat3> blocks;
      for (size_t j = begin; j < end; ++j) {
        const std::vector<int32_t>& list = mNeighbours[j];
        blocks.assign(list.size(), Mat3::Zero());
        for (const int32_t t : mStars.of(j)) {
          const Element& tet = mElements[t];
          const auto b =
              static_cast<size_t>(std::find(tet.begin(), tet.end(), static_cast<int32_t>(j)) - tet.begin());
          for (size_t a = 0; a < tet.size(); ++a) {
            if (static_cast<size_t>(tet[a]) < j) continue;
            const auto at = std::lower_bound(list.begin(), list.end(), tet[a]) - list.begin();
            blocks[at] += block(static_cast<size_t>(t), a, b);
          }
        }
        write(j, blocks);
      }
    });
    return std::move(mMatrix);
  }

 private:
  void write(size_t j, const std::vector<Mat3>& blocks) {
    const std::vector<int32_t>& list = mNeighbours[j];
    for (int c = 0; c < 3; ++c) {
      int32_t at = mMatrix.outerIndexPtr()[3 * j + static_cast<size_t>(c)];
      for (size_t k = 0; k < list.size(); ++k)
        for (int r = Scalar || k == 0 ? c : 0; r < (Scalar ? c + 1 : 3); ++r) {
          mMatrix.innerIndexPtr()[at] = 3 * list[k] + r;
          mMatrix.valuePtr()[at++] = blocks[k](r, c);
        }
    }
  }

  static constexpr size_t kGrain = 512;

  /// The elements around each point, ascending.
  struct Stars {
    std::vector<int32_t> starts, members;
    Stars(size_t points, Span<const Element> elements) : starts(points + 1, 0) {
      size_t count = 0;
      for (const Element& e : elements)
        for (const int32_t p : e) {
          ++starts[p + 1];
          ++count;
        }
      for (size_t p = 0; p < points; ++p) starts[p + 1] += starts[p];
      members.resize(count);
      std::vector<int32_t> next(starts.begin(), starts.end() - 1);
      for (size_t t = 0; t < elements.size(); ++t)
        for (const int32_t p : elements[t]) members[next[p]++] = static_cast<int32_t>(t);
    }
    Span<const int32_t> of(size_t p) const {
      return {members.data() + starts[p], static_cast<size_t>(starts[p + 1] - starts[p])};
    }
  };

  Span<const Element> mElements;
  Stars mStars;
  std::vector<std::vector<int32_t>> mNeighbours;  // of each point, itself first, then larger ones
  SparseMatrix mMatrix;
};

}  // namespace hackle
