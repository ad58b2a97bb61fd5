// Surfaces of level sets: closed for every input, converging for good ones.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/codec.h>
#include <hackle/io/file.h>
#include <hackle/meshing/repair/resurface.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <meshing/surface_checks.h>
#include <shapes.h>

#include <filesystem>

namespace hackle {
namespace {

Geometry resurfaced(const Geometry& geometry, double voxelSize, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return resurface(triangleMesh(geometry), voxelSize, context);
}

TEST(Resurface, VolumeOfASphereConvergesWithOrderTwo) {
  const Geometry ball = shapes::sphere(160);
  const double exact = test::surfaceFacts(ball).volume;
  std::vector<double> errors;
  for (const double h : {0.2, 0.1, 0.05}) {
    const test::SurfaceFacts facts = test::surfaceFacts(resurfaced(ball, h));
    EXPECT_TRUE(facts.closedManifold());
    EXPECT_EQ(facts.euler, 2);
    errors.push_back(std::abs(facts.volume - exact));
  }
  for (size_t i = 0; i + 1 < errors.size(); ++i) EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), 2.0, 0.4);
}

TEST(Resurface, TopologyIsKept) {
  const test::SurfaceFacts torus = test::surfaceFacts(resurfaced(shapes::torus(60, 30), 0.06));
  EXPECT_TRUE(torus.closedManifold());
  EXPECT_EQ(torus.euler, 0);
  // A hollow ball: the inner shell is inside out.
  Geometry hollow = shapes::sphere(24);
  Geometry inner = shapes::sphere(24, 0.5);
  inner.flipWinding();
  hollow.append(inner);
  const test::SurfaceFacts facts = test::surfaceFacts(resurfaced(hollow, 0.08));
  EXPECT_TRUE(facts.closedManifold());
  EXPECT_EQ(facts.euler, 4);
  EXPECT_NEAR(facts.volume, 4 * shapes::kPi / 3 * (1 - 0.125), 0.06);
}

TEST(Resurface, AnySoupGivesAClosedManifold) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const test::SurfaceFacts facts =
        test::surfaceFacts(resurfaced(shapes::soup(20 + 40 * seed, 0.3, seed), 0.1));
    EXPECT_EQ(facts.badEdges, 0u);
    EXPECT_EQ(facts.badPoints, 0u);
    EXPECT_EQ(facts.repeatedFaces, 0u);
  }
  // Spheres with every third face missing or turned.
  const Geometry ball = shapes::sphere(16);
  std::vector<int32_t> kept;
  for (int32_t f = 0; f < static_cast<int32_t>(ball.primitiveCount()); ++f)
    if (f % 3 != 0) kept.push_back(f);
  const test::SurfaceFacts facts = test::surfaceFacts(resurfaced(ball.extract(kept), 0.1));
  EXPECT_TRUE(facts.badEdges == 0 && facts.badPoints == 0);
  EXPECT_GT(facts.volume, 0.5 * 4 * shapes::kPi / 3);
}

TEST(Resurface, ScalesAndShifts) {
  const Geometry box = shapes::box({0.1, 0.2, 0.3}, {1.1, 0.9, 0.8});
  const Geometry plain = resurfaced(box, 0.07);
  for (const double scale : {0x1p-14, 0x1p17}) {
    Geometry other = box;
    for (Vec3& p : other.editPositions()) p = scale * p;
    const Geometry result = resurfaced(other, 0.07 * scale);
    ASSERT_EQ(result.pointCount(), plain.pointCount());
    for (size_t p = 0; p < plain.pointCount(); ++p)
      ASSERT_LT((result.position(p) / scale - plain.position(p)).norm(), 1e-12);
  }
}

TEST(Resurface, EqualForAnyNumberOfThreads) {
  const Geometry soup = shapes::soup(80, 0.3, 5);
  const Geometry one = resurfaced(soup, 0.07, 1), three = resurfaced(soup, 0.07, 3);
  ASSERT_EQ(one.pointCount(), three.pointCount());
  EXPECT_TRUE(std::equal(one.positions().begin(), one.positions().end(), three.positions().begin()));
  EXPECT_TRUE(std::equal(one.vertexPoints().begin(), one.vertexPoints().end(), three.vertexPoints().begin()));
}

