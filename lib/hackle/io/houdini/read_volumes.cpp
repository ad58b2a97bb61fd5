#include <hackle/io/houdini/detail_parts.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hackle::houdini {

namespace {

constexpr int kTile = 16;  // voxels along the edge of a tile of a native volume
constexpr int64_t kLargestResolution = int64_t(1) << 24;
constexpr uint64_t kBytesPerLeaf = 2200;  // of an OpenVDB leaf of 8 x 8 x 8 floats

using Index3 = std::array<int, 3>;

Index3 readResolution(const JsonValue& value) {
  Index3 resolution{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t r = value.intAt(axis);
    if (r < 1 || r > kLargestResolution)
      throw Error(ErrorCode::BadInput, fmt::format("a resolution of {} voxels", r));
    resolution[axis] = static_cast<int>(r);
  }
  return resolution;
}

void setTile(const JsonValue& tile, std::string_view compression, const Index3& origin, const Index3& size,
             FloatGridBuilder& builder, ReadScope& scope) {
  const JsonValue data = tile["data"];
  if (compression == "constant") {
    const bool wholeLeaves = std::all_of(size.begin(), size.end(), [](int s) { return s % 8 == 0; });
    scope.claim(8, wholeLeaves ? 16 : kBytesPerLeaf);
    return builder.fill(origin, size, static_cast<float>(data.isList() ? data.realAt(0) : data.asReal()));
  }
  if (compression != "raw" && compression != "rawfull" && compression != "fpreal16")
    throw Error(ErrorCode::BadInput, fmt::format("its voxels are compressed as {}", compression),
                "save it without compression (the Volume Compress node) or as a VDB");
  const size_t count =
      static_cast<size_t>(size[0]) * static_cast<size_t>(size[1]) * static_cast<size_t>(size[2]);
  if (data.size() != count)
    throw Error(ErrorCode::BadInput, fmt::format("a tile of {} voxels with {} values", count, data.size()));
  uint64_t leaves = 1;
  for (const int s : size) leaves *= static_cast<uint64_t>((s + 7) / 8);
  scope.claim(leaves, kBytesPerLeaf);
  std::vector<float> values(count);
  data.copyNumbers(0, count, values.data());
  builder.set(origin, size, values);
}

void setTiles(const JsonValue& array, const Index3& resolution, FloatGridBuilder& builder, ReadScope& scope) {
  const JsonValue names = array["compressiontypes"], tiles = array["tiles"];
  Index3 counts{};
  for (size_t axis = 0; axis < 3; ++axis) counts[axis] = (resolution[axis] + kTile - 1) / kTile;
  // Compared by division: the product of three large numbers may not fit.
  const size_t row = static_cast<size_t>(counts[0]) * static_cast<size_t>(counts[1]);
  if (tiles.size() / row != static_cast<size_t>(counts[2]) || tiles.size() % row != 0)
    throw Error(ErrorCode::BadInput, fmt::format("{} x {} x {} voxels in {} tiles", resolution[0],
                                                 resolution[1], resolution[2], tiles.size()));
  size_t t = 0;
  for (int z = 0; z < counts[2]; ++z)
    for (int y = 0; y < counts[1]; ++y)
      for (int x = 0; x < counts[0]; ++x, ++t) {
        const Index3 origin{x * kTile, y * kTile, z * kTile};
        Index3 size{};
        for (size_t axis = 0; axis < 3; ++axis) size[axis] = std::min(kTile, resolution[axis] - origin[axis]);
        const JsonValue tile = tiles.at(t);
        if (t % 256 == 0) scope.context().checkCancel();
        setTile(tile, names.at(static_cast<size_t>(tile["compression"].asInt())).asString(), origin, size,
                builder, scope);
      }
}

/// The voxels in index space: voxel (i, j, k) at (i, j, k).
VolumePtr readVoxels(const JsonValue& voxels, const Index3& resolution, float background, ReadScope& scope) {
  FloatGridBuilder builder(background);
  if (const JsonValue tiled = voxels["tiledarray"]; !tiled.isNull()) {
    setTiles(tiled, resolution, builder, scope);
  } else if (const JsonValue constant = voxels["constantarray"]; !constant.isNull()) {
    uint64_t leaves = 1;  // those that the faces of the box cut
    for (const int r : resolution) leaves *= static_cast<uint64_t>(r / 8 + 1);
    scope.claim(leaves, 64);
    builder.fill({0, 0, 0}, resolution, static_cast<float>(constant.asReal()));
  } else {
    throw Error(ErrorCode::BadInput, "its voxels are in no known form");
  }
  return builder.finish("", {});
}

}  // namespace

VolumePtr readNativeVolume(const PrimitiveFields& fields, const Vec3& position, SharedData& shared,
                           ReadScope& scope) {
  scope.context().warn("native volumes were converted to VDB grids of floats");
  const Index3 resolution = readResolution(fields["res"]);
  const JsonValue border = fields["border"];
  float background = 0;
  if (const JsonValue value = border["value"]; !value.isNull() && border["type"].asString() == "constant")
    background = static_cast<float>(value.asReal());

  VolumePtr voxels;
  if (const JsonValue key = fields["sharedvoxels"]; !key.isNull()) {
    const std::string id = fmt::format("{} {} {} {} {}", resolution[0], resolution[1], resolution[2],
                                       background, key.asString());
    VolumePtr& known = shared.voxels[id];
    if (!known) known = readVoxels(shared.find(key.asString()), resolution, background, scope);
    voxels = known;
  } else {
    voxels = readVoxels(fields["voxels"], resolution, background, scope);
  }
  for (const char* taper : {"taperx", "tapery"})
    if (const JsonValue value = fields[taper]; !value.isNull() && value.asReal() != 1)
      scope.context().warn("the taper of a native volume was left out: it became a box");

  // The volume fills [-1, 1]^3 * transform + position (row vectors), voxels in equal parts.
  Mat3 box;
  for (int i = 0; i < 9; ++i) box(i / 3, i % 3) = fields["transform"].realAt(static_cast<size_t>(i));
  const Vec3 cell(2.0 / resolution[0], 2.0 / resolution[1], 2.0 / resolution[2]);
  const Vec3 first = 0.5 * cell - Vec3::Ones();
  return voxels->transformed(box.transpose() * cell.asDiagonal(), box.transpose() * first + position);
}

VolumePtr readVdbPrimitive(const PrimitiveFields& fields, const Vec3& position, ReadScope& scope) {
  const JsonValue stream = fields["vdb"];
  if (!stream.isList()) throw Error(ErrorCode::BadInput, "it has no voxels in the file");
  std::string bytes;
  for (size_t i = 0; i < stream.size(); ++i) {
    const JsonValue tile = stream.at(i);
    if (tile.isString()) {
      scope.claim(tile.size(), 1);
      bytes += tile.asString();
    } else if (tile.isNumbers()) {
      const size_t old = bytes.size();
      scope.claim(tile.size(), 1);
      bytes.resize(old + tile.size());
      tile.copyNumbers(0, tile.size(), reinterpret_cast<uint8_t*>(bytes.data() + old));
    }  // else a map of options
  }
  const std::vector<VolumePtr> grids = gridsFromVdb(bytes, scope.context());
  if (grids.size() != 1)
    throw Error(ErrorCode::BadInput, fmt::format("expected one OpenVDB grid, found {}", grids.size()));
  const Vec3 shift = position - gridOrigin(*grids[0]);
  const double rounding = 1e-6 * (1 + position.norm());  // points are in single precision
  return shift.norm() > rounding ? grids[0]->transformed(Mat3::Identity(), shift) : grids[0];
}

}  // namespace hackle::houdini
