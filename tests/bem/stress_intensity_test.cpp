#include "elastic_bodies.h"

#include <hackle/bem/mouth.h>
#include <hackle/bem/stress_intensity.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

using namespace bodies;

constexpr double kNu = 0.3;

/// A disk in an unbounded body under a remote stress.
BemSystem penny(int rings, double radius, const Mat3& frame, const Mat3& stress, Context& context) {
  BemSystemOptions options;
  options.crackStress = stress;
  BemSystem system({}, {70e9, kNu, 2500}, {}, options, context);
  system.growCracks(crackOf(disk(rings, radius, frame), 0), context);
  return system;
}

/// Largest difference from the exact factors of a penny crack under tension `s` and shear `t` along the
/// frame's first axis, as a share of the largest factor of the mode.
Vec3 pennyError(const BemSystem& system, const BemSolution& solution, double radius, const Mat3& frame,
                double s, double t, SifMethod method) {
  Vec3 error = Vec3::Zero();
  const double root = std::sqrt(radius / kPi);
  const Vec3 scale(2 * s * root, 4 * t * root / (2 - kNu), 4 * (1 - kNu) * t * root / (2 - kNu));
  for (const FrontNode& f : stressIntensity(system, solution, method)) {
    const Vec3 x = frame.transpose() * system.surface().point(static_cast<size_t>(f.node)) / radius;
    const Vec3 exact(scale[0], scale[1] * x.x(), scale[2] * x.y());
    for (int c = 0; c < 3; ++c)
      if (scale[c] > 0) error[c] = std::max(error[c], std::abs(f.k[c] - exact[c]) / scale[c]);
  }
  return error;
}

TEST(StressIntensity, PennyInTension) {
  Context context;
  const Mat3 stress = Vec3(0, 0, 1e6).asDiagonal();
  const double asked[] = {0.05, 0.02};
  const int rings[] = {4, 8};  // 96 and 384 triangles
  for (int i = 0; i < 2; ++i) {
    const BemSystem system = penny(rings[i], 0.1, Mat3::Identity(), stress, context);
    const BemSolution solution = system.solve(context);
    EXPECT_LT(pennyError(system, solution, 0.1, Mat3::Identity(), 1e6, 0, SifMethod::Fit)[0], asked[i]);
    for (const FrontNode& f : stressIntensity(system, solution)) {
      EXPECT_NEAR(f.outward.dot(system.surface().point(static_cast<size_t>(f.node))), 0.1, 1e-3);
      EXPECT_GT(solution.opening(0).z(), 0);
    }
  }
}

TEST(StressIntensity, PennyInShear) {
  Context context;
  Mat3 stress = Mat3::Zero();
  stress(0, 2) = stress(2, 0) = 1e6;
  const BemSystem system = penny(4, 1, Mat3::Identity(), stress, context);
  const Vec3 error = pennyError(system, system.solve(context), 1, Mat3::Identity(), 0, 1e6, SifMethod::Fit);
  EXPECT_LT(error[1], 0.08);
  EXPECT_LT(error[2], 0.08);
}

TEST(StressIntensity, InclinedPenny) {
  Context context;
  const double beta = 0.6, s = 1e6;
  const Mat3 frame = Eigen::AngleAxisd(beta, Vec3::UnitY()).toRotationMatrix();
  const Mat3 stress = Vec3(0, 0, s).asDiagonal();
  const BemSystem system = penny(4, 1, frame, stress, context);
  // Shear on the crack acts along -x of its frame.
  Mat3 turned = frame;
  turned.col(0) = -frame.col(0);
  turned.col(1) = -frame.col(1);
  const Vec3 error = pennyError(system, system.solve(context), 1, turned, s * std::cos(beta) * std::cos(beta),
                                s * std::sin(beta) * std::cos(beta), SifMethod::Fit);
  for (int c = 0; c < 3; ++c) EXPECT_LT(error[c], 0.08) << c;
}

TEST(StressIntensity, TheFitConvergesAndTheCorrelationDoesNot) {
  Context context;
  const Mat3 stress = Vec3(0, 0, 1e6).asDiagonal();
  double fit[2], correlation[2];
  for (const int i : {0, 1}) {
    const BemSystem system = penny(i == 0 ? 5 : 10, 1, Mat3::Identity(), stress, context);
    const BemSolution solution = system.solve(context);
    fit[i] = pennyError(system, solution, 1, Mat3::Identity(), 1e6, 0, SifMethod::Fit)[0];
    correlation[i] = pennyError(system, solution, 1, Mat3::Identity(), 1e6, 0, SifMethod::Correlation)[0];
  }
  EXPECT_LT(fit[1], 0.6 * fit[0]);
  EXPECT_LT(fit[1], 0.4 * correlation[1]);
}

TEST(StressIntensity, EdgeCrackOpensAtItsMouth) {
  Context context;
  const int across = 6;
  const double length = 3, height = 3, depth = 3, a = 1;
  const BemSurface body = surfaceOf(box({0, -height, 0}, {length, height, depth}, {across, 6, 4}));
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t)
    if (std::abs(body.normal(t).y()) > 0.5) data.traction[t] = Vec3(0, body.normal(t).y(), 0);
  Mesh sheet;
  addGrid(sheet, 4, 2, [&](double u, double v) { return Vec3(v * a, 0, u * depth); });
  BemSystem system(body, {1, 0, 1}, data, {}, context);
  system.growCracks(crackWithMouth(body, body.triangleCount(), sheet.points, sheet.triangles), context);
  const BemSolution solution = system.solve(context);
  // Brown and Srawley's strip with an edge crack over a third of its width.
  const double ratio = a / length;
  const double exact = (1.12 - 0.231 * ratio + 10.55 * ratio * ratio - 21.72 * std::pow(ratio, 3) +
                        30.39 * std::pow(ratio, 4)) *
                       std::sqrt(kPi * a);
  const std::vector<FrontNode> front = stressIntensity(system, solution);
  ASSERT_EQ(front.size(), 5u);
  double mean = 0;
  for (size_t i = 1; i < 4; ++i) mean += front[i].k[0] / 3;
  EXPECT_NEAR(mean, exact, 0.15 * exact);
  EXPECT_FALSE(mouthJumps(system, solution).empty());
}

}  // namespace
}  // namespace hackle
