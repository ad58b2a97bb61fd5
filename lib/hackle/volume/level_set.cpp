#include <hackle/volume/level_set.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/volume/level_set_grid.h>
#include <hackle/volume/solid_distance.h>

#include <fmt/format.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace hackle {

namespace {

using openvdb::Coord;
using Leaf = openvdb::FloatTree::LeafNodeType;

constexpr int kLeaf = static_cast<int>(Leaf::DIM);
constexpr double kMostVoxels = 1073741824.0;

/// Fills the leaves of a level set that lie near the surface, in voxel units throughout.
class NarrowBand {
 public:
  /// A sheet has no inside: its own is what the offset makes.
  NarrowBand(const SolidDistance& solid, bool sheet, double voxelSize, double halfWidth, double offset,
             Context& context)
      : mSolid(solid),
        mFollowsFaces(sheet || solid.balanced()),
        mSheet(sheet),
        mVoxelSize(voxelSize),
        mHalfWidth(halfWidth),
        mOffset(offset / voxelSize),
        mReach(std::abs(mOffset) + halfWidth),
        mContext(context) {}

  openvdb::FloatGrid::Ptr run() {
    const float background = static_cast<float>(mHalfWidth * mVoxelSize);
    openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(background);
    const std::vector<Coord> origins = leafOrigins();
    std::vector<std::unique_ptr<Leaf>> leaves(origins.size());
    {
      Context::Stage stage(mContext, "distance", 0.9);
      std::atomic<size_t> done{0};
      parallelFor(mContext, origins.size(), 8, [&](size_t i) {
        leaves[i] = filledLeaf(origins[i]);
        const size_t count = ++done;
        if (count % 512 == 0)
          mContext.advance(static_cast<double>(count) / static_cast<double>(origins.size()));
      });
    }
    for (std::unique_ptr<Leaf>& leaf : leaves)
      if (!leaf->isEmpty()) grid->tree().addLeaf(leaf.release());
    // Leaves have the signs of all their voxels; tiles take theirs from them.
    openvdb::tools::signedFloodFill(grid->tree(), true, 1, 1);
    if (!anyInside(*grid)) grid->clear();
    grid->setTransform(vdbTransform(mVoxelSize * Mat3::Identity(), Vec3::Zero()));
    return grid;
  }

  /// Some triangles lie inside of the solid, so that they are not part of its surface.
  bool overlaps() const { return mOverlaps; }

 private:
  Vec3 place(const Coord& first, double shift) const {
    return mVoxelSize * Vec3(first.x() + shift, first.y() + shift, first.z() + shift);
  }

  // Step 1: cubes of voxels, halved again and again where the surface may be near -------------------------

  std::vector<Coord> leafOrigins() const {
    Box3 box = mSolid.bounds();
    box.min -= Vec3::Constant(mReach * mVoxelSize);
    box.max += Vec3::Constant(mReach * mVoxelSize);
    const Vec3 low = box.min / mVoxelSize, high = box.max / mVoxelSize;
    if (!(low.cwiseAbs().maxCoeff() < 1e9 && high.cwiseAbs().maxCoeff() < 1e9)) refuseFar(low, high);
    int size = kLeaf;
    while (size < (high - low).maxCoeff() / 4.0) size *= 2;
    std::vector<Coord> cubes;
    const auto cell = [&](double x) { return static_cast<int>(std::floor(x / size)); };
    for (int x = cell(low.x()); x <= cell(high.x()); ++x)
      for (int y = cell(low.y()); y <= cell(high.y()); ++y)
        for (int z = cell(low.z()); z <= cell(high.z()); ++z)
          cubes.emplace_back(x * size, y * size, z * size);
    for (;; size /= 2) {
      cubes = nearCubes(cubes, size);
      checkMemory(cubes.size(), size);
      if (size == kLeaf) return cubes;
      cubes = halved(cubes, size / 2);
    }
  }

  std::vector<Coord> nearCubes(const std::vector<Coord>& cubes, int size) const {
    std::vector<uint8_t> wanted(cubes.size());
    parallelFor(mContext, cubes.size(), 64, [&](size_t i) { wanted[i] = mayHoldBand(cubes[i], size); });
    std::vector<Coord> kept;
    for (size_t i = 0; i < cubes.size(); ++i)
      if (wanted[i]) kept.push_back(cubes[i]);
    return kept;
  }

