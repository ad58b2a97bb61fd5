// Exact tests of triangle pairs: all ways to touch, and brute force.
#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/self_intersections.h>
#include <meshing/surface_checks.h>
#include <shapes.h>

namespace hackle {
namespace {

using Corners = std::array<Vec3, 3>;

/// The answer for all orders of the corners and of the two, which must agree.
bool meet(const Corners& s, const Corners& t) {
  std::array<size_t, 3> i{0, 1, 2};
  const bool first = trianglesIntersect(s, t);
  do {
    const Corners u{s[i[0]], s[i[1]], s[i[2]]};
    EXPECT_EQ(trianglesIntersect(u, t), first);
    EXPECT_EQ(trianglesIntersect(t, u), first);
  } while (std::next_permutation(i.begin(), i.end()));
  return first;
}

const Corners kFlat{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};

TEST(TrianglesIntersect, WithoutCommonCorners) {
  EXPECT_TRUE(meet(kFlat, {Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(2, 1, 1)})) << "crossing";
  EXPECT_TRUE(meet(kFlat, {Vec3(1, 1, 0), Vec3(1, 2, 1), Vec3(2, 1, 1)})) << "a corner within";
  EXPECT_TRUE(meet(kFlat, {Vec3(2, 0, 0), Vec3(2, -1, 1), Vec3(2, -1, -1)})) << "a corner on an edge";
  EXPECT_TRUE(meet(kFlat, {Vec3(1, -1, -1), Vec3(1, -1, 1), Vec3(1, 9, 0)})) << "edges cross";
  EXPECT_TRUE(meet(kFlat, {Vec3(1, 1, 0), Vec3(2, 1, 0), Vec3(1, 2, 0)})) << "inside, in the plane";
  EXPECT_TRUE(meet(kFlat, {Vec3(-9, -9, 0), Vec3(30, -9, 0), Vec3(-9, 30, 0)})) << "around, in the plane";
  EXPECT_TRUE(meet(kFlat, {Vec3(2, 2, 0), Vec3(5, 5, 0), Vec3(5, 4, 0)})) << "touching in the plane";
  EXPECT_FALSE(meet(kFlat, {Vec3(3, 3, 0), Vec3(5, 5, 0), Vec3(5, 4, 0)})) << "apart in the plane";
  EXPECT_FALSE(meet(kFlat, {Vec3(1, 1, 1e-300), Vec3(2, 1, 1), Vec3(1, 2, 1)})) << "just above";
  EXPECT_FALSE(meet(kFlat, {Vec3(2.1, 2, -1), Vec3(2.1, 2, 1), Vec3(9, 9, 0)})) << "beside";
}

TEST(TrianglesIntersect, WithCommonCorners) {
  EXPECT_FALSE(meet(kFlat, {Vec3(0, 0, 0), Vec3(-1, 0, 1), Vec3(0, -1, 1)})) << "one corner";
  EXPECT_TRUE(meet(kFlat, {Vec3(0, 0, 0), Vec3(1, 1, -1), Vec3(1, 1, 1)})) << "one corner, crossing";
  EXPECT_TRUE(meet(kFlat, {Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(1, 1, 1)})) << "one corner, an edge within";
  EXPECT_TRUE(meet(kFlat, {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(0, 0, 1)})) << "edges along each other";
  EXPECT_TRUE(meet(kFlat, {Vec3(0, 0, 0), Vec3(8, 1, 0), Vec3(8, -1, 0)})) << "overlapping in the plane";
  EXPECT_FALSE(meet(kFlat, {Vec3(0, 0, 0), Vec3(-8, 1, 0), Vec3(-8, -1, 0)})) << "side by side in the plane";
  EXPECT_FALSE(meet(kFlat, {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, -1, 0)})) << "flat neighbours";
  EXPECT_FALSE(meet(kFlat, {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(1, 1, 1e-300)})) << "almost folded over";
  EXPECT_TRUE(meet(kFlat, {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(9, 1, 0)})) << "folded over";
  EXPECT_TRUE(meet(kFlat, kFlat)) << "the same";
}

TEST(TrianglesIntersect, OrientationIsExact) {
  // d is off the plane by one unit in the last place; rounding would hide it.
  const Vec3 a(0.1, 0.2, 0.3), b(0.7, 0.2, 0.1), c(0.4, 0.9, 0.2);
  EXPECT_EQ(orientation(a, b, c, a), 0);
  const Vec3 middle = 0.5 * (a + b);
  const int side = orientation(a, b, c, middle);
  Vec3 up = middle, down = middle;
  for (int i = 0; i < 3; ++i) {
    up.z() = std::nextafter(up.z(), 1);
    down.z() = std::nextafter(down.z(), -1);
  }
  EXPECT_EQ(orientation(a, b, c, up), -orientation(a, b, c, down));
  EXPECT_EQ(side, -orientation(b, a, c, middle));
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}), 1);
  EXPECT_EQ(orientation({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 1e-320}), -1);
}

TEST(SelfIntersections, CleanMeshesHaveNone) {
  Context context;
  for (const Geometry& g : {shapes::box(), shapes::torus(30, 16), shapes::sphere(12)})
    EXPECT_TRUE(selfIntersections(triangleMesh(g), context).empty());
}

TEST(SelfIntersections, AgreeWithBruteForce) {
  const Geometry soup = shapes::soup(150, 0.15, 4);
  const TriangleMesh mesh = triangleMesh(soup);
  std::vector<std::array<int32_t, 2>> expected;
  const auto corners = [&](size_t t) {
    const Triangle& c = mesh.triangles[t];
    return Corners{mesh.points[c[0]], mesh.points[c[1]], mesh.points[c[2]]};
  };
  for (size_t s = 0; s < 150; ++s)
    for (size_t t = s + 1; t < 150; ++t) {
      // In general position they meet where an edge of one passes through the other.
      bool crosses = false;
      for (size_t e = 0; e < 3; ++e) {
        const Corners a = corners(s), b = corners(t);
        crosses = crosses || test::segmentCrosses(a[e], a[(e + 1) % 3], b[0], b[1], b[2]) ||
                  test::segmentCrosses(b[e], b[(e + 1) % 3], a[0], a[1], a[2]);
      }
      if (crosses) expected.push_back({static_cast<int32_t>(s), static_cast<int32_t>(t)});
    }
  EXPECT_GT(expected.size(), 50u);
  for (const int threads : {1, 3}) {
    Context context;
    context.setThreads(threads);
    EXPECT_EQ(selfIntersections(mesh, context), expected);
  }
}

TEST(SelfIntersections, OverlappingAndDegenerateTriangles) {
  Context context;
  Geometry two = shapes::box();
  two.append(shapes::box({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}));
  EXPECT_FALSE(selfIntersections(triangleMesh(two), context).empty());
  Geometry twice = shapes::box();
  twice.append(shapes::box());
  EXPECT_GE(selfIntersections(triangleMesh(twice), context).size(), 12u);
  Geometry needle;
  for (const Vec3& p :
       {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(1, -1, -1), Vec3(1, 1, 1), Vec3(NAN, 0, 0)})
    needle.addPoint(p);
  needle.addPolygon({0, 1, 2});
  needle.addPolygon({0, 3, 4});
  needle.addPolygon({0, 3, 5});
  EXPECT_TRUE(selfIntersections(triangleMesh(needle), context).empty());
}

}  // namespace
}  // namespace hackle
