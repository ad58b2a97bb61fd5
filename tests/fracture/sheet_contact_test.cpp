// Contact of sheets with themselves and with meshes: nothing passes through, momentum stays.
#include "sheet_meshes.h"

#include <hackle/core/random.h>
#include <hackle/fracture/sheet/sheet_contact.h>
#include <hackle/fracture/sheet/sheet_simulation.h>
#include <hackle/geometry/triangle_distance.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

std::array<Vec3, 4> randomPoints(uint64_t seed) {
  Random random(seed, 1);
  std::array<Vec3, 4> x;
  for (Vec3& p : x)
    for (int a = 0; a < 3; ++a) p[a] = 2 * random.uniform() - 1;
  return x;
}

TEST(SheetContact, GradientOfTheGapIsItsWeightsTimesItsNormal) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const bool edges = seed % 2 == 0;
    const std::array<Vec3, 4> x = randomPoints(seed);
    const ContactGap gap = contactGap(edges, x);
    for (size_t i = 0; i < 4; ++i)
      for (int a = 0; a < 3; ++a) {
        std::array<Vec3, 4> up = x, down = x;
        up[i][a] += 1e-6;
        down[i][a] -= 1e-6;
        const double slope = (contactGap(edges, up).distance - contactGap(edges, down).distance) / 2e-6;
        EXPECT_NEAR(slope, gap.weights[i] * gap.normal[a], 1e-5) << seed;
      }
  }
}

TEST(SheetContact, FreeMovesStopBeforeContactAndOnlyThen) {
  int stopped = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const bool edges = seed % 2 == 0;
    const std::array<Vec3, 4> x = randomPoints(seed), way = randomPoints(seed + 1000);
    const double offset = 0.2 * contactGap(edges, x).distance;
    const double part = freeMoveOfPair(edges, x, way, offset);
    double nearest = INFINITY, whole = INFINITY;
    for (int k = 0; k <= 200; ++k) {
      const auto distanceAt = [&](double t) {
        std::array<Vec3, 4> now;
        for (size_t i = 0; i < 4; ++i) now[i] = x[i] + t * way[i];
        return contactGap(edges, now).distance;
      };
      nearest = std::min(nearest, distanceAt(part * k / 200));
      whole = std::min(whole, distanceAt(k / 200.0));
    }
    EXPECT_GT(nearest, offset) << seed;
    if (part < 1) {
      ++stopped;
      EXPECT_LT(whole, 2.0 * contactGap(edges, x).distance) << seed;
    }
  }
  EXPECT_GT(stopped, 20);
  EXPECT_LT(stopped, 180);
}

/// Do two triangles without a common corner cross or touch?
bool crosses(const SheetMesh& mesh) {
  const auto corners = [&](const Triangle& t) {
    return TriangleCorners{mesh.x[t[0]], mesh.x[t[1]], mesh.x[t[2]]};
  };
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (size_t g = f + 1; g < mesh.faceCount(); ++g) {
      bool shared = false;
      for (const int32_t p : mesh.faces[f])
        for (const int32_t q : mesh.faces[g]) shared = shared || p == q;
      if (!shared && squaredTriangleDistance(corners(mesh.faces[f]), corners(mesh.faces[g])) == 0)
        return true;
    }
  return false;
}

SheetOptions contactOptions() {
  SheetOptions options = sheets::softSheet();
  options.fine = options.coarse = 0.2;
  options.step = 2e-3;
  options.contact.reach = 0.01;
  options.contact.stiffness = 1e3;
  options.selfContact = true;
  return options;
}

/// A loose sheet falls across one that is held at two corners, turned so that edges meet edges.
TEST(SheetContact, SheetsDoNotFallThroughEachOther) {
  Context context;
  SheetOptions options = contactOptions();
  options.gravity = Vec3(0, 0, -9.81);
  SheetPin pin;
  pin.half = Vec3(0.01, 2, 0.01);
  options.pins = {pin, pin};
  options.pins[1].centre = Vec3(1, 0, 0);
  sheets::Grid grid = sheets::rectangle(1, 1, 5, 5);
  const auto count = static_cast<int32_t>(grid.points.size());
  const size_t faces = grid.triangles.size();
  for (int32_t p = 0; p < count; ++p) {
    const Vec3 q = grid.points[static_cast<size_t>(p)] - Vec3(0.5, 0.5, 0);
    grid.points.emplace_back(0.5 + 0.3 * (q.x() - q.y()), 0.5 + 0.3 * (q.x() + q.y()), 0.05);
  }
  for (size_t f = 0; f < faces; ++f) {
    const Triangle t = grid.triangles[f];
    grid.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
  }
  SheetSimulation sheet(SheetMesh::make(grid.points, grid.triangles, options.thickness), options, context);
  while (sheet.time() < 0.3) {
    sheet.step(0.3, context);
    ASSERT_FALSE(crosses(sheet.mesh())) << sheet.time();
  }
  // It lies on the other one: without contact it would have fallen by 0.44 m.
  double lowest = INFINITY;
  for (const Vec3& x : sheet.mesh().x) lowest = std::min(lowest, x.z());
  EXPECT_GT(lowest, -0.35);
}

/// A pyramid whose tip is between the vertices of the sheet flies against it: momentum goes over, the tip
/// stays on its side.
TEST(SheetContact, SharpStrikersPushBetweenVertices) {
  Context context;
  SheetOptions options = contactOptions();
  options.selfContact = false;
  options.gravity.setZero();
  options.contact.friction = 0;
  SheetObstacle striker;
  striker.shape = SheetObstacle::Shape::Mesh;
  striker.points = {{0, 0, 0}, {-0.05, -0.05, -0.2}, {0.05, -0.05, -0.2}, {0, 0.05, -0.2}};
  striker.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  striker.position = Vec3(0.53, 0.47, -0.03);
  striker.velocity = Vec3(0, 0, 3);
  striker.mass = 0.3;
  options.obstacles = {striker};
  sheets::Grid grid = sheets::rectangle(1, 1, 5, 5);
  SheetSimulation sheet(SheetMesh::make(grid.points, grid.triangles, options.thickness), options, context);
  const auto momentum = [&] {
    Vec3 sum = sheet.obstacles()[0].mass * sheet.obstacles()[0].velocity;
    const std::vector<double> mass = sheet.mesh().masses(options.material.density);
    for (size_t p = 0; p < mass.size(); ++p) sum += mass[p] * sheet.mesh().v[p];
    return sum;
  };
  const Vec3 before = momentum();
  while (sheet.time() < 0.06) {
    sheet.step(0.06, context);
    const Vec3 tip = sheet.obstacles()[0].position;
    for (const Triangle& t : sheet.mesh().faces) {
      const Vec3 &a = sheet.mesh().x[t[0]], &b = sheet.mesh().x[t[1]], &c = sheet.mesh().x[t[2]];
      const Vec3 n = (b - a).cross(c - a);
      const double wa = (c - b).cross(tip - b).z(), wb = (a - c).cross(tip - c).z(),
                   wc = (b - a).cross(tip - a).z();
      const bool below = n.z() > 0 && std::min({wa, wb, wc}) > 0;
      ASSERT_TRUE(!below || (tip - a).dot(n) < 0) << sheet.time();
    }
  }
  EXPECT_LT(sheet.obstacles()[0].velocity.z(), 2.7);
  EXPECT_LT((momentum() - before).norm(), 0.01 * before.norm());
}

}  // namespace
}  // namespace hackle
