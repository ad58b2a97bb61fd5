// Parts of level sets: exact counts, tiles against voxels, the threshold.
#include <hackle/core/error.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/union_find.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/level_set.h>
#include <hackle/volume/level_set_sampler.h>
#include <hackle/volume/segmentation.h>

#include <gtest/gtest.h>

#include <set>

#include "shapes.h"

namespace hackle {
namespace {

constexpr double kVoxel = 0.05;

VolumePtr solid(const Geometry& geometry) {
  Context context;
  LevelSetOptions options;
  options.voxelSize = kVoxel;
  return signedDistance(triangleMesh(geometry), options, context);
}

/// A level set without the sheets of another geometry.
VolumePtr cut(const VolumePtr& grid, const Geometry& sheets, double thickness) {
  Context context;
  LevelSetOptions options;
  options.voxelSize = kVoxel;
  const VolumePtr crack = sheetDistance(triangleMesh(sheets), thickness, options, context);
  return combinedLevelSets(*grid, *crack, SolidBoolean::Difference, context);
}

Geometry square(double x, double half, const Vec3& centre = {0, 0, 0}) {
  Geometry g;
  for (const auto& [y, z] : {std::pair(-half, -half), {half, -half}, {half, half}, {-half, half}})
    g.addPoint(centre + Vec3(x, y, z));
  g.addPolygon({0, 1, 2, 3});
  return g;
}

Segments segment(const VolumePtr& grid, SegmentOptions options = {}, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return segmentLevelSet(*grid, options, context);
}

/// Calls visit() for every voxel inside.
template <class Visit>
void forInside(const VolumePtr& grid, const Visit& visit) {
  const LevelSetSampler sampler(*grid);
  const Box3& box = sampler.bounds();
  for (double x = box.min.x(); x <= box.max.x(); ++x)
    for (double y = box.min.y(); y <= box.max.y(); ++y)
      for (double z = box.min.z(); z <= box.max.z(); ++z)
        if (sampler(Vec3(x, y, z)) < 0) visit();
}

/// Number of parts that are connected by faces, voxel by voxel.
size_t partsByBruteForce(const VolumePtr& grid) {
  const LevelSetSampler sampler(*grid);
  const Box3 box{sampler.bounds().min - Vec3::Ones(), sampler.bounds().max + Vec3::Ones()};
  const int nx = static_cast<int>(box.size().x()) + 1, ny = static_cast<int>(box.size().y()) + 1,
            nz = static_cast<int>(box.size().z()) + 1;
  std::vector<uint8_t> inside(static_cast<size_t>(nx * ny * nz));
  UnionFind parts(inside.size());
  const auto number = [&](int x, int y, int z) { return (x * ny + y) * nz + z; };
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z) {
        const int n = number(x, y, z);
        if (!(sampler(box.min + Vec3(x, y, z)) < 0)) continue;
        inside[n] = 1;
        for (const int before :
             {x > 0 ? number(x - 1, y, z) : n, y > 0 ? number(x, y - 1, z) : n, z > 0 ? n - 1 : n})
          if (inside[before]) parts.unite(n, before);
      }
  std::set<int32_t> roots;
  for (size_t n = 0; n < inside.size(); ++n)
    if (inside[n]) roots.insert(parts.find(static_cast<int32_t>(n)));
  return roots.size();
}

double volumeOf(const VolumePtr& grid) {
  Context context;
  return levelSetVolume(*grid, context);
}

TEST(Segmentation, CountsPartsExactly) {
  // A grid of balls, one in another's cavity.
  Geometry many;
  size_t count = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j, ++count)
      many.append(shapes::sphere(12, 0.4 + 0.05 * i, {1.2 * i, 1.2 * j, 0.03 * i}));
  Geometry hollow = shapes::sphere(24, 0.9, {0, 0, 3}), cavity = shapes::sphere(24, 0.7, {0, 0, 3});
  cavity.flipWinding();
  for (const Geometry& part : {hollow, cavity, shapes::sphere(12, 0.4, {0, 0, 3})}) many.append(part);
  count += 2;
  const VolumePtr grid = solid(many);
  const Segments segments = segment(grid);
  EXPECT_EQ(segments.grids.size(), count);
  EXPECT_EQ(partsByBruteForce(grid), count);
  EXPECT_EQ(segments.lostVoxels, 0u);
  double sum = 0;
  for (size_t k = 0; k < segments.grids.size(); ++k) {
    EXPECT_EQ(segments.grids[k]->name(), "surface" + std::to_string(k));
    EXPECT_EQ(partsByBruteForce(segments.grids[k]), 1u);
    sum += volumeOf(segments.grids[k]);
  }
  EXPECT_NEAR(sum, volumeOf(grid), 1e-9);
}

TEST(Segmentation, LargeSolidsConnectThroughTiles) {
  // Wide enough for tiles of 8 voxels in many layers.
  LevelSetOptions options;
  options.voxelSize = 0.05;
  Context context;
  const VolumePtr grid =
      signedDistance(triangleMesh(shapes::box({0.01, 0.01, 0.01}, {9.02, 9.02, 9.02})), options, context);
  const Segments segments = segment(grid);
  ASSERT_EQ(segments.grids.size(), 1u);
  EXPECT_NEAR(volumeOf(segments.grids[0]), volumeOf(grid), 1e-9 * volumeOf(grid));
  EXPECT_EQ(segments.voxels[0], 180u * 180u * 180u);
}

