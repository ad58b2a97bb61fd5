#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/bvh.h>
#include <hackle/volume/sheet_band.h>

namespace hackle {
namespace {

TEST(SheetBand, DistancesAreThoseOfTheNearestTriangle) {
  Random random(1);
  SheetBand band(0.05, 2.5);
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (int i = 0; i < 40; ++i) {
    const Vec3 at(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    std::array<Vec3, 3> t;
    for (Vec3& p : t) p = at + 0.2 * Vec3(random.uniform(), random.uniform(), random.uniform());
    EXPECT_EQ(band.add(t[0], t[1], t[2]), i);
    for (const Vec3& p : t) points.push_back(p);
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  Context context;
  const TriangleBvh bvh(points, triangles, context);
  // Exact within a voxel, and never too small.
  size_t seen = 0;
  band.forEach([&](const Voxel& v, const SheetBand::Entry& entry) {
    const double exact = std::sqrt(bvh.closestPoint(Vec3(v[0], v[1], v[2]) * 0.05).squaredDistance);
    const double d = static_cast<double>(entry.distance);
    if (exact < 0.05 - 1e-6) {
      EXPECT_NEAR(d, exact, 1e-6);
      ++seen;
    } else {
      EXPECT_GE(d, exact - 1e-6);
    }
  });
  size_t inside = 0;
  for (int z = -30; z <= 30; ++z)
    for (int y = -30; y <= 30; ++y)
      for (int x = -30; x <= 30; ++x)
        inside += bvh.closestPoint(Vec3(x, y, z) * 0.05, 0.05 - 1e-6).triangle >= 0;
  EXPECT_EQ(seen, inside);
}

TEST(SheetBand, ASmoothSheetHasItsWholeBand) {
  // Quads as a front leaves them, over a wave: exact up to the half width away from the rim.
  SheetBand band(0.05, 2.0);
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  const int n = 40;
  const auto at = [](int i, int j) { return Vec3(0.05 * i, 0.05 * j, 0.3 * std::sin(0.1 * i) + 0.02 * j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const std::array<Vec3, 4> q{at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
      EXPECT_EQ(band.addQuad(q[0], q[1], q[2], q[3]), static_cast<int32_t>(triangles.size()));
      const int32_t first = static_cast<int32_t>(points.size());
      points.insert(points.end(), q.begin(), q.end());
      triangles.push_back({first, first + 1, first + 2});
      triangles.push_back({first, first + 2, first + 3});
    }
  Context context;
  const TriangleBvh bvh(points, triangles, context);
  size_t compared = 0;
  for (int z = -10; z <= 30; ++z)
    for (int y = 3; y <= n - 3; ++y)
      for (int x = 3; x <= n - 3; ++x) {
        const double exact = std::sqrt(bvh.closestPoint(Vec3(x, y, z) * 0.05).squaredDistance);
        if (exact > 0.099) continue;
        EXPECT_NEAR(static_cast<double>(band.at({x, y, z}).distance), exact, 1e-6);
        ++compared;
      }
  EXPECT_GT(compared, 4000u);
}

TEST(SheetBand, GrowsTheSameInAnyOrder) {
  const Vec3 a(-1, -1, 0.013), b(1, -1, 0.013), c(1, 1, 0.013), d(-1, 1, 0.013);
  SheetBand first(0.05), second(0.05);
  first.add(a, b, c);
  first.add(a, c, d);
  second.add(a, c, d);
  second.add(a, b, c);
  for (double z = -0.2; z < 0.2; z += 0.011) {
    const Vec3 p(0.31, -0.2, z);
    EXPECT_EQ(first.distance(p), second.distance(p));
  }
  EXPECT_GT(first.gradient(Vec3(0.3, 0.2, 0.06)).z(), 0.5);
  EXPECT_EQ(first.distance(Vec3(0, 0, 3)), first.width());
  EXPECT_THROW(SheetBand(0.0), Error);
}

}  // namespace
}  // namespace hackle