  static std::vector<Coord> halved(const std::vector<Coord>& cubes, int half) {
    std::vector<Coord> parts;
    parts.reserve(8 * cubes.size());
    for (const Coord& c : cubes)
      for (int i = 0; i < 8; ++i)
        parts.push_back(c.offsetBy(half * (i >> 2 & 1), half * (i >> 1 & 1), half * (i & 1)));
    return parts;
  }

  /// Whether the band may reach into a cube.
  bool mayHoldBand(const Coord& first, int size) const {
    const double middle = 0.5 * (size - 1), radius = std::sqrt(3.0) * middle;
    const double near = mReach + radius;
    const double limit = mFollowsFaces ? near : 2.0 * near;
    const double d = mSolid.distance(place(first, middle), 1.001 * limit * mVoxelSize) / mVoxelSize;
    if (d <= limit) return d >= std::abs(mOffset) - mHalfWidth - radius;
    if (mFollowsFaces) return false;
    // No triangle for twice the size: the winding number is harmonic here, so smooth at this scale. A sheet
    // that closes a hole shows in its signs, or in values close to it.
    bool inside = false, outside = false;
    for (int corner = 0; corner < 9; ++corner) {
      Vec3 p = place(first, middle);
      if (corner < 8)
        p += (middle + mReach) * mVoxelSize *
             Vec3((corner & 1) * 2 - 1, (corner >> 1 & 1) * 2 - 1, (corner >> 2 & 1) * 2 - 1);
      const double w = mSolid.winding(p) - 0.5;
      if (std::abs(w) < 0.02) return true;
      (w > 0 ? inside : outside) = true;
    }
    return inside && outside;
  }

  /// A surface has four times as many cubes of half the size.
  void checkMemory(size_t cubes, int size) const {
    const double steps = std::log2(size / kLeaf);
    const double voxels =
        static_cast<double>(cubes) * std::pow(4.0, std::max(0.0, steps - 1)) * (kLeaf * kLeaf * kLeaf);
    if (voxels > kMostVoxels) refuse(std::sqrt(voxels / kMostVoxels));
  }

  /// The voxels' numbers would not fit: a grid that is too fine, or a solid that is too far away.
  [[noreturn]] void refuseFar(const Vec3& low, const Vec3& high) const {
    const double across = (high - low).maxCoeff();
    if (!(across < 1e9)) refuse(across / 1e9);
    throw Error(ErrorCode::BadInput,
                fmt::format("level set: a solid of {:.4g} m that is {:.4g} m from the origin is too far away "
                            "for voxels of {:.4g} m",
                            mSolid.bounds().diagonal(), mSolid.bounds().centre().norm(), mVoxelSize),
                "move it near the origin with the operator transform");
  }

  [[noreturn]] void refuse(double factor) const {
    throw Error(ErrorCode::Usage,
                fmt::format("level set: voxels of {:.4g} m make too large a grid for a solid of {:.4g} m",
                            mVoxelSize, mSolid.bounds().diagonal()),
                fmt::format("use a voxel size of {:.2g} m or more", 1.2 * factor * mVoxelSize));
  }

  // Step 2: values of a leaf -----------------------------------------------------------------------------

  /// The voxel before along each axis that has one, as steps in a leaf's order of voxels (z fastest).
  static constexpr size_t kBefore[3] = {kLeaf * kLeaf, kLeaf, 1};

