// A sheet of triangles that grows, such as a crack, as a narrow band of distances on a sparse grid.
#pragma once

#include <hackle/geometry/vec.h>
#include <hackle/geometry/volume_grid.h>

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace hackle {

using Voxel = std::array<int32_t, 3>;

/// Unsigned distances to the nearest triangle at voxels whose centres are whole multiples of the voxel size,
/// as far as `halfWidth` voxels from the sheet, with the number of that triangle. What a triangle adds costs
/// time in proportion to the voxels around it, whatever is there already. May be asked from many threads at
/// once while nothing is added.
class SheetBand {
 public:
  /// Both above 0; the half width in voxels. Error(Usage) otherwise.
  explicit SheetBand(double voxelSize, double halfWidth = 2.0);

  /// Adds a triangle, degenerate or not, and returns its number: 0, 1, ... Of equally near ones the first
  /// stays.
  int32_t add(const Vec3& a, const Vec3& b, const Vec3& c);

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
    for (const Block& block : mBlocks)
      for (int32_t i = 0; i < kBlockVoxels; ++i)
        if (block.entries[static_cast<size_t>(i)].triangle >= 0)
          visit(Voxel{block.origin[0] + i % kSide, block.origin[1] + i / kSide % kSide,
                      block.origin[2] + i / (kSide * kSide)},
                block.entries[static_cast<size_t>(i)]);
  }

  /// An OpenVDB level set of the sheet with a thickness (m).
  VolumePtr levelSet(double thickness, const std::string& name) const;
  size_t bytes() const { return mBlocks.size() * sizeof(Block) + mTriangles.size() * sizeof(mTriangles[0]); }

 private:
  static constexpr int32_t kSide = 8;
  static constexpr int32_t kBlockVoxels = kSide * kSide * kSide;
  struct Block {
    Voxel origin;
    std::array<Entry, kBlockVoxels> entries;
  };
  struct VoxelHash {
    size_t operator()(const Voxel& v) const;
  };
  Block& blockAt(const Voxel& origin);

  double mVoxel, mWidth;
  std::vector<std::array<Vec3, 3>> mTriangles;
  std::vector<Block> mBlocks;
  std::unordered_map<Voxel, int32_t, VoxelHash> mBlockOf;  // by origin
};

}  // namespace hackle
