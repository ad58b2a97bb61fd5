// A level set as a function of space, for sources that do not see OpenVDB.
#pragma once

#include <hackle/volume/grid.h>

#include <memory>

namespace hackle {

/// Works in the grid's own coordinates, in which voxels have their centres at whole numbers: for any
/// transform. May be asked from many threads at once.
class LevelSetSampler {
 public:
  /// Keeps the voxels alive. Error(BadInput) for other grids than level sets of floats, and for those that
  /// are inside where they have no voxels.
  explicit LevelSetSampler(const VolumeGrid& grid);
  ~LevelSetSampler();
  LevelSetSampler(const LevelSetSampler&) = delete;
  LevelSetSampler& operator=(const LevelSetSampler&) = delete;

  const GridTransform& transform() const { return mTransform; }
  /// Box of the centres of the active voxels; empty if there are none.
  const Box3& bounds() const { return mBounds; }
  /// Trilinear value in metres.
  double operator()(const Vec3& p) const;
  /// False if all voxels that matter to points in the box have the same sign.
  bool mayCross(const Box3& box) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> mImpl;
  GridTransform mTransform;
  Box3 mBounds;
};

}  // namespace hackle
