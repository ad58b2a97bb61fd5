#include <hackle/geometry/bvh.h>

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/winding_number.h>
#include <shapes.h>

#include <gtest/gtest.h>

#include <cstring>

namespace hackle {
namespace {

TriangleBvh makeBvh(const TriangleMesh& mesh, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return TriangleBvh(mesh, context);
}

Vec3 randomPoint(Random& random, double low, double high) {
  return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)};
}

const Vec3& corner(const TriangleMesh& mesh, int32_t t, size_t c) {
  return mesh.points[mesh.triangles[t][c]];
}

ClosestPoint bruteClosest(const TriangleMesh& mesh, const Vec3& q) {
  ClosestPoint best;
  for (int32_t t = 0; t < static_cast<int32_t>(mesh.triangles.size()); ++t) {
    ClosestPoint c = closestPointOnTriangle(q, corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2));
    c.triangle = t;
    if (c.squaredDistance < best.squaredDistance) best = c;
  }
  return best;
}

/// Meshes of different kinds: soups of large and small triangles, a surface, degenerate ones.
std::vector<TriangleMesh> testMeshes() {
  Geometry degenerate = shapes::soup(30, 0.1, 5);
  degenerate.addPolygon({0, 0, 0});
  degenerate.addPolygon({3, 4, 3});
  for (int i = 0; i < 40; ++i) degenerate.addPolygon({0, 1, 2});  // all in one place
  return {triangleMesh(shapes::soup(1, 0.3, 1)), triangleMesh(shapes::soup(2000, 0.02, 2)),
          triangleMesh(shapes::soup(300, 0.5, 3)), triangleMesh(shapes::torus(60, 30)),
          triangleMesh(degenerate)};
}

TEST(ClosestPointOnTriangle, IsNearerThanAnySample) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = randomPoint(random, 0, 1), b = randomPoint(random, 0, 1);
    Vec3 c = randomPoint(random, 0, 1);
    if (i % 5 == 0) c = a + random.uniform() * (b - a);  // a segment
    if (i % 7 == 0) c = a;
    const Vec3 q = randomPoint(random, -1, 2);
    const ClosestPoint nearest = closestPointOnTriangle(q, a, b, c);
    EXPECT_NEAR(nearest.barycentric.sum(), 1.0, 1e-12);
    EXPECT_GE(nearest.barycentric.minCoeff(), 0.0);
    EXPECT_NEAR((nearest.point - q).squaredNorm(), nearest.squaredDistance, 1e-15);
    for (int u = 0; u <= 20; ++u)
      for (int v = 0; u + v <= 20; ++v) {
        const Vec3 sample = a + u / 20.0 * (b - a) + v / 20.0 * (c - a);
        EXPECT_GE((sample - q).squaredNorm(), nearest.squaredDistance - 1e-12);
      }
  }
}

TEST(TriangleBvh, ClosestPointEqualsBruteForce) {
  Random random(2);
  for (const TriangleMesh& mesh : testMeshes()) {
    const TriangleBvh bvh = makeBvh(mesh);
    for (int i = 0; i < 200; ++i) {
      const Vec3 q = randomPoint(random, -1.5, 2);
      const ClosestPoint expected = bruteClosest(mesh, q), found = bvh.closestPoint(q);
      EXPECT_NEAR(found.squaredDistance, expected.squaredDistance, 1e-14);
      ASSERT_GE(found.triangle, 0);
      Vec3 point = Vec3::Zero();
      for (size_t c = 0; c < 3; ++c)
        point += found.barycentric[static_cast<int>(c)] * corner(mesh, found.triangle, c);
      EXPECT_LT((point - found.point).norm(), 1e-14);
      const double distance = std::sqrt(expected.squaredDistance);
      EXPECT_EQ(bvh.closestPoint(q, 0.99 * distance).triangle, -1);
      EXPECT_GE(bvh.closestPoint(q, 1.01 * distance + 1e-9).triangle, 0);
    }
  }
}

