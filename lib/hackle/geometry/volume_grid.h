// A sparse volume as the geometry layer sees it; volume/ holds the OpenVDB grid behind it.
#pragma once

#include <hackle/geometry/vec.h>

#include <cstdint>
#include <memory>
#include <string>

namespace hackle {

class VolumeGrid {
 public:
  virtual ~VolumeGrid() = default;
  virtual std::string name() const = 0;
  /// "float", "double", "int32", "vec3s", "bool", ...
  virtual std::string valueType() const = 0;
  /// "level set", "fog volume", "staggered" or "unknown"
  virtual std::string gridClass() const = 0;
  virtual uint64_t activeVoxelCount() const = 0;
  /// World-space box around the active voxels.
  virtual Box3 bounds() const = 0;
  virtual Vec3 voxelSize() const = 0;
  /// A copy, moved by x -> linear * x + offset (column vectors), that shares the voxels.
  virtual std::shared_ptr<const VolumeGrid> transformed(const Mat3& linear, const Vec3& offset) const = 0;
};

using VolumePtr = std::shared_ptr<const VolumeGrid>;

}  // namespace hackle
