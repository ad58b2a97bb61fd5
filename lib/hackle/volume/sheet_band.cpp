#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/bvh.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/sheet_band.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

int32_t floorToBlock(int32_t i, int32_t side) {
  const int32_t r = i % side;
  return r < 0 ? i - r - side : i - r;
}

}  // namespace

size_t SheetBand::VoxelHash::operator()(const Voxel& v) const {
  uint64_t h = 0;
  for (const int32_t i : v) h = mixBits(h + static_cast<uint32_t>(i) + 0x9e3779b97f4a7c15ULL);
  return static_cast<size_t>(h);
}

SheetBand::SheetBand(double voxelSize, double halfWidth)
    : mVoxel(voxelSize), mWidth(static_cast<double>(static_cast<float>(voxelSize * halfWidth))) {
  if (!(voxelSize > 0) || !(halfWidth > 0) || !std::isfinite(mWidth))
    throw Error(ErrorCode::Usage, "voxels and the band around a sheet must be larger than nothing");
}

SheetBand::Block& SheetBand::blockAt(const Voxel& origin) {
  const auto [found, isNew] = mBlockOf.try_emplace(origin, static_cast<int32_t>(mBlocks.size()));
  if (isNew) {
    mBlocks.emplace_back();
    mBlocks.back().origin = origin;
    mBlocks.back().entries.fill({static_cast<float>(mWidth), -1});
  }
  return mBlocks[static_cast<size_t>(found->second)];
}

int32_t SheetBand::add(const Vec3& a, const Vec3& b, const Vec3& c) {
  const int32_t number = static_cast<int32_t>(mTriangles.size());
  mTriangles.push_back({a, b, c});
  const Vec3 low = (a.cwiseMin(b).cwiseMin(c).array() - mWidth) / mVoxel;
  const Vec3 high = (a.cwiseMax(b).cwiseMax(c).array() + mWidth) / mVoxel;
  if (low.cwiseAbs().maxCoeff() > 1e9 || high.cwiseAbs().maxCoeff() > 1e9)
    throw Error(ErrorCode::Usage, "the voxels of a sheet are too small for its size");
  Voxel first, last;
  for (size_t k = 0; k < 3; ++k) {
    first[k] = static_cast<int32_t>(std::ceil(low[static_cast<Eigen::Index>(k)]));
    last[k] = static_cast<int32_t>(std::floor(high[static_cast<Eigen::Index>(k)]));
  }
  // Voxels farther from the triangle's plane than the band are skipped before their distance is asked for.
  Vec3 normal = (b - a).cross(c - a);
  const double length = normal.norm();
  normal = length > 0 ? Vec3(normal / length) : Vec3::Zero();
  Voxel block;
  for (block[2] = floorToBlock(first[2], kSide); block[2] <= last[2]; block[2] += kSide)
    for (block[1] = floorToBlock(first[1], kSide); block[1] <= last[1]; block[1] += kSide)
      for (block[0] = floorToBlock(first[0], kSide); block[0] <= last[0]; block[0] += kSide) {
        Block& target = blockAt(block);
        Voxel from, to;
        for (size_t k = 0; k < 3; ++k) {
          from[k] = std::max(first[k], block[k]);
          to[k] = std::min(last[k], block[k] + kSide - 1);
        }
        for (int32_t z = from[2]; z <= to[2]; ++z)
          for (int32_t y = from[1]; y <= to[1]; ++y)
            for (int32_t x = from[0]; x <= to[0]; ++x) {
              Entry& entry = target.entries[static_cast<size_t>(
                  (x - block[0]) + kSide * ((y - block[1]) + kSide * (z - block[2])))];
              const Vec3 p(x * mVoxel, y * mVoxel, z * mVoxel);
              if (std::abs(normal.dot(p - a)) >= static_cast<double>(entry.distance)) continue;
              const double d = std::sqrt(closestPointOnTriangle(p, a, b, c).squaredDistance);
              if (d < static_cast<double>(entry.distance)) entry = {static_cast<float>(d), number};
            }
      }
  return number;
}

SheetBand::Entry SheetBand::at(const Voxel& voxel) const {
  Voxel origin;
  for (size_t k = 0; k < 3; ++k) origin[k] = floorToBlock(voxel[k], kSide);
  const auto found = mBlockOf.find(origin);
  if (found == mBlockOf.end()) return {static_cast<float>(mWidth), -1};
  return mBlocks[static_cast<size_t>(found->second)].entries[static_cast<size_t>(
      (voxel[0] - origin[0]) + kSide * ((voxel[1] - origin[1]) + kSide * (voxel[2] - origin[2])))];
}

double SheetBand::distance(const Vec3& p) const {
  const Vec3 q = p / mVoxel;
  const Vec3 base = q.array().floor();
  const Vec3 f = q - base;
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    Voxel v;
    for (int k = 0; k < 3; ++k) {
      const int up = corner >> k & 1;
      weight *= up ? f[k] : 1 - f[k];
      v[static_cast<size_t>(k)] = static_cast<int32_t>(base[k]) + up;
    }
    if (weight > 0) sum += weight * static_cast<double>(at(v).distance);
  }
  return sum;
}

Vec3 SheetBand::gradient(const Vec3& p) const {
  Vec3 g;
  for (int k = 0; k < 3; ++k) {
    const Vec3 step = 0.5 * mVoxel * Vec3::Unit(k);
    g[k] = (distance(p + step) - distance(p - step)) / mVoxel;
  }
  return g;
}

VolumePtr SheetBand::levelSet(double thickness, const std::string& name) const {
  const float half = static_cast<float>(0.5 * thickness);
  FloatGridBuilder builder(static_cast<float>(mWidth) - half);
  std::vector<float> values(kBlockVoxels);
  for (const Block& block : mBlocks) {
    std::transform(block.entries.begin(), block.entries.end(), values.begin(),
                   [&](const Entry& e) { return e.distance - half; });
    builder.set(block.origin, {kSide, kSide, kSide}, values);
  }
  GridTransform transform;
  transform.linear = Mat3::Identity() * mVoxel;
  return builder.finish(name, transform, true);
}

}  // namespace hackle
