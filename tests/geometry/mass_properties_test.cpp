#include <hackle/geometry/mass_properties.h>

#include <hackle/geometry/transform.h>
#include <hackle/geometry/triangle_mesh.h>
#include <shapes.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

MassProperties measured(const Geometry& g) {
  Context context;
  return massProperties(triangleMesh(g), context);
}

void expectNear(const Mat3& a, const Mat3& b, double tolerance) {
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), tolerance) << a << "\n\n" << b;
}

Mat3 boxInertia(const Vec3& s) {
  const Vec3 q = s.cwiseProduct(s);
  return s.prod() / 12.0 * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y()).asDiagonal().toDenseMatrix();
}

TEST(MassProperties, BoxIsExactAlsoFarFromTheOrigin) {
  const Vec3 size(1, 2, 3);
  for (const double distance : {0.0, 1e3, 1e6}) {
    const Vec3 low = Vec3(1, -2, 1) * distance;
    const MassProperties m = measured(shapes::box(low, low + size));
    const double slack = 1e-13 + 1e-15 * distance;
    EXPECT_NEAR(m.volume, 6.0, 10 * slack);
    EXPECT_NEAR(m.area, 22.0, 30 * slack);
    EXPECT_LT((m.centre - low - 0.5 * size).norm(), 1e-12 + 1e-15 * distance);
    expectNear(m.inertia, boxInertia(size), 100 * slack);
  }
}

TEST(MassProperties, SphereAndTorusConvergeWithOrderTwo) {
  const double pi = shapes::kPi, R = 1.0, r = 0.25;
  const double sphereVolume = 4 * pi / 3, torusVolume = 2 * pi * pi * R * r * r;
  double sphereError[2], torusError[2], inertiaError[2];
  for (int i = 0; i < 2; ++i) {
    const int n = 32 << i;
    const MassProperties s = measured(shapes::sphere(n)), t = measured(shapes::torus(2 * n, n, R, r));
    sphereError[i] = std::abs(s.volume - sphereVolume);
    torusError[i] = std::abs(t.volume - torusVolume);
    const double aboutAxis = torusVolume * (R * R + 0.75 * r * r),
                 across = torusVolume * (0.5 * R * R + 0.625 * r * r);
    inertiaError[i] = (t.inertia - Vec3(across, aboutAxis, across).asDiagonal().toDenseMatrix()).norm();
    expectNear(s.inertia, 0.4 * sphereVolume * Mat3::Identity(), 0.05);
  }
  for (const double* error : {sphereError, torusError, inertiaError}) {
    const double order = std::log2(error[0] / error[1]);
    EXPECT_NEAR(order, 2.0, 0.1);
    EXPECT_GT(error[1], 0.0);
  }
}

TEST(MassProperties, RigidMotionTurnsInertiaAndKeepsTheRest) {
  Geometry g = shapes::torus(40, 20);
  g.append(shapes::box({1, 1, 1}, {2, 3, 1.5}));
  const MassProperties before = measured(g);
  const Mat3 turn = shapes::randomRotation(4);
  const Vec3 offset(10, -20, 30);
  Context context;
  transformGeometry(g, turn, offset, context);
  const MassProperties after = measured(g);
  EXPECT_NEAR(after.volume, before.volume, 1e-12);
  EXPECT_NEAR(after.area, before.area, 1e-12);
  EXPECT_LT((after.centre - (turn * before.centre + offset)).norm(), 1e-12);
  expectNear(after.inertia, turn * before.inertia * turn.transpose(), 1e-11);
}

TEST(MassProperties, InsideOutIsNegative) {
  Geometry g = shapes::box();
  g.flipWinding();
  EXPECT_NEAR(measured(g).volume, -1.0, 1e-14);
  EXPECT_NEAR(measured(g).area, 6.0, 1e-14);
  EXPECT_LT((measured(g).centre - Vec3(0.5, 0.5, 0.5)).norm(), 1e-14);
}

TEST(MassProperties, TetrahedraAgreeWithTheirSurface) {
  // Five tetrahedra that fill the unit cube.
  Geometry g = shapes::box({-3, 5, 2}, {-2, 7, 2.5});
  const std::vector<int32_t> corners{0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7, 1, 2, 4, 7};
  g.addPrimitives(PrimitiveType::Tetrahedron, 5, 4, corners);
  const TetrahedronMesh tetrahedra = tetrahedronMesh(g);
  std::vector<Tetrahedron> cells(tetrahedra.tetrahedra.begin(), tetrahedra.tetrahedra.end());
  for (Tetrahedron& t : cells) {
    const Vec3 a = g.position(static_cast<size_t>(t[0]));
    const auto edge = [&](size_t i) { return Vec3(g.position(static_cast<size_t>(t[i])) - a); };
    if (edge(1).dot(edge(2).cross(edge(3))) < 0) std::swap(t[2], t[3]);
  }
  Context context;
  const MassProperties solid = massProperties(g.positions(), cells, context);
  const MassProperties surface = measured(g);
  EXPECT_NEAR(solid.volume, surface.volume, 1e-14);
  EXPECT_LT((solid.centre - surface.centre).norm(), 1e-13);
  expectNear(solid.inertia, surface.inertia, 1e-13);
}

TEST(MassProperties, WithoutVolumeGiveTheSurfaceCentre) {
  Geometry flat;
  for (const Vec3& p : {Vec3(0, 0, 5), Vec3(2, 0, 5), Vec3(2, 2, 5), Vec3(0, 2, 5)}) flat.addPoint(p);
  flat.addPolygon({0, 1, 2, 3});
  EXPECT_EQ(measured(flat).volume, 0.0);
  EXPECT_LT((measured(flat).centre - Vec3(1, 1, 5)).norm(), 1e-14);
  EXPECT_EQ(measured(Geometry()).area, 0.0);
}

TEST(MassProperties, AreEqualOnAnyNumberOfThreads) {
  const TriangleMesh mesh = triangleMesh(shapes::torus(300, 200));
  Context one, many;
  one.setThreads(1);
  many.setThreads(4);
  const MassProperties a = massProperties(mesh, one), b = massProperties(mesh, many);
  EXPECT_EQ(a.volume, b.volume);
  EXPECT_EQ(a.area, b.area);
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_EQ(a.inertia, b.inertia);
  EXPECT_EQ(surfaceArea(mesh.points, mesh.triangles, one), a.area);
}

TEST(Diameter, EqualsBruteForce) {
  EXPECT_EQ(diameter(std::vector<Vec3>{}), 0.0);
  EXPECT_EQ(diameter(std::vector<Vec3>{{1, 2, 3}}), 0.0);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) points.emplace_back(random.normal(), 2 * random.normal(), random.normal());
    double expected = 0;
    for (const Vec3& a : points)
      for (const Vec3& b : points) expected = std::max(expected, (a - b).norm());
    EXPECT_NEAR(diameter(points), expected, 0.02 * expected) << seed;
    EXPECT_LE(diameter(points), expected * (1 + 1e-15));
  }
}

}  // namespace
}  // namespace hackle
