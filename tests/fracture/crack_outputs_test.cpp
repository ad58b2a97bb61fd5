#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/fracture/crack/pieces/crack_outputs.h>
#include <hackle/fracture/crack/pieces/crack_sheet_mesh.h>
#include <hackle/fracture/crack/pieces/crack_surfaces.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/volume/level_set.h>

#include <cmath>

namespace hackle {
namespace {

constexpr double kVoxel = 0.02;

/// A disc of growing radius around (0.1, 0, 0) in the plane z = f(x), whose front runs at 2 m/s, as strips.
struct GrowingDisc {
  SheetBand band{kVoxel};
  std::vector<std::array<float, 3>> times;

  explicit GrowingDisc(double radius, double bend = 0.0) {
    const int around = 120, rings = static_cast<int>(std::lround(radius / kVoxel));
    const auto at = [&](int r, double k) {
      const double a = 2 * shapes::kPi * k / around, x = 0.1 + r * kVoxel * std::cos(a);
      return Vec3(x, r * kVoxel * std::sin(a), bend * x * x);
    };
    const auto time = [](int r) { return static_cast<float>(r * kVoxel / 2.0); };
    for (int r = 0; r < rings; ++r)
      for (int k = 0; k < around; ++k) {
        band.add(at(r, k), at(r + 1, k), at(r + 1, k + 1));
        times.push_back({time(r), time(r + 1), time(r + 1)});
        band.add(at(r, k), at(r + 1, k + 1), at(r, k + 1));
        times.push_back({time(r), time(r + 1), time(r)});
      }
  }
  RecordedCrack record() const { return {&band, times}; }
};

struct Cube {
  Context context;
  Geometry solid = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
  TriangleMesh mesh = triangleMesh(solid);
  TriangleBvh tree{mesh, context};
};

TEST(CrackSurfaces, ShareTheirPointsAndAreCoarseWhereFlat) {
  Cube cube;
  const GrowingDisc disc(0.3);
  const RecordedCrack record = disc.record();
  CrackSurfaceOptions options;
  options.tolerance = 0;
  const Geometry all = crackSurfaces({&record, 1}, cube.tree, options, cube.context);
  EXPECT_LT(all.pointCount(), all.primitiveCount());
  options.tolerance = 0.1;
  const Geometry coarse = crackSurfaces({&record, 1}, cube.tree, options, cube.context);
  EXPECT_LT(coarse.primitiveCount(), all.primitiveCount() / 4);
  const auto area = [](const Geometry& g) {
    double sum = 0;
    for (size_t f = 0; f < g.primitiveCount(); ++f) {
      const auto c = g.corners(f);
      const Vec3& a = g.position(static_cast<size_t>(c[0]));
      sum +=
          0.5 *
          (g.position(static_cast<size_t>(c[1])) - a).cross(g.position(static_cast<size_t>(c[2])) - a).norm();
    }
    return sum;
  };
  EXPECT_NEAR(area(all), shapes::kPi * 0.09, 0.003);
  EXPECT_NEAR(area(coarse), area(all), 1e-9);
  // Times are the way from the middle at 2 m/s, to half a sub step.
  const Attribute* time = coarse.findAttribute(Owner::Point, "crack_time");
  for (size_t p = 0; p < coarse.pointCount(); ++p)
    EXPECT_NEAR(time->number(p), (coarse.position(p) - Vec3(0.1, 0, 0)).norm() / 2, 0.51 * kVoxel / 2);
}

TEST(CrackSurfaces, EndAtTheBodyAndAtATime) {
  Cube cube;
  const GrowingDisc disc(0.8, 0.3);
  const RecordedCrack record = disc.record();
  CrackSurfaceOptions options;
  const Geometry clipped = crackSurfaces({&record, 1}, cube.tree, options, cube.context);
  for (size_t p = 0; p < clipped.pointCount(); ++p)
    EXPECT_LE(clipped.position(p).cwiseAbs().maxCoeff(), 0.5 + 1e-9);
  options.until = 0.1;
  const Geometry early = crackSurfaces({&record, 1}, cube.tree, options, cube.context);
  double farthest = 0;
  for (size_t p = 0; p < early.pointCount(); ++p)
    farthest = std::max(farthest, (early.position(p) - Vec3(0.1, 0, 0)).head<2>().norm());
  EXPECT_NEAR(farthest, 0.2, 1e-3);
  options.until = -1.0;
  EXPECT_EQ(crackSurfaces({&record, 1}, cube.tree, options, cube.context).primitiveCount(), 0u);
}

TEST(CrackSurfaces, FrontsAreWhereTimeSays) {
  Cube cube;
  const GrowingDisc disc(0.8);
  const RecordedCrack record = disc.record();
  const CrackFronts early = crackFrontsAt({&record, 1}, cube.tree, 0.1, cube.context);
  ASSERT_EQ(early.lines.primitiveCount(), 1u);  // a whole circle
  EXPECT_NEAR(early.area, shapes::kPi * 0.04, 0.001);
  for (size_t p = 0; p < early.lines.pointCount(); ++p)
    EXPECT_NEAR((early.lines.position(p) - Vec3(0.1, 0, 0)).norm(), 0.2, 1e-3);
  const auto corners = early.lines.corners(0);
  EXPECT_EQ(corners[0], corners[corners.size() - 1]);
  // Later it has left the cube on one side.
  const CrackFronts late = crackFrontsAt({&record, 1}, cube.tree, 0.23, cube.context);
  ASSERT_EQ(late.lines.primitiveCount(), 1u);
  const auto ends = late.lines.corners(0);
  for (const int32_t end : {ends[0], ends[ends.size() - 1]})
    EXPECT_NEAR(late.lines.position(static_cast<size_t>(end)).x(), 0.5, 1e-3);
  EXPECT_GT(late.area, early.area);
}

TEST(CrackOutputs, VolumesAreTheBodyAndEachCrack) {
  Cube cube;
  const GrowingDisc disc(0.3), other(0.2, 0.5);
  const std::vector<RecordedCrack> records{disc.record(), other.record()};
  const Geometry volumes = crackVolumes(cube.mesh, records, 0.1, 1.8, cube.context);
  ASSERT_EQ(volumes.primitiveCount(), 3u);
  EXPECT_EQ(volumes.volume(0)->name(), "body");
  EXPECT_EQ(volumes.volume(2)->name(), "crack1");
  EXPECT_NEAR(levelSetVolume(*volumes.volume(0), cube.context), 1.0, 0.01);
  const double thick = 1.8 * kVoxel;
  EXPECT_NEAR(levelSetVolume(*volumes.volume(1), cube.context), shapes::kPi * 0.09 * thick, 0.1 * thick);
}

/// A penny in a cube under tension, after a few steps.
struct PulledCube {
  Cube cube;
  std::unique_ptr<CrackSolver> solver;

