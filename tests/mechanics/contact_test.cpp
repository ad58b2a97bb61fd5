#include <hackle/core/error.h>
#include <hackle/mechanics/contact.h>

#include <gtest/gtest.h>
#include <shapes.h>

#include <cmath>

namespace hackle {
namespace {

const ElasticMaterial kGlass{70e9, 0.22, 2500};

struct Surface {
  TriangleMesh mesh;
  Context context;
  TriangleBvh bvh;
  explicit Surface(const Geometry& geometry) : mesh(triangleMesh(geometry)), bvh(mesh, context) {}
};

Geometry moved(Geometry g, const Mat3& rotation, const Vec3& by, double scale) {
  for (Vec3& p : g.editPositions()) p = scale * (rotation * p) + by;
  return g;
}

/// The impact itself: m x'' = -(4/3) E* sqrt(R) x^(3/2), by small steps.
void simulateHertz(double m, double modulus, double radius, double v, double& duration, double& peak) {
  const double k = 4.0 / 3.0 * modulus * std::sqrt(radius);
  const double dt = 1e-5 * hertzDuration(m, modulus, radius, v);
  double x = 0, time = 0;
  peak = 0;
  do {
    // Velocity Verlet.
    const double half = v - 0.5 * dt * k * std::pow(std::max(x, 0.0), 1.5) / m;
    x += dt * half;
    const double force = k * std::pow(std::max(x, 0.0), 1.5);
    v = half - 0.5 * dt * force / m;
    peak = std::max(peak, force);
    time += dt;
  } while (x > 0);
  duration = time;
}

TEST(Contact, HertzAgreesWithTheEquationOfMotion) {
  double duration = 0, peak = 0;
  simulateHertz(0.3, 38e9, 0.04, 2.5, duration, peak);
  EXPECT_NEAR(hertzDuration(0.3, 38e9, 0.04, 2.5) / duration, 1, 1e-4);
  EXPECT_NEAR(hertzPeakForce(0.3, 38e9, 0.04, 2.5) / peak, 1, 1e-4);
  EXPECT_NEAR(kHertzPeak * 2 * 0.3 * 2.5 / duration / peak, 1, 1e-4);
  // Force and radius of the circle: a^2 = R x, F = 4/3 E* sqrt(R) x^(3/2).
  const double a = hertzPatchRadius(peak, 38e9, 0.04), approach = a * a / 0.04;
  EXPECT_NEAR(4.0 / 3.0 * 38e9 * std::sqrt(0.04) * std::pow(approach, 1.5) / peak, 1, 1e-12);
}

TEST(Contact, ResolvesTwoEqualSpheres) {
  const Surface sphere(shapes::sphere(80, 0.05, {1, 2, 3}));
  Impact impact;
  impact.position = {1, 2.05, 3};
  impact.direction = {0, -3, 0};
  impact.impulse = 0.6;
  impact.striker.mass = 2.0;
  impact.striker.radius = 0.05;
  const Contact c = resolveContact(impact, 2.0, kGlass, sphere.mesh, sphere.bvh, {});
  EXPECT_NEAR(c.radius, 0.025, 0.025 * 0.01);
  EXPECT_DOUBLE_EQ(c.mass, 1.0);
  EXPECT_DOUBLE_EQ(c.speed, 0.3);
  const double modulus = 70e9 / (1 - 0.22 * 0.22) / 2;
  EXPECT_NEAR(c.duration / hertzDuration(1.0, modulus, c.radius, 0.3), 1, 1e-12);
  EXPECT_NEAR(c.meanForce * c.duration, 0.6, 1e-12);
  EXPECT_NEAR(c.peakForce / hertzPeakForce(1.0, modulus, c.radius, 0.3), 1, 1e-5);
  EXPECT_NEAR((c.direction + Vec3::UnitY()).norm(), 0, 1e-15);
}

TEST(Contact, CurvatureIsThatOfSpheresCylindersAndPlanes) {
  const Surface sphere(shapes::sphere(120, 0.5));
  for (const Vec3& p : {Vec3(0.5, 0, 0), Vec3(0.1, 0.3, -0.4), Vec3(0, 2, 0)})
    EXPECT_NEAR(surfaceCurvature(sphere.mesh, sphere.bvh, p, 0.1), 2.0, 0.02);
  const Surface box(shapes::box());
  EXPECT_NEAR(surfaceCurvature(box.mesh, box.bvh, {0.4, 1.0, 0.6}, 0.1), 0, 1e-9);
  EXPECT_GT(surfaceCurvature(box.mesh, box.bvh, {1, 1, 1}, 0.1), 5);
  // A ring of small tube: outside 1/2 (1/r + 1/(R + r)), inside 1/2 (1/r - 1/(R - r)).
  const Surface torus(shapes::torus(400, 100, 1.0, 0.25));
  EXPECT_NEAR(surfaceCurvature(torus.mesh, torus.bvh, {1.25, 0, 0}, 0.05), 0.5 * (4 + 0.8), 0.05);
  EXPECT_NEAR(surfaceCurvature(torus.mesh, torus.bvh, {0.75, 0, 0}, 0.05), 0.5 * (4 - 4 / 3.0), 0.05);
}

TEST(Contact, CurvatureKnowsInsideFromOutsideAndNoFrame) {
  Geometry hollow = shapes::sphere(60, 0.5);
  const Surface ball(hollow);
  hollow.flipWinding();
  const Surface cavity(hollow);
  const double out = surfaceCurvature(ball.mesh, ball.bvh, {0.3, 0.4, 0}, 0.1);
  EXPECT_NEAR(surfaceCurvature(cavity.mesh, cavity.bvh, {0.3, 0.4, 0}, 0.1), -out, 1e-9);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const Surface other(moved(shapes::sphere(60, 0.5), turn, {7, -3, 2}, 10));
  EXPECT_NEAR(
      10 * surfaceCurvature(other.mesh, other.bvh, 10 * (turn * Vec3(0.3, 0.4, 0)) + Vec3(7, -3, 2), 1.0),
      out, 1e-6);
}

TEST(Contact, CurvatureEndsWhereMidpointsAreRounded) {
  // At 1e15 m neighbouring numbers are an eighth of a metre apart: edges stop shrinking.
  const Surface far(
      moved(shapes::box(Vec3(-32, -32, -32), Vec3(32, 32, 32)), Mat3::Identity(), Vec3::Constant(1e15), 1));
  EXPECT_TRUE(std::isfinite(surfaceCurvature(far.mesh, far.bvh, Vec3::Constant(1e15 + 32), 0.5)));
}

TEST(Contact, PressureIsACapOnTheSideThatIsHit) {
  // A plate thinner than the patch: its back must stay free.
  const Surface plate(shapes::box({-1, -0.01, -1}, {1, 0.01, 1}));
  Contact contact;
  contact.direction = Vec3(0, -1, 0);
  contact.patchRadius = 0.1;
  const auto forces = contactForces({0.2, 0.01, 0.1}, contact, 500, plate.mesh, plate.bvh);
  Vec3 sum = Vec3::Zero(), middle = Vec3::Zero();
  double square = 0;
  for (const PointForce& f : forces) {
    sum += f.force;
    middle += f.force.norm() / 500 * f.position;
    square += f.force.norm() / 500 * (f.position - Vec3(0.2, 0.01, 0.1)).squaredNorm();
    EXPECT_NEAR(f.position.y(), 0.01, 1e-12);
  }
  EXPECT_NEAR((sum - Vec3(0, -500, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((middle - Vec3(0.2, 0.01, 0.1)).norm(), 0, 1e-3);
  EXPECT_NEAR(square, 0.4 * 0.01, 0.02 * 0.4 * 0.01);  // of a half ellipsoid: 2/5 a^2
}

TEST(Contact, BalancedTractionsHaveNoForceAndNoTorque) {
  const Surface body(shapes::torus(60, 24));
  Impact impact;
  impact.position = {1.25, 0, 0};
  impact.direction = {-1, -2, 0.5};
  impact.impulse = 3;
  const Contact contact = resolveContact(impact, 100, kGlass, body.mesh, body.bvh, {});
  const auto forces = contactForces(impact.position, contact, contact.peakForce, body.mesh, body.bvh);
  const std::vector<Vec3> raw = tractionsOf(forces, body.mesh);
  const NetLoad before = netLoad(body.mesh.points, body.mesh.triangles, raw, Vec3::Zero());
  EXPECT_NEAR((before.force - contact.peakForce * contact.direction).norm(), 0, 1e-9 * contact.peakForce);
  const BalancedTractions balanced = balancedTractionsOf(forces, body.mesh);
  const NetLoad after = netLoad(body.mesh.points, body.mesh.triangles, balanced.tractions, Vec3::Zero());
  EXPECT_LE(after.force.norm(), 1e-10 * before.force.norm());
  EXPECT_LE(after.torque.norm(), 1e-10 * before.torque.norm());
}

TEST(Contact, EffectiveMassOfARodStruckAtItsEnd) {
  // A slender rod: 1/m' = 1/m + (L/2)^2 / (m L^2 / 12) = 4/m.
  Context context;
  const TriangleMesh rod = triangleMesh(shapes::box({-1, -0.001, -0.001}, {1, 0.001, 0.001}));
  const MassProperties properties = massProperties(rod, context);
  const double mass = 1000 * properties.volume;
  EXPECT_NEAR(effectiveMass(properties, 1000, {1, 0, 0}, {0, 5, 0}) / mass, 0.25, 1e-5);
  EXPECT_NEAR(effectiveMass(properties, 1000, {0, 0, 0}, {0, 5, 0}) / mass, 1, 1e-12);
}

TEST(Contact, NothingHappensWithoutImpulseAndBadInputIsNamed) {
  const Surface box(shapes::box());
  Impact impact;
  impact.position = {0.5, 1, 0.5};
  impact.impulse = 0;
  const Contact none = resolveContact(impact, 1, kGlass, box.mesh, box.bvh, {});
  EXPECT_EQ(none.peakForce, 0);
  const auto forces = contactForces(impact.position, none, none.peakForce, box.mesh, box.bvh);
  ASSERT_EQ(forces.size(), 1u);
  EXPECT_EQ(forces[0].force.norm(), 0);
  const auto refuses = [&](const Impact& bad) {
    EXPECT_THROW(resolveContact(bad, 1, kGlass, box.mesh, box.bvh, {}), Error);
  };
  Impact bad = impact;
  bad.direction.setZero();
  refuses(bad);
  bad = impact;
  bad.impulse = -1;
  refuses(bad);
  bad = impact;
  bad.striker.radius = 0;
  refuses(bad);
  EXPECT_THROW(resolveContact(impact, 0, kGlass, box.mesh, box.bvh, {}), Error);
}

}  // namespace
}  // namespace hackle
