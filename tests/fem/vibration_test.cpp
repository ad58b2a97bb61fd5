#include <hackle/fem/rigid_motions.h>
#include <hackle/fem/vibration.h>
#include <hackle/linalg/symmetric_matrix.h>

#include <gtest/gtest.h>

#include "fem/tet_meshes.h"

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(Vibration, RigidMotionsComeFirstAndShapesAreOrthonormal) {
  Context context;
  const ElasticMesh mesh = bodies::box(8, 5, 4, {0.3, 0.2, 0.15}, {70e9, 0.22, 2500});
  for (const MassKind kind : {MassKind::Consistent, MassKind::Lumped}) {
    VibrationOptions options;
    options.count = 8;
    options.mass = kind;
    const VibrationModes modes = vibrationModes(mesh, options, context);
    EXPECT_EQ(modes.rigid, 6u);
    ASSERT_EQ(modes.frequencies.size(), 14);
    EXPECT_EQ(modes.frequencies.head(6).norm(), 0);
    EXPECT_GT(modes.frequencies[6], 1e3);
    for (Eigen::Index i = 7; i < 14; ++i) EXPECT_GE(modes.frequencies[i], modes.frequencies[i - 1]);
    const SymmetricMatrix M(massMatrix(mesh, kind, context)), K(stiffnessMatrix(mesh, context));
    const Eigen::MatrixXd gram = modes.shapes.transpose() * M.times(modes.shapes, context);
    EXPECT_LT((gram - Eigen::MatrixXd::Identity(14, 14)).cwiseAbs().maxCoeff(), 1e-9);
    const Eigen::MatrixXd stiffness = modes.shapes.transpose() * K.times(modes.shapes, context);
    const Eigen::MatrixXd expected = modes.frequencies.cwiseAbs2().asDiagonal();
    EXPECT_LT((stiffness - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.maxCoeff());
  }
}

TEST(Vibration, ABarRingsAtTheSpeedOfSound) {
  // Without contraction, stretching a free bar rings at k c / (2 L), c = sqrt(E / rho).
  Context context;
  const ElasticMesh mesh = bodies::box(32, 4, 4, {1, 0.2, 0.2}, {70e9, 0, 2500});
  VibrationOptions options;
  options.count = 16;
  const VibrationModes modes = vibrationModes(mesh, options, context);
  const double exact = kPi * std::sqrt(70e9 / 2500);
  double nearest = 1e300;
  for (Eigen::Index i = 6; i < modes.frequencies.size(); ++i)
    nearest = std::min(nearest, std::abs(modes.frequencies[i] / exact - 1));
  EXPECT_LT(nearest, 1e-3);
}

TEST(Vibration, ScalesAsRodsAndBellsDo) {
  // Twice the size halves the pitch; four times the stiffness doubles it; four times the mass halves it.
  Context context;
  VibrationOptions options;
  options.count = 4;
  const auto pitch = [&](double size, const ElasticMaterial& material) {
    const Vec3 extent = size * Vec3(0.3, 0.2, 0.15);
    return vibrationModes(bodies::box(5, 4, 3, extent, material), options, context).frequencies[8];
  };
  const double base = pitch(1, {70e9, 0.22, 2500});
  EXPECT_NEAR(pitch(2, {70e9, 0.22, 2500}) / base, 0.5, 1e-9);
  EXPECT_NEAR(pitch(1, {280e9, 0.22, 2500}) / base, 2, 1e-9);
  EXPECT_NEAR(pitch(1, {70e9, 0.22, 10000}) / base, 0.5, 1e-9);
}

TEST(Vibration, AFreeBeamBendsAsEulerAndBernoulliSay) {
  // Slow convergence from above; tests/validation has the resolution that meets 3 %.
  Context context;
  const ElasticMaterial material{70e9, 0.22, 2500};
  const double length = 1, height = 0.05;
  const ElasticMesh mesh = bodies::box(80, 4, 4, {length, height, height}, material);
  VibrationOptions options;
  options.count = 2;
  const VibrationModes modes = vibrationModes(mesh, options, context);
  const double exact = std::pow(4.7300 / length, 2) * std::sqrt(70e9 / 2500) * height / std::sqrt(12);
  EXPECT_GT(modes.frequencies[6] / exact, 1.0);
  EXPECT_LT(modes.frequencies[6] / exact, 1.2);
}

}  // namespace
}  // namespace hackle
