// A sheet of triangles that grows, such as a crack, as a narrow band of distances on a sparse grid.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace hackle {

using Voxel = std::array<int32_t, 3>;

/// Unsigned distances to the nearest triangle at voxels whose centres are whole multiples of the voxel size,
/// with the number of that triangle: all voxels within 1.5 voxels of the sheet, and within `halfWidth` voxels
/// where the nearest place of the sheet is not farther than that beside a triangle's prism (so not those that
/// lie farther beyond its rim). What a triangle adds costs time in proportion to the voxels around it,
/// whatever is there already. May be asked from many threads at once while nothing is added.
class SheetBand {
 public:
  /// Both above 0; the half width in voxels. Error(Usage) otherwise.
  explicit SheetBand(double voxelSize, double halfWidth = 2.0);

  /// Adds a triangle, degenerate or not, and returns its number: 0, 1, ... Of equally near ones the first
  /// stays.
  int32_t add(const Vec3& a, const Vec3& b, const Vec3& c);
  /// The triangles (a, b, c) and (a, c, d) at once, for less than twice the price; the number of the first.
  int32_t addQuad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

  double voxelSize() const { return mVoxel; }
  /// m, the value of distances beyond the band.
  double width() const { return mWidth; }
  size_t triangleCount() const { return mTriangles.size(); }
  const std::array<Vec3, 3>& triangle(size_t t) const { return mTriangles[t]; }

  struct Entry {
    float distance;    // m
    int32_t triangle;  // -1 beyond the band
  };
  Entry at(const Voxel& voxel) const;
  /// m, trilinear; `width()` beyond the band.
  double distance(const Vec3& p) const;
  /// Of the trilinear distance, by central differences over a voxel; zero beyond the band.
  Vec3 gradient(const Vec3& p) const;

  /// Calls visit(voxel, entry) for all voxels of the band, in the order in which blocks were first reached.
  template <class Visit>
  void forEach(const Visit& visit) const {
    for (const auto& block : mBlocks)
      for (size_t i = 0; i < kBlockVoxels; ++i)
        if (block->triangle[i] >= 0) {
          const int32_t v = static_cast<int32_t>(i);
          visit(Voxel{block->origin[0] + v % kSide, block->origin[1] + v / kSide % kSide,
                      block->origin[2] + v / (kSide * kSide)},
                entry(*block, i));
        }
  }

  /// Memory.
  size_t bytes() const;

 private:
  static constexpr int32_t kSide = 8;
  static constexpr size_t kBlockVoxels = 512;
  struct Block {
    Voxel origin;
    alignas(32) std::array<float, kBlockVoxels> square;  // of distances, in voxels
    alignas(32) std::array<int32_t, kBlockVoxels> triangle;
  };
  Entry entry(const Block& block, size_t i) const {
    return {static_cast<float>(std::sqrt(static_cast<double>(block.square[i])) * mVoxel), block.triangle[i]};
  }
  const Block* find(const Voxel& origin) const;
  Block& make(const Voxel& origin);
  void addAll(int32_t first, size_t count);
  struct TriangleRow;
  void addTo(const Voxel& origin, const Voxel& low, const Voxel& high, Span<const TriangleRow> rows,
             int32_t first);

  double mVoxel, mWidth, mHalfWidth;
  std::vector<std::array<Vec3, 3>> mTriangles;
  std::vector<std::unique_ptr<Block>> mBlocks;
  // Blocks by origin: open addressing, a power of two, at most half full.
  std::vector<std::pair<uint64_t, int32_t>> mTable;
};

}  // namespace hackle
