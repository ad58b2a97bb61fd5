#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/volume/sheet_band.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int32_t kSide = 8;
constexpr double kBeside = 1.5;  // voxels beside a triangle's prism that it still counts at

int32_t floorToBlock(int32_t i) { return i & ~(kSide - 1); }

/// Eight numbers that are computed with at once.
using Eight = float __attribute__((vector_size(32)));
using EightInts = int32_t __attribute__((vector_size(32)));
constexpr Eight kCount{0, 1, 2, 3, 4, 5, 6, 7};

/// Origins of blocks fit into 64 bits: voxels are within 2^21 * 8 / 2 of the origin.
uint64_t keyOf(const Voxel& origin) {
  uint64_t key = 0;
  for (const int32_t i : origin) key = key << 21 | (static_cast<uint64_t>(i >> 3) & 0x1fffff);
  return key;
}

}  // namespace

/// What eight voxels in a row need to know of a triangle to find their distances, in voxels from an origin
/// near it, in single precision.
struct SheetBand::TriangleRow {
  float normal[3];  // unit, or zero
  float corner[3][3], edge[3][3], inward[3][3];
  float inverse[3];       // 1 / squared length of edges, or 0
  float low[3], high[3];  // box of the corners

  TriangleRow(const std::array<Vec3, 3>& t, const Vec3& origin, double voxel) {
    std::array<Vec3, 3> p;
    for (size_t k = 0; k < 3; ++k) p[k] = t[k] / voxel - origin;
    Vec3 n = (p[1] - p[0]).cross(p[2] - p[0]);
    const double length = n.norm();
    n = length > 0 ? Vec3(n / length) : Vec3::Zero();
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 e = p[(k + 1) % 3] - p[k], in = n.cross(e);
      const double square = e.squaredNorm();
      inverse[k] = square > 0 ? static_cast<float>(1 / square) : 0.0f;
      for (size_t c = 0; c < 3; ++c) {
        const Eigen::Index i = static_cast<Eigen::Index>(c);
        normal[c] = static_cast<float>(n[i]);
        corner[k][c] = static_cast<float>(p[k][i]);
        edge[k][c] = static_cast<float>(e[i]);
        inward[k][c] = static_cast<float>(in[i]);
        low[c] = k == 0 ? corner[k][c] : std::min(low[c], corner[k][c]);
        high[c] = k == 0 ? corner[k][c] : std::max(high[c], corner[k][c]);
      }
    }
  }

  /// Less than the squared distances of all voxels of the row (x, y, z) to (x + 7, y, z).
  float leastSquare(float x, float y, float z) const {
    const float dx = std::max({low[0] - (x + 7.0f), x - high[0], 0.0f});
    const float dy = std::max({low[1] - y, y - high[1], 0.0f}),
                dz = std::max({low[2] - z, z - high[2], 0.0f});
    const float at =
        normal[0] * (x - corner[0][0]) + normal[1] * (y - corner[0][1]) + normal[2] * (z - corner[0][2]);
    const float end = at + 7.0f * normal[0];
    const float height = at * end <= 0 ? 0.0f : std::min(std::abs(at), std::abs(end));
    return 0.9999f * std::max(dx * dx + dy * dy + dz * dz, height * height);
  }

  /// Squared distances of (x, y, z) to (x + 7, y, z).
  Eight squares(float x, float y, float z) const {
    const Eight xs = kCount + x;
    Eight best = kCount * 0.0f + 1e30f, inside = best;
    for (int k = 0; k < 3; ++k) {
      const float py = y - corner[k][1], pz = z - corner[k][2];
      const float along = edge[k][1] * py + edge[k][2] * pz, in = inward[k][1] * py + inward[k][2] * pz;
      const Eight px = xs - corner[k][0];
      Eight t = (edge[k][0] * px + along) * inverse[k];
      t = t < 0.0f ? kCount * 0.0f : t;
      t = t > 1.0f ? kCount * 0.0f + 1.0f : t;
      const Eight dx = px - t * edge[k][0], dy = py - t * edge[k][1], dz = pz - t * edge[k][2];
      const Eight square = dx * dx + dy * dy + dz * dz;
      best = square < best ? square : best;
      const Eight depth = inward[k][0] * px + in;
      inside = depth < inside ? depth : inside;
    }
    const bool flat = normal[0] != 0 || normal[1] != 0 || normal[2] != 0;
    const float least = flat ? 0.0f : 1e30f;
    const Eight height =
        normal[0] * (xs - corner[0][0]) + (normal[1] * (y - corner[0][1]) + normal[2] * (z - corner[0][2]));
    return inside >= least ? height * height : best;
  }
};