TEST(Segmentation, CracksDivide) {
  const VolumePtr whole = solid(shapes::box({-1.01, -1.02, -1.03}, {1.04, 1.05, 1.06}));
  const VolumePtr halves = cut(whole, square(0.21, 3), 2 * kVoxel);
  uint64_t total = 0;
  forInside(halves, [&] { ++total; });
  for (const double threshold : {0.0, kVoxel}) {
    SegmentOptions options;
    options.threshold = threshold;
    const Segments segments = segment(halves, options);
    ASSERT_EQ(segments.grids.size(), 2u) << threshold;
    EXPECT_EQ(segments.lostVoxels, 0u);
    EXPECT_NEAR(volumeOf(segments.grids[0]), (1.22 - kVoxel) * 2.07 * 2.09, 0.1);
    EXPECT_NEAR(volumeOf(segments.grids[1]), (0.83 - kVoxel) * 2.07 * 2.09, 0.1);
    // No voxel is in two parts or lost. Across the crack a threshold keeps values that belong to the other
    // part's surface, so that volumes only add up without one.
    EXPECT_EQ(segments.voxels[0] + segments.voxels[1], total);
    if (threshold == 0) {
      EXPECT_NEAR(volumeOf(segments.grids[0]) + volumeOf(segments.grids[1]), volumeOf(halves), 1e-6);
    }
  }
}

TEST(Segmentation, TilesKeepCracksDeepInside) {
  const VolumePtr whole = solid(shapes::box({-1.51, -1.52, -1.53}, {1.54, 1.55, 1.56}));
  const VolumePtr cracked = cut(whole, square(0.0, 0.3), 2 * kVoxel);
  const Segments segments = segment(cracked);
  ASSERT_EQ(segments.grids.size(), 1u);
  EXPECT_NEAR(volumeOf(segments.grids[0]), volumeOf(cracked), 1e-6);
  EXPECT_GT(sampleGrid(*segments.grids[0], {0, 0, 0}), 0);
  // Without tiles the band of the crack is a part of its own, as in the plain search of the thesis.
  SegmentOptions plain;
  plain.tiles = false;
  EXPECT_EQ(segment(cracked, plain).grids.size(), 2u);
}

TEST(Segmentation, ThresholdCutsSpindles) {
  // Two blocks, joined by a rod that is 1.4 voxels thick.
  Geometry blocks = shapes::box({-1.01, -0.51, -0.52}, {-0.21, 0.53, 0.54});
  blocks.append(shapes::box({0.22, -0.51, -0.52}, {1.03, 0.53, 0.54}));
  const double half = 0.7 * kVoxel;
  blocks.append(shapes::box({-0.5, -half, -half}, {0.5, half, half}));
  const VolumePtr grid = solid(blocks);
  EXPECT_EQ(segment(grid).grids.size(), 1u);
  SegmentOptions options;
  options.threshold = kVoxel;
  const Segments apart = segment(grid, options);
  ASSERT_EQ(apart.grids.size(), 2u);
  // The blocks keep all of their surface: only the middle of the rod is lost.
  EXPECT_GT(apart.lostVoxels, 0u);
  EXPECT_LT(apart.lostVoxels, 12u);
  double sum = 0;
  for (const VolumePtr& part : apart.grids) sum += volumeOf(part);
  EXPECT_NEAR(sum, volumeOf(grid), 0.05 * 0.1);
}

TEST(Segmentation, CrumbsAreLeftOutAndCounted) {
  Geometry two = shapes::sphere(16);
  two.append(shapes::sphere(8, 0.12, {2, 0, 0}));
  SegmentOptions options;
  options.leastVoxels = 1000;
  const Segments segments = segment(solid(two), options);
  EXPECT_EQ(segments.grids.size(), 1u);
  EXPECT_EQ(segments.leftOut, 1u);
  EXPECT_GT(segments.lostVoxels, 20u);
}

TEST(Segmentation, EqualForAnyNumberOfThreads) {
  const VolumePtr grid = cut(solid(shapes::torus(40, 20)), square(0.0, 3), 1.6 * kVoxel);
  SegmentOptions options;
  options.threshold = 0.5 * kVoxel;
  const Segments one = segment(grid, options, 1), three = segment(grid, options, 3);
  ASSERT_EQ(one.grids.size(), 2u);
  ASSERT_EQ(three.grids.size(), 2u);
  for (size_t k = 0; k < 2; ++k) EXPECT_TRUE(gridToBytes(*one.grids[k]) == gridToBytes(*three.grids[k]));
}

TEST(Segmentation, BadInputIsRefused) {
  const VolumePtr grid = solid(shapes::box());
  SegmentOptions options;
  options.threshold = 3 * kVoxel;
  EXPECT_THROW(segment(grid, options), Error);
  EXPECT_THROW(segment(makeFloatGrid("fog", {1, 1, 1}, std::vector<float>{1}, 0, {})), Error);
}

TEST(SheetDistance, IsTheDistanceFromTheSheet) {
  Context context;
  LevelSetOptions options;
  options.voxelSize = kVoxel;
  const VolumePtr sheet = sheetDistance(triangleMesh(square(0.01, 0.4)), 0.16, options, context);
  EXPECT_NEAR(sampleGrid(*sheet, {0.1, 0, 0}), 0.01, 1e-6);
  EXPECT_NEAR(sampleGrid(*sheet, {0.05, 0.1, 0.1}), -0.04, 1e-6);
  EXPECT_NEAR(volumeOf(sheet), 0.64 * 0.16 + 3.2 * 0.5 * shapes::kPi * 0.08 * 0.08, 0.01);
  EXPECT_THROW(sheetDistance(triangleMesh(square(0, 1)), 0, options, context), Error);
}

}  // namespace
}  // namespace hackle