  std::unique_ptr<Leaf> filledLeaf(const Coord& origin) {
    std::array<double, Leaf::SIZE> distance, winding;
    const double limit = mFollowsFaces ? 1.001 * mReach : std::numeric_limits<double>::infinity();
    const double background = mHalfWidth * mVoxelSize;
    auto leaf = std::make_unique<Leaf>(origin, static_cast<float>(background), false);
    for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
      const Coord local = Leaf::offsetToLocalCoord(i);
      const Vec3 p = place(origin + local, 0);
      // Distances change by at most 1 per voxel: a bound from a neighbour spares most of the search.
      double bound = limit;
      for (int a = 0; a < 3; ++a)
        if (local[a] > 0) bound = std::min(bound, distance[i - kBefore[a]] + 1.001);
      distance[i] = mSolid.distance(p, bound * mVoxelSize) / mVoxelSize;
      winding[i] = windingAt(p, local, i, distance.data(), winding.data());
      if (winding[i] > 1.5 && distance[i] > 1e-3) mOverlaps = true;

      const double value = mVoxelSize * (SolidDistance::value(distance[i], winding[i]) - mOffset);
      if (std::abs(value) < background)
        leaf->setValueOn(i, signedValue(value, winding[i]));
      else
        leaf->setValueOnly(i, static_cast<float>(value < 0 ? -background : background));
    }
    return leaf;
  }

  /// On a triangle the sign is that of the winding number, as everywhere else.
  float signedValue(double value, double winding) const {
    const float least = static_cast<float>(1e-6 * mVoxelSize);
    if (mOffset == 0 && winding > 0.5) return std::min(static_cast<float>(value), -least);
    return static_cast<float>(value);
  }

  /// Of balanced triangles the winding number is that of a neighbour, unless a triangle may come between.
  double windingAt(const Vec3& p, const Coord& local, size_t i, const double* distance,
                   const double* winding) const {
    if (mSheet) return 0.0;
    if (mSolid.balanced())
      for (int a = 0; a < 3; ++a)
        if (local[a] > 0 && distance[i] + distance[i - kBefore[a]] > 1.001) return winding[i - kBefore[a]];
    return mSolid.winding(p);
  }

  const SolidDistance& mSolid;
  bool mFollowsFaces;  // no part of the surface is away from the triangles
  bool mSheet;
  double mVoxelSize;                   // m
  double mHalfWidth, mOffset, mReach;  // voxels
  Context& mContext;
  std::atomic<bool> mOverlaps{false};
};

void checkOptions(const TriangleMesh& mesh, const LevelSetOptions& options) {
  if (!(options.voxelSize > 0) || !std::isfinite(options.voxelSize))
    throw Error(ErrorCode::Usage,
                fmt::format("level set: the voxel size {} is not positive", options.voxelSize));
  if (!(options.halfWidth >= 1 && options.halfWidth <= 1000))
    throw Error(ErrorCode::Usage,
                fmt::format("level set: a band of {} voxels is not between 1 and 1000", options.halfWidth));
  if (!std::isfinite(options.offset)) throw Error(ErrorCode::Usage, "level set: the offset is not finite");
  if (mesh.triangles.empty())
    throw Error(ErrorCode::BadInput, "level set: there are no faces to take the distance of");
}

}  // namespace

VolumePtr signedDistance(const TriangleMesh& mesh, const LevelSetOptions& options, Context& context) {
  initialiseVdb();
  checkOptions(mesh, options);
  const SolidDistance solid(mesh, context);
  if (solid.empty()) throw Error(ErrorCode::BadInput, "level set: no face has finite corners");
  NarrowBand band(solid, false, options.voxelSize, options.halfWidth, options.offset, context);
  openvdb::FloatGrid::Ptr grid = band.run();
  // Where shells overlap all distances outside are exact; across holes none is.
  if (band.overlaps() || !solid.balanced())
    grid = renormalised(*grid, solid.balanced() ? ExactSide::Outside : ExactSide::None, context);
  return wrappedLevelSet(grid, options.name);
}

VolumePtr sheetDistance(const TriangleMesh& mesh, double thickness, const LevelSetOptions& options,
                        Context& context) {
  initialiseVdb();
  checkOptions(mesh, options);
  if (!(thickness > 0) || !std::isfinite(thickness))
    throw Error(ErrorCode::Usage, fmt::format("level set: the thickness {} is not positive", thickness));
  const SolidDistance faces(mesh, context);
  if (faces.empty()) throw Error(ErrorCode::BadInput, "level set: no face has finite corners");
  NarrowBand band(faces, true, options.voxelSize, options.halfWidth, options.offset + 0.5 * thickness,
                  context);
  return wrappedLevelSet(band.run(), options.name);
}

}  // namespace hackle