SheetBand::SheetBand(double voxelSize, double halfWidth)
    : mVoxel(voxelSize),
      mWidth(static_cast<double>(static_cast<float>(voxelSize * halfWidth))),
      mHalfWidth(halfWidth),
      mTable(64, {0, -1}) {
  if (!(voxelSize > 0) || !(halfWidth > 0) || !std::isfinite(mWidth))
    throw Error(ErrorCode::Usage, "voxels and the band around a sheet must be larger than nothing");
}

const SheetBand::Block* SheetBand::find(const Voxel& origin) const {
  const uint64_t key = keyOf(origin);
  for (size_t slot = mixBits(key);; ++slot) {
    const auto& [of, block] = mTable[slot & (mTable.size() - 1)];
    if (block < 0) return nullptr;
    if (of == key) return mBlocks[block].get();
  }
}

SheetBand::Block& SheetBand::make(const Voxel& origin) {
  const auto insert = [&](uint64_t key, int32_t block) {
    size_t slot = mixBits(key);
    while (mTable[slot & (mTable.size() - 1)].second >= 0) ++slot;
    mTable[slot & (mTable.size() - 1)] = {key, block};
  };
  if (2 * (mBlocks.size() + 1) > mTable.size()) {
    mTable.assign(2 * mTable.size(), {0, -1});
    for (size_t b = 0; b < mBlocks.size(); ++b) insert(keyOf(mBlocks[b]->origin), static_cast<int32_t>(b));
  }
  insert(keyOf(origin), static_cast<int32_t>(mBlocks.size()));
  mBlocks.push_back(std::make_unique<Block>());
  Block& block = *mBlocks.back();
  block.origin = origin;
  block.square.fill(static_cast<float>(mHalfWidth * mHalfWidth));
  block.triangle.fill(-1);
  return block;
}

int32_t SheetBand::add(const Vec3& a, const Vec3& b, const Vec3& c) {
  mTriangles.push_back({a, b, c});
  addAll(static_cast<int32_t>(mTriangles.size() - 1), 1);
  return static_cast<int32_t>(mTriangles.size() - 1);
}

int32_t SheetBand::addQuad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  mTriangles.push_back({a, b, c});
  mTriangles.push_back({a, c, d});
  addAll(static_cast<int32_t>(mTriangles.size() - 2), 2);
  return static_cast<int32_t>(mTriangles.size() - 2);
}

void SheetBand::addAll(int32_t first, size_t count) {
  // The box of all prisms: up to the half width along the normal, and a voxel beside.
  Vec3 low = Vec3::Constant(1e30), high = Vec3::Constant(-1e30);
  for (size_t t = 0; t < count; ++t) {
    const auto& [a, b, c] = mTriangles[first + t];
    const Vec3 normal = (b - a).cross(c - a);
    const double length = normal.norm();
    const double beside = std::min(kBeside, mHalfWidth);
    Vec3 reach = Vec3::Constant(mHalfWidth);
    for (int k = 0; k < 3 && length > 0; ++k) {
      const double up = std::min(1.0, std::abs(normal[k]) / length);
      reach[k] = std::clamp(up * mHalfWidth + std::sqrt(1 - up * up) * beside, beside, mHalfWidth);
    }
    low = low.cwiseMin(a.cwiseMin(b).cwiseMin(c) / mVoxel - reach);
    high = high.cwiseMax(a.cwiseMax(b).cwiseMax(c) / mVoxel + reach);
  }
  if (!(low.cwiseAbs().maxCoeff() < 8e6) || !(high.cwiseAbs().maxCoeff() < 8e6)) {
    mTriangles.resize(static_cast<size_t>(first));
    throw Error(ErrorCode::Usage, "a sheet is more than eight million voxels away from the origin",
                "move the solid nearer to the origin, or take a coarser resolution");
  }
  Voxel from, to, block;
  for (size_t k = 0; k < 3; ++k) {
    from[k] = static_cast<int32_t>(std::ceil(low[k]));
    to[k] = static_cast<int32_t>(std::floor(high[k]));
  }
  // Relative to a place near the triangles, for the sake of rounding.
  const Vec3 origin(from[0], from[1], from[2]);
  std::array<TriangleRow, 2> rows{TriangleRow(mTriangles[first], origin, mVoxel),
                                  TriangleRow(mTriangles.back(), origin, mVoxel)};
  for (block[2] = floorToBlock(from[2]); block[2] <= to[2]; block[2] += kSide)
    for (block[1] = floorToBlock(from[1]); block[1] <= to[1]; block[1] += kSide)
      for (block[0] = floorToBlock(from[0]); block[0] <= to[0]; block[0] += kSide)
        addTo(block, from, to, Span<const TriangleRow>(rows.data(), count), first);
}

