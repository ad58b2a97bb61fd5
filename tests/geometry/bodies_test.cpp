// Shells are grouped to bodies by what they enclose.
#include <gtest/gtest.h>
#include <hackle/geometry/bodies.h>
#include <hackle/geometry/triangle_mesh.h>
#include <shapes.h>

namespace hackle {
namespace {

Geometry ball(double radius, const Vec3& centre, bool cavity = false) {
  Geometry g = shapes::sphere(6, radius, centre);
  if (cavity) g.flipWinding();
  return g;
}

TEST(Bodies, CavitiesBelongToTheShellDirectlyAroundThem) {
  // A pebble in the hollow of a ball, which lies in the hollow of a larger one; another beside them.
  Geometry all = ball(1, {5, 0, 0}, true);
  for (const Geometry& g : {ball(3, {5, 0, 0}), ball(0.5, {0, 0, 0}), ball(2.5, {5, 0, 0}, true),
                            ball(2, {5, 0, 0}), ball(0.5, {5, 0, 0})})
    all.append(g);
  const TriangleMesh mesh = triangleMesh(all);
  const size_t each = mesh.triangles.size() / 6;
  const auto bodies = findBodies(mesh.points, mesh.triangles);
  // Shells of each, in the order of their outsides.
  const std::vector<std::vector<size_t>> shells{{1, 3}, {2}, {0, 4}, {5}};
  ASSERT_EQ(bodies.size(), shells.size());
  for (size_t b = 0; b < bodies.size(); ++b) {
    std::vector<int32_t> expected;
    for (const size_t s : shells[b])
      for (size_t t = 0; t < each; ++t) expected.push_back(static_cast<int32_t>(s * each + t));
    EXPECT_EQ(bodies[b], expected) << b;
  }
}

TEST(Bodies, DegenerateInput) {
  EXPECT_TRUE(findBodies({}, {}).empty());
  const TriangleMesh inverted = triangleMesh(ball(1, {0, 0, 0}, true));
  EXPECT_EQ(findBodies(inverted.points, inverted.triangles).size(), 1u);
}

}  // namespace
}  // namespace hackle