TEST(Resurface, NothingEnclosedIsEmptyAndNothingAtAllAnError) {
  Geometry sheet;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}) sheet.addPoint(p);
  sheet.addPolygon({0, 1, 2});
  EXPECT_TRUE(resurfaced(sheet, 0.1).empty());
  EXPECT_THROW(resurfaced(Geometry(), 0.1), Error);
  EXPECT_THROW(resurfaced(sheet, -1), Error);
}

TEST(Resurface, DirtyMeshesGiveClosedManifolds) {
  const std::filesystem::path folder = std::filesystem::path(HACKLE_TEST_DATA) / "dirty";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no meshes in " << folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.file_size() < (1 << 18) && entry.path().extension() != ".tsv" &&
        entry.path().extension() != ".md")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  size_t solids = 0;
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename());
    Context context;
    Geometry geometry;
    try {
      geometry = readGeometry(file, context);
    } catch (const Error&) {
      continue;
    }
    const TriangleMesh mesh = triangleMesh(geometry);
    Box3 box;
    for (const Vec3& p : mesh.points)
      if (p.allFinite()) box.add(p);
    if (mesh.triangles.empty()) continue;
    Geometry surface;
    try {
      surface = resurface(mesh, box.diagonal() / 40, context);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput) << error.what();
      continue;
    }
    if (surface.empty()) continue;
    ++solids;
    const test::SurfaceFacts facts = test::surfaceFacts(surface);
    EXPECT_EQ(facts.badEdges + facts.badPoints + facts.repeatedFaces, 0u);
    // Walls far thinner than voxels leave a few specks, which have next to no volume.
    EXPECT_GT(facts.volume, -0.01 * std::pow(box.diagonal() / 40, 3));
  }
  EXPECT_GT(solids, 20u);
}

// Level sets to surfaces -----------------------------------------------------------------------------------

TEST(LevelSetSurface, OffsetsHaveTheirVolumes) {
  // Steiner: the offset of a box of size 1 by r has volume 1 + 6 r + 3 pi r^2 + 4 pi r^3 / 3.
  Context context;
  LevelSetOptions options;
  options.voxelSize = 0.03;
  for (const double r : {0.05, 0.2, 0.4}) {
    options.offset = r;
    const Geometry grown =
        levelSetSurface(*signedDistance(triangleMesh(shapes::box()), options, context), context);
    const test::SurfaceFacts facts = test::surfaceFacts(grown);
    EXPECT_TRUE(facts.closedManifold());
    const double exact = 1 + 6 * r + 3 * shapes::kPi * r * r + 4 * shapes::kPi * r * r * r / 3;
    EXPECT_NEAR(facts.volume, exact, 4e-3 * exact);
  }
  options.offset = -0.2;
  const Geometry shrunk =
      levelSetSurface(*signedDistance(triangleMesh(shapes::box()), options, context), context);
  EXPECT_NEAR(test::surfaceFacts(shrunk).volume, 0.216, 2e-3);
}

TEST(LevelSetSurface, FollowsTheTransformOfTheGrid) {
  Context context;
  LevelSetOptions options;
  options.voxelSize = 0.08;
  const VolumePtr grid = signedDistance(triangleMesh(shapes::torus(60, 30)), options, context);
  const double plain = test::surfaceFacts(levelSetSurface(*grid, context)).volume;
  Mat3 linear = 2.0 * shapes::randomRotation(1);
  linear.col(0) *= -1;  // a mirror image
  const test::SurfaceFacts facts =
      test::surfaceFacts(levelSetSurface(*grid->transformed(linear, Vec3(3, 4, 5)), context));
  EXPECT_TRUE(facts.closedManifold());
  EXPECT_NEAR(facts.volume, 8 * plain, 1e-6);
}

TEST(LevelSetSurface, ResamplingKeepsTheSolid) {
  Context context;
  LevelSetOptions options;
  options.voxelSize = 0.05;
  const VolumePtr grid = signedDistance(triangleMesh(shapes::sphere(60)), options, context);
  options.voxelSize = 0.07;
  const VolumePtr other = resampledLevelSet(*grid, options, context);
  EXPECT_NEAR(other->voxelSize().x(), 0.07, 1e-12);
  EXPECT_NEAR(levelSetVolume(*other, context), levelSetVolume(*grid, context), 0.01);
}

}  // namespace
}  // namespace hackle