void SheetBand::addTo(const Voxel& origin, const Voxel& low, const Voxel& high, Span<const TriangleRow> rows,
                      int32_t first) {
  Block* block = const_cast<Block*>(find(origin));
  const int32_t y0 = std::max(low[1], origin[1]), z0 = std::max(low[2], origin[2]);
  const int32_t y1 = std::min(high[1], origin[1] + kSide - 1), z1 = std::min(high[2], origin[2] + kSide - 1);
  const float reach = static_cast<float>(mHalfWidth);
  const float x = static_cast<float>(origin[0] - low[0]);
  for (int32_t z = z0; z <= z1; ++z)
    for (int32_t y = y0; y <= y1; ++y)
      for (size_t t = 0; t < rows.size(); ++t) {
        const float fy = static_cast<float>(y - low[1]), fz = static_cast<float>(z - low[2]);
        const float least = rows[t].leastSquare(x, fy, fz);
        if (least >= reach * reach) continue;
        const size_t base = static_cast<size_t>(kSide * ((y - origin[1]) + kSide * (z - origin[2])));
        if (block) {
          // Nothing to do if all are nearer already.
          const EightInts farther = *reinterpret_cast<const Eight*>(block->square.data() + base) > least;
          int32_t any = 0;
          for (int i = 0; i < kSide; ++i) any |= farther[i];
          if (!any) continue;
        }
        const Eight squares = rows[t].squares(x, fy, fz);
        if (!block) {
          bool any = false;
          for (int i = 0; i < kSide; ++i) any |= squares[i] < reach * reach;
          if (!any) continue;
          block = &make(origin);
        }
        Eight& stored = *reinterpret_cast<Eight*>(block->square.data() + base);
        EightInts& triangle = *reinterpret_cast<EightInts*>(block->triangle.data() + base);
        const EightInts nearer = squares < stored;
        stored = nearer ? squares : stored;
        triangle = nearer ? EightInts{} + (first + static_cast<int32_t>(t)) : triangle;
      }
}

SheetBand::Entry SheetBand::at(const Voxel& voxel) const {
  const Voxel origin{floorToBlock(voxel[0]), floorToBlock(voxel[1]), floorToBlock(voxel[2])};
  const Block* block = find(origin);
  if (!block) return {static_cast<float>(mWidth), -1};
  const size_t i = static_cast<size_t>((voxel[0] - origin[0]) +
                                       kSide * ((voxel[1] - origin[1]) + kSide * (voxel[2] - origin[2])));
  return entry(*block, i);
}

double SheetBand::distance(const Vec3& p) const {
  const Vec3 q = p / mVoxel;
  Voxel base, origin;
  double f[3];
  bool oneBlock = true;
  for (size_t k = 0; k < 3; ++k) {
    const double low = std::floor(q[k]);
    if (!(std::abs(low) < 8e6)) return mWidth;
    base[k] = static_cast<int32_t>(low);
    f[k] = q[k] - low;
    origin[k] = floorToBlock(base[k]);
    oneBlock &= base[k] - origin[k] < kSide - 1;
  }
  double corner[8];
  if (oneBlock) {
    const Block* block = find(origin);
    if (!block) return mWidth;
    const size_t first = static_cast<size_t>((base[0] - origin[0]) +
                                             kSide * ((base[1] - origin[1]) + kSide * (base[2] - origin[2])));
    for (size_t c = 0; c < 8; ++c)
      corner[c] = static_cast<double>(
                      std::sqrt(block->square[first + (c & 1) + 8 * (c >> 1 & 1) + 64 * (c >> 2 & 1)])) *
                  mVoxel;
  } else {
    for (int c = 0; c < 8; ++c)
      corner[c] = static_cast<double>(
          at({base[0] + (c & 1), base[1] + (c >> 1 & 1), base[2] + (c >> 2 & 1)}).distance);
  }
  for (size_t c = 0; c < 4; ++c) corner[c] = (1 - f[0]) * corner[2 * c] + f[0] * corner[2 * c + 1];
  for (size_t c = 0; c < 2; ++c) corner[c] = (1 - f[1]) * corner[2 * c] + f[1] * corner[2 * c + 1];
  return (1 - f[2]) * corner[0] + f[2] * corner[1];
}

Vec3 SheetBand::gradient(const Vec3& p) const {
  Vec3 g;
  for (int k = 0; k < 3; ++k) {
    const Vec3 step = 0.5 * mVoxel * Vec3::Unit(k);
    g[k] = (distance(p + step) - distance(p - step)) / mVoxel;
  }
  return g;
}

size_t SheetBand::bytes() const {
  return mBlocks.size() * (sizeof(Block) + sizeof(mBlocks[0])) + mTable.size() * sizeof(mTable[0]) +
         mTriangles.size() * sizeof(mTriangles[0]);
}

}  // namespace hackle
