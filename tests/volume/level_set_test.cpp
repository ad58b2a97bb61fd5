// Level sets of meshes against exact distances, and their booleans against exact volumes.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/level_set.h>
#include <hackle/volume/level_set_sampler.h>
#include <hackle/volume/solid_distance.h>

#include <gtest/gtest.h>

#include "shapes.h"

#include <ctime>

namespace hackle {
namespace {

using shapes::kPi;

LevelSetOptions voxels(double size, double offset = 0.0, double halfWidth = 3.0) {
  LevelSetOptions options;
  options.voxelSize = size;
  options.offset = offset;
  options.halfWidth = halfWidth;
  return options;
}

VolumePtr levelSet(const Geometry& geometry, const LevelSetOptions& options, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return signedDistance(triangleMesh(geometry), options, context);
}

double volumeOf(const VolumePtr& grid) {
  Context context;
  return levelSetVolume(*grid, context);
}

double boxDistance(const Vec3& p, const Vec3& low, const Vec3& high) {
  const Vec3 q = (low - p).cwiseMax(p - high);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

/// Calls visit(centre, value) for every voxel centre in the band's box.
template <class Visit>
void forVoxels(const VolumePtr& grid, const Visit& visit) {
  const LevelSetSampler sampler(*grid);
  const Box3& box = sampler.bounds();
  for (double x = box.min.x() - 2; x <= box.max.x() + 2; ++x)
    for (double y = box.min.y() - 2; y <= box.max.y() + 2; ++y)
      for (double z = box.min.z() - 2; z <= box.max.z() + 2; ++z) {
        const Vec3 p(x, y, z);
        visit(sampler.transform().linear * p + sampler.transform().offset, sampler(p));
      }
}

/// Largest difference from an exact distance, cut off at the rim of the band.
double largestError(const VolumePtr& grid, double rim, const std::function<double(const Vec3&)>& exact) {
  double worst = 0;
  forVoxels(grid, [&](const Vec3& p, double value) {
    worst = std::max(worst, std::abs(value - std::clamp(exact(p), -rim, rim)));
  });
  return worst;
}

TEST(LevelSet, BoxHasExactDistances) {
  const Vec3 low(-0.3, 0.1, 0.2), high(0.5, 0.7, 1.1);
  for (const double halfWidth : {1.0, 3.0, 5.5}) {
    const VolumePtr grid = levelSet(shapes::box(low, high), voxels(0.05, 0, halfWidth));
    EXPECT_EQ(grid->gridClass(), "level set");
    EXPECT_EQ(grid->name(), "surface");
    // Voxels on a face have a sign of their own, within 1e-6 voxels.
    EXPECT_LT(largestError(grid, 0.05 * halfWidth, [&](const Vec3& p) { return boxDistance(p, low, high); }),
              3e-7);
  }
}

TEST(LevelSet, OffsetShiftsDistancesExactlyOutside) {
  const Vec3 low(-0.3, 0.1, 0.2), high(0.5, 0.7, 1.1);
  const VolumePtr grid = levelSet(shapes::box(low, high), voxels(0.05, 0.31));
  EXPECT_LT(largestError(grid, 0.15, [&](const Vec3& p) { return boxDistance(p, low, high) - 0.31; }), 3e-7);
  // Shrinking a convex solid moves its faces inwards; distances from within are exact.
  const VolumePtr less = levelSet(shapes::box(low, high), voxels(0.05, -0.2));
  EXPECT_LT(largestError(less, 0.15, [&](const Vec3& p) { return boxDistance(p, low, high) + 0.2; }), 3e-7);
  EXPECT_EQ(levelSet(shapes::box(low, high), voxels(0.05, -0.4))->activeVoxelCount(), 0u) << "all is gone";
}

TEST(LevelSet, TriangleMeshesAgreeWithBruteForce) {
  Context context;
  const Geometry torus = shapes::torus(16, 8);
  const TriangleMesh mesh = triangleMesh(torus);
  const VolumePtr grid = levelSet(torus, voxels(0.14));
  forVoxels(grid, [&](const Vec3& p, double value) {
    double nearest = 1e300;
    for (const Triangle& t : mesh.triangles)
      nearest = std::min(
          nearest,
          closestPointOnTriangle(p, mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]).squaredDistance);
    const bool inside = windingNumberExact(mesh.points, mesh.triangles, p) > 0.5;
    const double exact = std::min(std::sqrt(nearest), 0.42) * (inside ? -1 : 1);
    ASSERT_NEAR(value, exact, 2e-7) << p.transpose();
  });
}

TEST(LevelSet, EqualForAnyNumberOfThreads) {
  Geometry open = shapes::sphere(20);
  open = open.extract(std::vector<int32_t>(
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40, 41, 42, 43, 50, 51, 100, 101, 102, 103, 200, 201, 300, 301}));
  for (const Geometry& g : {shapes::torus(40, 20), shapes::soup(60, 0.2, 3), open}) {
    const std::string one = gridToBytes(*levelSet(g, voxels(0.07), 1));
    EXPECT_TRUE(one == gridToBytes(*levelSet(g, voxels(0.07), 2)));
    EXPECT_TRUE(one == gridToBytes(*levelSet(g, voxels(0.07), 5)));
  }
}

// Soups -----------------------------------------------------------------------------------------------------

TEST(LevelSet, OverlappingBoxesAreTheirUnion) {
  const Vec3 low(0.013, 0.021, 0.017), high = low + Vec3(1, 1, 1);
  const Vec3 otherLow = low + Vec3(0.5, 0.25, 0.25), otherHigh = otherLow + Vec3(1, 0.5, 0.5);
  Geometry both = shapes::box(low, high);
  both.append(shapes::box(otherLow, otherHigh));
  const double h = 0.05;
  const VolumePtr grid = levelSet(both, voxels(h));
  double worst = 0;
  forVoxels(grid, [&](const Vec3& p, double value) {
    const double a = boxDistance(p, low, high);
    const double b = boxDistance(p, otherLow, otherHigh);
    if (std::min(a, b) > 1e-9) {
      EXPECT_GT(value, 0);
    } else if (std::min(a, b) < -1e-9) {
      EXPECT_LT(value, 0);
    }
    // Outside, the nearer of the two is the distance.
    if (std::min(a, b) > 0) worst = std::max(worst, std::abs(value - std::min({a, b, 3 * h})));
    // Deep in the union but on a face of a box: nothing of the face is left.
    if (a < -3.2 * h && std::abs(b) < 0.5 * h) {
      EXPECT_LT(value, -2.5 * h);
    }
  });
  EXPECT_LT(worst, 3e-7);
  EXPECT_NEAR(volumeOf(grid), 1 + 0.5 * 0.25, 0.02);
}

TEST(LevelSet, InsideOutAndUnweldedAreTheSameSolid) {
  const Geometry sphere = shapes::sphere(16);
  const VolumePtr plain = levelSet(sphere, voxels(0.1));
  const auto expectSame = [&](const VolumePtr& other) {
    EXPECT_EQ(other->activeVoxelCount(), plain->activeVoxelCount());
    forVoxels(other, [&](const Vec3& p, double value) { ASSERT_NEAR(value, sampleGrid(*plain, p), 1e-7); });
  };
  Geometry turned = sphere;
  turned.flipWinding();
  expectSame(levelSet(turned, voxels(0.1)));
  // Every face on points of its own.
  std::vector<int32_t> sources, corners;
  for (size_t v = 0; v < sphere.vertexCount(); ++v) {
    sources.push_back(sphere.vertexPoint(v));
    corners.push_back(static_cast<int32_t>(v));
  }
  Geometry apart = sphere;
  apart.replacePoints(sources, corners);
  Context context;
  EXPECT_TRUE(SolidDistance(triangleMesh(apart), context).balanced());
  expectSame(levelSet(apart, voxels(0.1)));
}

TEST(LevelSet, HolesAreClosedByTheWindingNumber) {
  // A box without its top (the face z = 1). Seen from anywhere on the missing face the others fill half of
  // all directions, so the sheet that closes the box is that face.
  const Geometry closed = shapes::box();
  const Geometry open = closed.extract(std::vector<int32_t>{0, 2, 3, 4, 5});
  Context context;
  EXPECT_FALSE(SolidDistance(triangleMesh(open), context).balanced());
  const VolumePtr grid = levelSet(open, voxels(0.04));
  EXPECT_NEAR(volumeOf(grid), 1.0, 0.02);
  EXPECT_LT(sampleGrid(*grid, {0.5, 0.5, 0.3}), 0);
  EXPECT_GT(sampleGrid(*grid, {0.5, 0.5, 1.1}), 0);
  // The sign is that of the exact winding number everywhere.
  const TriangleMesh mesh = triangleMesh(open);
  forVoxels(grid, [&](const Vec3& p, double value) {
    const double w = windingNumberExact(mesh.points, mesh.triangles, p);
    const bool close = std::abs(w - 0.5) < 0.02 || std::abs(boxDistance(p, {0, 0, 0}, {1, 1, 1})) < 1e-9;
    ASSERT_TRUE(close || (value < 0) == (w > 0.5)) << p.transpose() << " " << w;
  });
}

TEST(LevelSet, SheetsAndBadOptionsAreAnswered) {
  Geometry sheet;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}) sheet.addPoint(p);
  sheet.addPolygon({0, 1, 2});
  EXPECT_EQ(levelSet(sheet, voxels(0.1))->activeVoxelCount(), 0u);
  EXPECT_EQ(volumeOf(levelSet(sheet, voxels(0.1))), 0);
  const auto codeOf = [](const Geometry& g, const LevelSetOptions& options) {
    try {
      levelSet(g, options);
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("level set"), std::string::npos);
      return e.code();
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(codeOf(shapes::box(), voxels(0)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(shapes::box(), voxels(NAN)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(shapes::box(), voxels(1e-5)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(shapes::box(), voxels(1e-12)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(shapes::box(), voxels(0.1, 0, 0.5)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(Geometry(), voxels(0.1)), ErrorCode::BadInput);
  Context context;
  context.cancel();
  EXPECT_THROW(signedDistance(triangleMesh(shapes::torus(40, 20)), voxels(0.05), context), Error);
}

/// CPU seconds of all threads.
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(LevelSet, RenormalisingStopsWhenAsked) {
  // OpenVDB does not ask itself: most of the work is left when the front says no after a third of it.
  const VolumePtr grid = levelSet(shapes::sphere(24), voxels(0.02));
  for (const int threads : {1, 2}) {
    Context whole;
    whole.setThreads(threads);
    const double begin = cpuSeconds();
    renormalisedLevelSet(*grid, whole);
    const double full = cpuSeconds() - begin;

    Context context;
    context.setThreads(threads);
    const double start = cpuSeconds();
    context.setCancelPoll([&] { return cpuSeconds() - start > full / 3; });
    EXPECT_THROW(renormalisedLevelSet(*grid, context), Error);
    EXPECT_LT(cpuSeconds() - start, 0.75 * full) << full << " s, " << threads << " threads";
  }
}

// Booleans
// -----------------------------------------------------------------------------------------------------

TEST(LevelSet, BooleansOfBoxesHaveExactVolumes) {
  Context context;
  const double h = 0.0247;
  const VolumePtr a = levelSet(shapes::box({0, 0, 0}, {1, 1, 1}), voxels(h));
  const VolumePtr b = levelSet(shapes::box({0.4, 0.3, 0.2}, {1.4, 1.3, 1.2}), voxels(h));
  const double common = 0.6 * 0.7 * 0.8;
  const auto volume = [&](SolidBoolean operation) {
    return volumeOf(combinedLevelSets(*a, *b, operation, context));
  };
  EXPECT_NEAR(volume(SolidBoolean::Union), 2 - common, 2e-3);
  EXPECT_NEAR(volume(SolidBoolean::Intersection), common, 2e-3);
  EXPECT_NEAR(volume(SolidBoolean::Difference), 1 - common, 2e-3);
  const VolumePtr itself = combinedLevelSets(*a, *a, SolidBoolean::Difference, context);
  EXPECT_LT(volumeOf(itself), 0.05);
}

TEST(LevelSet, BooleansOfSpheresAreDistancesAgain) {
  Context context;
  const double h = 0.05, r = 0.8, shift = 0.9;
  const VolumePtr a = levelSet(shapes::sphere(64, r), voxels(h));
  const VolumePtr b = levelSet(shapes::sphere(64, r, {shift, 0, 0}), voxels(h));
  // Two caps of height r - shift / 2.
  const double cap = r - shift / 2, lens = 2 * kPi * cap * cap * (3 * r - cap) / 3;
  const double ball = 4 * kPi * r * r * r / 3;
  const VolumePtr both = combinedLevelSets(*a, *b, SolidBoolean::Intersection, context);
  EXPECT_NEAR(volumeOf(both), lens, 0.01 * lens);
  EXPECT_NEAR(volumeOf(combinedLevelSets(*a, *b, SolidBoolean::Union, context)), 2 * ball - lens,
              0.01 * ball);
  EXPECT_NEAR(volumeOf(combinedLevelSets(*a, *b, SolidBoolean::Difference, context)), ball - lens,
              0.01 * ball);
  // Off the rim of the lens the distance is that to the rim, which the larger of two distances is not.
  const double rim = std::sqrt(r * r - 0.25 * shift * shift);
  const Vec3 beyond(0.5 * shift, rim + 2.0 * h, 0);
  const double exact = 2.0 * h;
  EXPECT_NEAR(sampleGrid(*both, beyond), exact, 0.35 * h);
  EXPECT_LT(std::hypot(0.5 * shift, rim + exact) - r, 0.85 * exact);
}

TEST(LevelSet, BooleansWantEqualVoxels) {
  Context context;
  const VolumePtr a = levelSet(shapes::box(), voxels(0.1)), b = levelSet(shapes::box(), voxels(0.12));
  EXPECT_FALSE(sameVoxels(*a, *b));
  EXPECT_THROW(combinedLevelSets(*a, *b, SolidBoolean::Union, context), Error);
  const VolumePtr fog = makeFloatGrid("fog", {1, 1, 1}, std::vector<float>{1}, 0, {});
  EXPECT_THROW(combinedLevelSets(*a, *fog, SolidBoolean::Union, context), Error);
}

TEST(LevelSet, VolumeIsOfSecondOrder) {
  Context context;
  const Geometry ball = shapes::sphere(100);
  const double exact = massProperties(triangleMesh(ball), context).volume;
  const auto error = [&](double h) { return std::abs(volumeOf(levelSet(ball, voxels(h))) - exact); };
  EXPECT_LT(error(0.05), 0.35 * error(0.1) + 1e-5);
}

}  // namespace
}  // namespace hackle
