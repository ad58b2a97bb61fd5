// The OpenVDB grid behind a VolumeGrid. Only sources of volume/ include this header: it costs seconds to
// compile.
#pragma once

#include <hackle/geometry/volume_grid.h>

#include <openvdb/openvdb.h>

namespace hackle {

/// Wraps a grid of any type; never null, never changed after it was wrapped.
class VdbGrid : public VolumeGrid {
 public:
  explicit VdbGrid(openvdb::GridBase::ConstPtr grid);

  const openvdb::GridBase& grid() const { return *mGrid; }
  const openvdb::GridBase::ConstPtr& pointer() const { return mGrid; }

  std::string name() const override;
  std::string valueType() const override;
  std::string gridClass() const override;
  uint64_t activeVoxelCount() const override;
  Box3 bounds() const override;
  Vec3 voxelSize() const override;
  VolumePtr transformed(const Mat3& linear, const Vec3& offset) const override;

 private:
  openvdb::GridBase::ConstPtr mGrid;
};

/// The OpenVDB grid of a volume; every VolumeGrid in Hackle is a VdbGrid.
const VdbGrid& vdbGrid(const VolumeGrid& grid);

/// OpenVDB's transform for a map of column vectors. Error(BadInput) if it is singular or not finite.
openvdb::math::Transform::Ptr vdbTransform(const Mat3& linear, const Vec3& offset);

/// Registers OpenVDB's types; call before anything of OpenVDB. Cheap after the first time.
void initialiseVdb();

}  // namespace hackle
