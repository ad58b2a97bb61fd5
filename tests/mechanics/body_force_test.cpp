#include <hackle/mechanics/body_force.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

const ElasticMaterial kMaterial{3e9, 0.3, 1200};

BodyForce anyForce() {
  BodyForce force;
  force.centre = {0.1, -0.2, 0.3};
  force.density = {3, -5, 7};
  force.gradient << 1, 4, -2, 0.5, -3, 2, 6, -1, 2.5;
  return force;
}

/// Derivatives along the axes, of a polynomial of third degree exact but for
/// rounding.
template <class Value, class Function>
std::array<Value, 3> derivatives(const Function& f, const Vec3& x) {
  constexpr double h = 1e-2;
  std::array<Value, 3> result;
  for (size_t k = 0; k < 3; ++k) {
    const Vec3 step = h * Vec3::Unit(static_cast<Eigen::Index>(k));
    result[k] = (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12 * h);
  }
  return result;
}

TEST(BodyForce, ItsFieldIsInEquilibriumAndElastic) {
  const BodyForce force = anyForce();
  const BodyForceField field(force, kMaterial);
  for (const Vec3& x : {Vec3(0.4, 0.5, -0.6), Vec3(-1, 2, 0.5), force.centre}) {
    const auto stress = derivatives<Mat3>([&](const Vec3& p) { return field.stress(p); }, x);
    Vec3 divergence = Vec3::Zero();
    for (Eigen::Index k = 0; k < 3; ++k) divergence += stress[static_cast<size_t>(k)].col(k);
    EXPECT_LT((divergence + force.at(x)).norm(), 1e-9 * force.at(x).norm());
    const auto u = derivatives<Vec3>([&](const Vec3& p) { return field.displacement(p); }, x);
    Mat3 gradient;
    for (Eigen::Index k = 0; k < 3; ++k) gradient.col(k) = u[static_cast<size_t>(k)];
    EXPECT_LT((stressOf(kMaterial, gradient) - field.stress(x)).norm(), 1e-9 * (1 + field.stress(x).norm()));
  }
}

TEST(BodyForce, ItsTractionsBalanceTheForceOnABox) {
  // The force on a box of volume 1 is that at its middle.
  const BodyForce force = anyForce();
  const BodyForceField field(force, kMaterial);
  Vec3 sum = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {0.0, 1.0}) {
      std::array<Vec3, 4> corners;
      for (size_t c = 0; c < 4; ++c) {
        corners[c][axis] = side;
        corners[c][(axis + 1) % 3] = c == 1 || c == 2;
        corners[c][(axis + 2) % 3] = c > 1;
      }
      const Vec3 normal = (side > 0 ? 1 : -1) * Vec3::Unit(axis);
      for (const std::array<size_t, 3>& t : {std::array<size_t, 3>{0, 1, 2}, {0, 2, 3}})
        sum += 0.5 * field.traction(corners[t[0]], corners[t[1]], corners[t[2]], normal);
    }
  const Vec3 whole = force.at(Vec3(0.5, 0.5, 0.5));
  EXPECT_LT((sum + whole).norm(), 1e-12 * whole.norm());
}

TEST(BodyForce, TurnsWithTheFrame) {
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const BodyForce force = anyForce();
  const BodyForce turned{turn * force.centre, turn * force.density, turn * force.gradient * turn.transpose()};
  const BodyForceField a(force, kMaterial), b(turned, kMaterial);
  const Vec3 x(0.3, 0.8, -0.4);
  EXPECT_LT((turn * a.displacement(x) - b.displacement(turn * x)).norm(), 1e-12 * a.displacement(x).norm());
  EXPECT_LT((turn * a.stress(x) * turn.transpose() - b.stress(turn * x)).norm(), 1e-12 * a.stress(x).norm());
}

TEST(BodyForce, InertiaIsMassTimesAcceleration) {
  RigidAcceleration motion;
  motion.centre = {1, 2, 3};
  motion.linear = {0, 9.81, 0};
  motion.angular = {2, -1, 0.5};
  motion.spin = {3, 4, -5};
  const Vec3 r(0.2, -0.7, 0.4);
  const Vec3 acceleration = motion.linear + motion.angular.cross(r) + motion.spin.cross(motion.spin.cross(r));
  EXPECT_LT((inertiaForce(1200, motion).at(motion.centre + r) + 1200 * acceleration).norm(), 1e-9);
}

}  // namespace
}  // namespace hackle
