// Convex parts: they cover the solid, fill little more than it, and stop where asked.
#include <hackle/fracture/convex_parts.h>

#include <hackle/geometry/triangle_mesh.h>

#include <gtest/gtest.h>
#include <shapes.h>

#include <algorithm>

namespace hackle {
namespace {

double volumeOf(const ConvexHull& hull) {
  double sum = 0;
  for (const Triangle& t : hull.triangles)
    sum += hull.points[t[0]].dot(hull.points[t[1]].cross(hull.points[t[2]])) / 6;
  return sum;
}

bool holds(const ConvexHull& hull, const Vec3& p, double slack) {
  for (const Triangle& t : hull.triangles) {
    const Vec3 normal =
        (hull.points[t[1]] - hull.points[t[0]]).cross(hull.points[t[2]] - hull.points[t[0]]).normalized();
    if (normal.dot(p - hull.points[t[0]]) > slack) return false;
  }
  return true;
}

ConvexParts partsOf(const Geometry& geometry, const ConvexPartOptions& options = {}) {
  Context context;
  const TriangleMesh mesh = triangleMesh(geometry);
  return convexParts(mesh.points.span(), mesh.triangles.span(), options, context);
}

TEST(ConvexParts, OfAConvexSolidIsItsHull) {
  const ConvexParts parts = partsOf(shapes::box({1, 2, 3}, {2, 4, 7}));
  ASSERT_EQ(parts.hulls.size(), 1u);
  EXPECT_NEAR(volumeOf(parts.hulls[0]), 8, 1e-9);
  EXPECT_NEAR(parts.excess, 0, 1e-9);
}

/// An L of three cubes has an exact answer: two boxes.
TEST(ConvexParts, SplitsAnLInTwo) {
  Geometry l;
  const double outline[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (int side = 0; side < 2; ++side)
    for (const auto& p : outline) l.addPoint({p[0], p[1], side ? 1.0 : 0.0});
  l.addPolygon({5, 4, 3, 2, 1, 0});
  l.addPolygon({6, 7, 8, 9, 10, 11});
  for (int i = 0; i < 6; ++i) l.addPolygon({i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i});
  const ConvexParts parts = partsOf(l);
  ASSERT_EQ(parts.hulls.size(), 2u);
  EXPECT_NEAR(volumeOf(parts.hulls[0]) + volumeOf(parts.hulls[1]), 3, 1e-9);
}

TEST(ConvexParts, CoverATorusAndLeaveItsHoleOpen) {
  const Geometry torus = shapes::torus(48, 20);
  ConvexPartOptions options;
  options.maxCorners = 1000;
  const ConvexParts parts = partsOf(torus, options);
  EXPECT_GT(parts.hulls.size(), 4u);
  EXPECT_LE(parts.hulls.size(), 16u);
  EXPECT_LT(parts.excess, 0.2);
  for (const Vec3& p : torus.positions()) {
    bool covered = false;
    for (const ConvexHull& hull : parts.hulls) covered = covered || holds(hull, p, 1e-9);
    EXPECT_TRUE(covered);
  }
  for (const ConvexHull& hull : parts.hulls) EXPECT_FALSE(holds(hull, Vec3(0, 0, 0), 0));
}

TEST(ConvexParts, AHollowBallStaysHollow) {
  Geometry hollow = shapes::sphere(16, 1.0);
  Geometry cavity = shapes::sphere(16, 0.9);
  cavity.flipWinding();
  hollow.append(cavity);
  ConvexPartOptions options;
  options.maxParts = 64;
  options.tolerance = 0.5;
  const ConvexParts parts = partsOf(hollow, options);
  for (const ConvexHull& hull : parts.hulls) EXPECT_FALSE(holds(hull, Vec3(0, 0, 0), 0));
}

TEST(ConvexParts, ThinnedHullsStayInsideAndReachFar) {
  const Geometry ball = shapes::sphere(24, 1.0);
  const ConvexHull hull = convexHull(ball.positions().span());
  const ConvexHull thin = thinnedHull(hull, 64);
  EXPECT_LE(thin.points.size(), 64u);
  for (const Vec3& p : thin.points) EXPECT_TRUE(holds(hull, p, 1e-12));
  EXPECT_GT(volumeOf(thin), 0.85 * volumeOf(hull));
}

TEST(ConvexParts, OfAFlatSurfaceAreNone) {
  Geometry flat;
  for (int i = 0; i < 4; ++i) flat.addPoint({i & 1 ? 1.0 : 0.0, i & 2 ? 1.0 : 0.0, 0.0});
  flat.addPolygon({0, 1, 3, 2});
  flat.addPolygon({0, 2, 3, 1});
  EXPECT_TRUE(partsOf(flat).hulls.empty());
}

std::vector<Vec3> cornersOf(const Box3& box) {
  std::vector<Vec3> corners;
  for (int c = 0; c < 8; ++c)
    corners.emplace_back(c & 1 ? box.max.x() : box.min.x(), c & 2 ? box.max.y() : box.min.y(),
                         c & 4 ? box.max.z() : box.min.z());
  return corners;
}

TEST(JoinedHulls, OfPartsOfAConvexSolidAreOne) {
  std::vector<std::vector<Vec3>> octants;
  for (const Vec3& at : cornersOf({Vec3(0, 0, 0), Vec3(1, 1, 1)}))
    octants.push_back(cornersOf({at, Vec3(at + Vec3(1, 1, 1))}));
  const ConvexParts joined = joinedHulls(octants, 8, {});
  ASSERT_EQ(joined.hulls.size(), 1u);
  EXPECT_NEAR(volumeOf(joined.hulls[0]), 8, 1e-9);
  EXPECT_NEAR(joined.excess, 0, 1e-9);
}

TEST(JoinedHulls, OfAnAngleAreItsTwoLegs) {
  std::vector<std::vector<Vec3>> cubes;
  for (int i = 0; i < 8; ++i) cubes.push_back(cornersOf({Vec3(i, 0, 0), Vec3(i + 1, 1, 1)}));
  for (int i = 1; i < 8; ++i) cubes.push_back(cornersOf({Vec3(0, i, 0), Vec3(1, i + 1, 1)}));
  const ConvexParts joined = joinedHulls(cubes, 15, {});
  EXPECT_EQ(joined.hulls.size(), 2u);
  EXPECT_NEAR(joined.excess, 0, 1e-9);
  // All that the parts cover stays covered, whatever number is asked for.
  for (const int most : {1, 3, 16}) {
    ConvexPartOptions options;
    options.maxParts = most;
    const ConvexParts parts = joinedHulls(cubes, 15, options);
    EXPECT_LE(parts.hulls.size(), static_cast<size_t>(most));
    for (const std::vector<Vec3>& cube : cubes)
      for (const Vec3& p : cube)
        EXPECT_TRUE(std::any_of(parts.hulls.begin(), parts.hulls.end(),
                                [&](const ConvexHull& hull) { return holds(hull, p, 1e-9); }));
  }
}

}  // namespace
}  // namespace hackle
