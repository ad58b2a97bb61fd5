#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/bvh.h>
#include <hackle/volume/level_set.h>
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
  size_t seen = 0;
  band.forEach([&](const Voxel& v, const SheetBand::Entry& entry) {
    const ClosestPoint closest = bvh.closestPoint(Vec3(v[0], v[1], v[2]) * 0.05);
    EXPECT_NEAR(static_cast<double>(entry.distance), std::sqrt(closest.squaredDistance), 1e-6);
    ++seen;
  });
  size_t inside = 0;
  for (int z = -30; z <= 30; ++z)
    for (int y = -30; y <= 30; ++y)
      for (int x = -30; x <= 30; ++x)
        inside += bvh.closestPoint(Vec3(x, y, z) * 0.05, 0.125 - 1e-7).triangle >= 0;
  EXPECT_NEAR(static_cast<double>(seen), static_cast<double>(inside), 2);
}

TEST(SheetBand, GrowsTheSameInAnyOrderAndHasTheSheetsLevelSet) {
  const Vec3 a(-1, -1, 0.013), b(1, -1, 0.013), c(1, 1, 0.013), d(-1, 1, 0.013);
  SheetBand first(0.05), second(0.05);
  first.add(a, b, c);
  first.add(a, c, d);
  second.add(a, c, d);
  second.add(a, b, c);
  for (double z = -0.2; z < 0.2; z += 0.011) {
    const Vec3 p(0.31, -0.2, z);
    EXPECT_EQ(first.distance(p), second.distance(p));
    if (std::abs(z - 0.013) > 0.05 && std::abs(z - 0.013) < 0.05) {
      EXPECT_NEAR(first.distance(p), std::abs(z - 0.013), 1e-6);
    }
  }
  EXPECT_GT(first.gradient(Vec3(0.3, 0.2, 0.06)).z(), 0.5);
  EXPECT_EQ(first.distance(Vec3(0, 0, 3)), first.width());
  const VolumePtr level = first.levelSet(0.0866, "crack");
  EXPECT_EQ(level->gridClass(), "level set");
  Context context;
  EXPECT_NEAR(levelSetVolume(*level, context), 4 * 0.0866, 0.1 * 4 * 0.0866);
  EXPECT_THROW(SheetBand(0.0), Error);
}

}  // namespace
}  // namespace hackle
