// OpenVDB grids for layers that do not see OpenVDB: make, sample, rename, to and from bytes.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/volume_grid.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// Where voxels are: the centre of voxel (i, j, k) is linear * (i, j, k) + offset (column vectors, metres).
struct GridTransform {
  Mat3 linear = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
};

/// Fills a float grid box by box. Voxels that equal the background stay inactive.
class FloatGridBuilder {
 public:
  explicit FloatGridBuilder(float background);
  ~FloatGridBuilder();
  FloatGridBuilder(const FloatGridBuilder&) = delete;
  FloatGridBuilder& operator=(const FloatGridBuilder&) = delete;

  /// Values of the box at `origin`, x fastest; size[0] * size[1] * size[2] of them.
  void set(const std::array<int, 3>& origin, const std::array<int, 3>& size, Span<const float> values);
  /// One value for the whole box.
  void fill(const std::array<int, 3>& origin, const std::array<int, 3>& size, float value);
  /// Error(BadInput) if `linear` is singular. `levelSet` marks the grid as one. The builder is empty
  /// afterwards.
  VolumePtr finish(const std::string& name, const GridTransform& transform, bool levelSet = false);

 private:
  struct Impl;
  std::unique_ptr<Impl> mImpl;
};

/// A float grid from a dense block of values, x fastest, that starts at voxel (0, 0, 0).
VolumePtr makeFloatGrid(const std::string& name, const std::array<int, 3>& resolution,
                        Span<const float> values, float background, const GridTransform& transform);

/// Trilinear value at a point in world space; vectors give their length. Error(BadInput) for grids of other
/// things than numbers.
double sampleGrid(const VolumeGrid& grid, const Vec3& position);
/// The same of a grid of vectors; a number comes three times.
Vec3 sampleVectorGrid(const VolumeGrid& grid, const Vec3& position);

/// World position of voxel (0, 0, 0), where Houdini keeps the point of a VDB primitive.
Vec3 gridOrigin(const VolumeGrid& grid);
/// Copies that share the voxels.
VolumePtr renamedGrid(const VolumeGrid& grid, const std::string& name);

/// One grid as an OpenVDB stream, as Houdini's VDB primitive holds it.
std::string gridToBytes(const VolumeGrid& grid);
/// All grids of a .vdb file as bytes; names as the grids say. Equal grids give equal bytes.
std::string gridsToVdb(Span<const VolumePtr> grids);
/// All grids of a .vdb file or stream, in its order. Grids of points are left out with a warning.
/// Error(BadInput) with the byte if it is damaged.
std::vector<VolumePtr> gridsFromVdb(std::string_view bytes, Context& context);
/// True if the bytes start as a .vdb file does.
bool isVdb(std::string_view bytes);

}  // namespace hackle