TEST(TriangleBvh, RaysEqualBruteForce) {
  Random random(3);
  for (const TriangleMesh& mesh : testMeshes()) {
    const TriangleBvh bvh = makeBvh(mesh);
    for (int i = 0; i < 200; ++i) {
      Ray ray;
      ray.origin = randomPoint(random, -1, 2);
      ray.direction = randomPoint(random, -1, 1);
      if (i % 10 == 0) ray.direction[static_cast<int>(random.below(3))] = 0.0;
      if (i % 3 == 0) ray.tMax = random.uniform(0, 2);
      std::vector<int32_t> expected;
      for (int32_t t = 0; t < static_cast<int32_t>(mesh.triangles.size()); ++t) {
        // Solve origin + s d = a + u (b - a) + v (c - a).
        Mat3 m;
        m << -ray.direction, corner(mesh, t, 1) - corner(mesh, t, 0), corner(mesh, t, 2) - corner(mesh, t, 0);
        if (std::abs(m.determinant()) < 1e-14) continue;
        const Vec3 x = m.inverse() * (ray.origin - corner(mesh, t, 0));
        if (x[0] >= 0 && x[0] <= ray.tMax && x[1] >= 0 && x[2] >= 0 && x[1] + x[2] <= 1)
          expected.push_back(t);
      }
      std::vector<int32_t> found;
      double last = 0;
      for (const RayHit& hit : bvh.allHits(ray)) {
        found.push_back(hit.triangle);
        EXPECT_GE(hit.t, last);
        last = hit.t;
        Vec3 point = Vec3::Zero();
        for (size_t c = 0; c < 3; ++c)
          point += hit.barycentric[static_cast<int>(c)] * corner(mesh, hit.triangle, c);
        EXPECT_LT((point - (ray.origin + hit.t * ray.direction)).norm(), 1e-11);
        const Vec3 normal = (corner(mesh, hit.triangle, 1) - corner(mesh, hit.triangle, 0))
                                .cross(corner(mesh, hit.triangle, 2) - corner(mesh, hit.triangle, 0));
        EXPECT_EQ(hit.front, normal.dot(ray.direction) < 0);
      }
      const std::optional<RayHit> first = bvh.firstHit(ray);
      EXPECT_EQ(first.has_value(), !found.empty());
      EXPECT_EQ(bvh.anyHit(ray), !found.empty());
      if (first) {
        EXPECT_EQ(first->triangle, found[0]);
      }
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(TriangleBvh, NoRaySlipsThroughEdgesOrCorners) {
  // From inside a closed surface, every ray must hit, also those aimed exactly at points and edges.
  const TriangleMesh mesh = triangleMesh(shapes::sphere(12, 1.0, {0.1, 0.2, 0.3}));
  const TriangleBvh bvh = makeBvh(mesh);
  const Vec3 origin(0.15, 0.1, 0.25);
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t c = 0; c < 3; ++c)
      for (const double s : {0.0, 0.25, 0.5}) {
        const Vec3 target = corner(mesh, int32_t(t), c) +
                            s * (corner(mesh, int32_t(t), (c + 1) % 3) - corner(mesh, int32_t(t), c));
        EXPECT_TRUE(bvh.anyHit({origin, target - origin}));
      }
}

TEST(TriangleBvh, BoxQueriesEqualBruteForce) {
  Random random(4);
  for (const TriangleMesh& mesh : testMeshes()) {
    const TriangleBvh bvh = makeBvh(mesh);
    for (int i = 0; i < 50; ++i) {
      Box3 box;
      box.add(randomPoint(random, -1, 2));
      box.add(randomPoint(random, -1, 2));
      std::vector<int32_t> expected;
      for (int32_t t = 0; t < static_cast<int32_t>(mesh.triangles.size()); ++t) {
        Box3 own;
        for (size_t c = 0; c < 3; ++c) own.add(corner(mesh, t, c));
        if ((own.min.array() <= box.max.array()).all() && (own.max.array() >= box.min.array()).all())
          expected.push_back(t);
      }
      EXPECT_EQ(bvh.trianglesNear(box), expected);
    }
    EXPECT_EQ(bvh.trianglesNear(bvh.bounds()).size(), mesh.triangles.size());
  }
}

TEST(TriangleBvh, IsEqualOnAnyNumberOfThreads) {
  const TriangleMesh mesh = triangleMesh(shapes::torus(400, 200));
  const TriangleBvh a = makeBvh(mesh, 1), b = makeBvh(mesh, 4);
  ASSERT_EQ(a.nodes().size(), b.nodes().size());
  EXPECT_EQ(0, std::memcmp(a.nodes().data(), b.nodes().data(), a.nodes().size() * sizeof(TriangleBvh::Node)));
  for (size_t i = 0; i < a.leafTriangles().size(); ++i)
    ASSERT_TRUE(a.leafTriangles()[i].a == b.leafTriangles()[i].a &&
                a.leafTriangles()[i].b == b.leafTriangles()[i].b);
}

TEST(TriangleBvh, TakesExtremeInput) {
  const double nan = std::nan("");
  EXPECT_EQ(makeBvh(TriangleMesh()).closestPoint({0, 0, 0}).triangle, -1);
  EXPECT_FALSE(makeBvh(TriangleMesh()).anyHit({}));
  // Far away, small: the answer is as exact as the coordinates.
  Geometry far = shapes::sphere(10, 1e-3, {1e6, -1e6, 1e6});
  const ClosestPoint near = makeBvh(triangleMesh(far)).closestPoint({1e6, -1e6 + 1, 1e6});
  EXPECT_NEAR(std::sqrt(near.squaredDistance), 1 - 1e-3, 1e-9);
  // Corners that are not finite take their triangles out, no more.
  Geometry holed = shapes::box();
  holed.editPositions()[0] = {nan, 0, 0};
  const TriangleBvh bvh = makeBvh(triangleMesh(holed));
  EXPECT_NEAR(bvh.closestPoint({2, 1, 1}).squaredDistance, 1.0, 1e-15);
  EXPECT_EQ(bvh.closestPoint({nan, 1, 1}).triangle, -1);
  EXPECT_FALSE(bvh.anyHit({{0, 0, 0}, {0, 0, 0}}));
  EXPECT_FALSE(bvh.anyHit({{0, 0, nan}, {0, 0, 1}}));
  // Sizes that overflow single precision, and thousands of triangles with one centre.
  Geometry huge = shapes::box({-1e60, -1e60, -1e60}, {1e60, 1e60, 1e60});
  EXPECT_GE(makeBvh(triangleMesh(huge)).closestPoint({0, 0, 0}).triangle, 0);
  Geometry stack;
  stack.addPoints(3);
  stack.editPositions() = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < 5000; ++i) stack.addPolygon({0, 1, 2});
  EXPECT_EQ(makeBvh(triangleMesh(stack)).allHits({{0.2, 0.2, 1}, {0, 0, -1}}).size(), 5000u);
}

TEST(WindingNumber, IsOneInsideAndZeroOutside) {
  const TriangleMesh mesh = triangleMesh(shapes::torus(60, 30));
  Context context;
  const TriangleBvh bvh(mesh, context);
  const WindingNumber winding(bvh, context);
  for (const auto& [query, expected] : {std::pair(Vec3(1, 0, 0), 1.0), std::pair(Vec3(0, 0, 0), 0.0),
                                        std::pair(Vec3(0, 0, -0.9), 1.0), std::pair(Vec3(5, 0, 0), 0.0)}) {
    EXPECT_NEAR(windingNumberExact(mesh.points, mesh.triangles, query), expected, 1e-12);
    EXPECT_NEAR(winding(query), expected, 1e-2);
    EXPECT_NEAR(winding(query, 1e9), expected, 1e-12);
  }
}

TEST(WindingNumber, ApproachesBruteForceAsAccuracyGrows) {
  Random random(7);
  for (const TriangleMesh& mesh :
       {triangleMesh(shapes::soup(2000, 0.05, 4)), triangleMesh(shapes::torus(80, 40))}) {
    Context context;
    const TriangleBvh bvh(mesh, context);
    const WindingNumber winding(bvh, context);
    double worst[3] = {0, 0, 0};
    const double accuracy[3] = {2, 4, 8};
    for (int i = 0; i < 300; ++i) {
      const Vec3 q = randomPoint(random, -1.2, 1.2);
      const double exact = windingNumberExact(mesh.points, mesh.triangles, q);
      for (int a = 0; a < 3; ++a) worst[a] = std::max(worst[a], std::abs(winding(q, accuracy[a]) - exact));
    }
    EXPECT_LT(worst[0], 1e-2) << worst[1] << " " << worst[2];
    // What is left out falls with the third power of the distance.
    EXPECT_LT(worst[1], 0.2 * worst[0]);
    EXPECT_LT(worst[2], 0.2 * worst[1]);
  }
}

TEST(WindingNumber, OfAnOpenHemisphereIsAHalfAtItsCentre) {
  const Geometry sphere = shapes::sphere(40);
  std::vector<int32_t> upper;
  for (size_t p = 0; p < sphere.primitiveCount(); ++p) {
    Vec3 sum = Vec3::Zero();
    for (const int32_t c : sphere.corners(p)) sum += sphere.position(static_cast<size_t>(c));
    if (sum.y() > 0) upper.push_back(static_cast<int32_t>(p));
  }
  const TriangleMesh mesh = triangleMesh(sphere.extract(upper));
  EXPECT_NEAR(windingNumberExact(mesh.points, mesh.triangles, {0, 0, 0}), 0.5, 1e-12);
  Context context;
  const TriangleBvh bvh(mesh, context);
  EXPECT_NEAR(WindingNumber(bvh, context)({0, 0, 0}), 0.5, 2e-3);
}

}  // namespace
}  // namespace hackle