  explicit PulledCube(int steps) {
    Geometry fine = shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
    const TriangleMesh mesh = triangleMesh(fine);
    const BemSurface body(mesh);
    BoundaryData data(body.nodeCount(), body.triangleCount());
    for (size_t t = 0; t < body.triangleCount(); ++t)
      data.traction[t] = Vec3(0, 0, 3e6).cwiseProduct(body.normal(t));
    CrackMaterial material;
    material.elastic = {3.1e9, 0.327, 1180};
    CrackOptions options;
    options.coarse = 0.1;
    options.fine = kVoxel;
    options.cracks = 0;
    solver = std::make_unique<CrackSolver>(mesh, body, data, material, options, cube.context);
    std::vector<Vec3> points{Vec3::Zero()};
    std::vector<Triangle> triangles;
    for (const double r : {0.1, 0.2})
      for (int k = 0; k < 12; ++k) {
        const double a = 2 * shapes::kPi * k / 12;
        points.push_back(r * Vec3(std::cos(a), std::sin(a), 0));
      }
    for (int k = 0; k < 12; ++k) {
      const int a = 1 + k, b = 1 + (k + 1) % 12;
      triangles.insert(triangles.end(), {{0, a, b}, {a, a + 12, b + 12}, {a, b + 12, b}});
    }
    solver->addCrack(points, triangles, cube.context);
    for (int i = 0; i < steps; ++i) solver->step(cube.context);
  }
};

TEST(CrackOutputs, ElementsCarryIntensitiesAndOpenings) {
  PulledCube pulled(1);
  const Geometry elements = crackElements(*pulled.solver, pulled.cube.context);
  const Attribute* crack = elements.findAttribute(Owner::Primitive, "crack");
  const Attribute* opening = elements.findAttribute(Owner::Point, "opening");
  const Attribute* k1 = elements.findAttribute(Owner::Point, "K1");
  const Attribute* stress = elements.findAttribute(Owner::Primitive, "stress");
  ASSERT_TRUE(crack && opening && k1 && stress && elements.findAttribute(Owner::Point, "Keff"));
  EXPECT_EQ(crack->number(0), -1);
  EXPECT_EQ(elements.findGroup(Owner::Primitive, "fronts")->count(), 1u);
  double widest = 0, most = 0;
  for (size_t p = 0; p < elements.pointCount(); ++p) {
    widest = std::max(widest, opening->number(p, 2));
    most = std::max(most, k1->number(p));
  }
  // A penny of radius 0.2: K_I = 2 s sqrt(a / pi), opening 8 (1 - v^2) s a / (pi E); a cube makes it more.
  EXPECT_NEAR(most, 2 * 3e6 * std::sqrt(0.2 / shapes::kPi), 0.3 * most);
  EXPECT_NEAR(widest, 8 * (1 - 0.327 * 0.327) * 3e6 * 0.2 / (shapes::kPi * 3.1e9), 0.4 * widest);
}

TEST(CrackOutputs, LevelSetFragmentsFillTheBodyOnceGapsAreClosed) {
  PulledCube pulled(8);
  LevelSetSurfaceOptions options;
  const Geometry closed =
      crackLevelSetSurfaces(*pulled.solver, pulled.cube.mesh, options, pulled.cube.context);
  options.closeGaps = false;
  const Geometry open = crackLevelSetSurfaces(*pulled.solver, pulled.cube.mesh, options, pulled.cube.context);
  const Topology topology = analyseTopology(closed, pulled.cube.context);
  EXPECT_TRUE(topology.closed);
  const double full = massProperties(triangleMesh(closed), pulled.cube.context).volume;
  const double gaps = massProperties(triangleMesh(open), pulled.cube.context).volume;
  EXPECT_NEAR(full, 1.0, 0.01);
  EXPECT_NEAR(full - gaps, 2 * 0.866 * kVoxel, 0.3 * kVoxel);  // a gap of the thickness of the wall
  // Opening moves both halves apart.
  options.closeGaps = true;
  options.displacement = options.opening = true;
  options.scale = 10;
  const Geometry moved =
      crackLevelSetSurfaces(*pulled.solver, pulled.cube.mesh, options, pulled.cube.context);
  ASSERT_EQ(moved.pointCount(), closed.pointCount());
  double up = 0, down = 0;
  for (size_t p = 0; p < moved.pointCount(); ++p) {
    const double dz = moved.position(p).z() - closed.position(p).z();
    up = std::max(up, dz);
    down = std::min(down, dz);
  }
  EXPECT_GT(up, 1e-4);
  EXPECT_LT(down, -1e-4);
}

}  // namespace
}  // namespace hackle
