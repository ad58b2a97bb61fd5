// Splitting long edges keeps the surface, closed, with better triangles.
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/surface/bisect_edges.h>

#include <gtest/gtest.h>
#include <shapes.h>

#include <array>
#include <set>

namespace hackle {
namespace {

double longestEdge(const TriangleMesh& mesh) {
  double longest = 0;
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k)
      longest = std::max(longest, (mesh.points[t[k]] - mesh.points[t[(k + 1) % 3]]).norm());
  return longest;
}

TEST(BisectEdges, KeepsTheSolidAndEndsWithShortEdges) {
  Context context;
  const TriangleMesh box = triangleMesh(shapes::box({0, 0, 0}, {4, 1, 0.5}));
  const BisectedMesh fine = bisectEdges(box, 0.3, 100000, context);
  EXPECT_LE(longestEdge(fine.mesh), 0.3);
  EXPECT_NEAR(massProperties(fine.mesh, context).volume, 2, 1e-12);
  // Every directed edge has its opposite.
  std::set<std::array<int32_t, 2>> edges;
  for (const Triangle& t : fine.mesh.triangles)
    for (size_t k = 0; k < 3; ++k) EXPECT_TRUE(edges.insert({t[k], t[(k + 1) % 3]}).second);
  for (const auto& e : edges) EXPECT_TRUE(edges.count({e[1], e[0]}));
  // Parts lie in the triangle that they come from.
  ASSERT_EQ(fine.source.size(), fine.mesh.triangles.size());
  const auto normal = [](const TriangleMesh& mesh, size_t t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3& a = mesh.points[c[0]];
    return Vec3((mesh.points[c[1]] - a).cross(mesh.points[c[2]] - a).normalized());
  };
  for (size_t t = 0; t < fine.source.size(); ++t) {
    EXPECT_NEAR(normal(fine.mesh, t).dot(normal(box, static_cast<size_t>(fine.source[t]))), 1, 1e-12);
    EXPECT_EQ(fine.mesh.primitives[t], box.primitives[fine.source[t]]);
  }
}

TEST(BisectEdges, StopsAtTheLimitAndLeavesShortEdgesAlone) {
  Context context;
  const TriangleMesh box = triangleMesh(shapes::box());
  EXPECT_LE(bisectEdges(box, 1e-6, 100, context).mesh.triangles.size(), 100u);
  EXPECT_EQ(bisectEdges(box, 2, 100, context).mesh.triangles.size(), 12u);
}

}  // namespace
}  // namespace hackle
