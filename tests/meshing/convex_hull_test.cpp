#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/surface/convex_hull.h>

#include <map>

namespace hackle {
namespace {

double volumeOf(const ConvexHull& hull) {
  double six = 0;
  for (const Triangle& t : hull.triangles) {
    const auto at = [&](size_t k) -> const Vec3& { return hull.points[t[k]]; };
    six += at(0).dot(at(1).cross(at(2)));
  }
  return six / 6;
}

void expectClosed(const ConvexHull& hull) {
  std::map<std::pair<int32_t, int32_t>, int> edges;
  for (const Triangle& t : hull.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = t[k], b = t[(k + 1) % 3];
      edges[std::minmax(a, b)] += a < b ? 1 : 1000;
    }
  for (const auto& [edge, count] : edges) EXPECT_EQ(count, 1001);
}

std::vector<Vec3> boxCorners(const Vec3& size) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(Vec3((i & 1) * size.x(), ((i >> 1) & 1) * size.y(), (i >> 2) * size.z()) +
                      Vec3(5, -2, 1));
  return corners;
}

TEST(ConvexHull, OfABoxAndPointsInside) {
  std::vector<Vec3> points = boxCorners(Vec3(1, 2, 3));
  Random random(1);
  for (int k = 0; k < 100; ++k)
    points.push_back(Vec3(5, -2, 1) +
                     Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(Vec3(1, 2, 3)));
  const ConvexHull hull = convexHull(points);
  EXPECT_EQ(hull.points.size(), 8u);
  EXPECT_EQ(hull.triangles.size(), 12u);
  EXPECT_NEAR(volumeOf(hull), 6.0, 1e-12);
  expectClosed(hull);
}

TEST(ConvexHull, HoldsAllPoints) {
  Random random(2);
  std::vector<Vec3> points;
  for (int k = 0; k < 500; ++k) points.emplace_back(random.normal(), random.normal(), random.normal());
  const ConvexHull hull = convexHull(points);
  expectClosed(hull);
  for (const Triangle& t : hull.triangles) {
    const auto at = [&](size_t k) -> const Vec3& { return hull.points[t[k]]; };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    for (const Vec3& p : points) EXPECT_LE(normal.dot(p - at(0)), 1e-12);
  }
}

TEST(ConvexHull, FlatOrFewPointsHaveNone) {
  EXPECT_TRUE(convexHull({}).empty());
  EXPECT_TRUE(convexHull(std::vector<Vec3>{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}).empty());
  EXPECT_TRUE(convexHull(std::vector<Vec3>{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0),
                                           Vec3(0.3, 0.2, 0)})
                  .empty());
  EXPECT_TRUE(convexHull(std::vector<Vec3>(10, Vec3(1, 2, 3))).empty());
}

TEST(ConvexHull, ShrinkingMovesEveryFace) {
  const ConvexHull box = convexHull(boxCorners(Vec3(1, 2, 3)));
  const ConvexHull shrunk = shrunkHull(box, 0.1);
  EXPECT_NEAR(volumeOf(shrunk), 0.8 * 1.8 * 2.8, 1e-9);
  expectClosed(shrunk);
  // Never to nothing: at most half of the way to the middle.
  EXPECT_NEAR(volumeOf(shrunkHull(box, 100.0)), 0.5 * 1.5 * 2.5, 1e-9);
  EXPECT_EQ(shrunkHull(box, 0.0).points.size(), 8u);
}

}  // namespace
}  // namespace hackle
