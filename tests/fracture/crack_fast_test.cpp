#include "penny_cube.h"

#include <gtest/gtest.h>
#include <hackle/fracture/crack/growth/estimates.h>
#include <hackle/fracture/crack/growth/propagation.h>
#include <hackle/fracture/crack/pieces/crack_pieces.h>

#include <algorithm>

namespace hackle {
namespace {

constexpr double kNu = 0.3;
const ElasticMaterial kMaterial{2e9, kNu, 1000};

/// A place of the front of a penny in the plane z = 0.
FrontNode rim(double angle) {
  FrontNode f;
  f.outward = Vec3(std::cos(angle), std::sin(angle), 0);
  f.normal = Vec3::UnitZ();
  f.tangent = f.outward.cross(f.normal);
  return f;
}

CrackShape penny(double a) { return crackShape({shapes::kPi * a * a, 2 * shapes::kPi * a, 0, 0}); }

Mat3 uniaxial(double value, const Vec3& along) { return value * along * along.transpose(); }

TEST(CrackEstimates, ShapesHaveTheirExactFactors) {
  const double a = 0.3, b = 40;
  EXPECT_NEAR(penny(a).factor, 2 * std::sqrt(a / shapes::kPi), 1e-12);
  EXPECT_NEAR(penny(a).radius, a, 1e-12);
  // Half a penny at a surface is a penny, a straight crack at the edge of a plate half of one within.
  const CrackShape half = crackShape({shapes::kPi * a * a / 2, shapes::kPi * a, 2 * a, 0});
  EXPECT_NEAR(half.factor / penny(a).factor, 1.0, 0.03);
  EXPECT_NEAR(crackShape({2 * a * b, 2 * b, 4 * a, 0}).factor / std::sqrt(shapes::kPi * a), 1.0, 0.11);
  EXPECT_NEAR(crackShape({a * b, b, b + 2 * a, 0}).factor / std::sqrt(shapes::kPi * a), 1.0, 0.13);
  // Held rims stiffen it.
  EXPECT_LT(crackShape({a * b, b, 0, b + 2 * a}).factor, crackShape({a * b, b, b + 2 * a, 0}).factor);
  EXPECT_EQ(crackShape({0, 1, 0, 0}).factor, 0.0);
  EXPECT_EQ(crackShape({1, 0, 1, 0}).factor, 0.0);
}

TEST(CrackEstimates, PennyInTension) {
  const double a = 0.3, sigma = 5e6;
  for (const double angle : {0.0, 1.0, 4.0}) {
    const Vec3 k = estimatedIntensity(uniaxial(sigma, Vec3::UnitZ()), rim(angle), penny(a), kNu, 2);
    EXPECT_NEAR(k.x() / (2 * sigma * std::sqrt(a / shapes::kPi)), 1.0, 1e-12);
    EXPECT_NEAR(k.tail<2>().norm(), 0.0, 1e-6);
    // Sneddon's opening, from the front to the centre.
    for (const double d : {0.001, 0.1, 0.3}) {
      const Vec3 w = openingProfile(d, a, 0) * estimatedOpening(k, rim(angle), d, kMaterial);
      const double r = a - d;
      const double exact =
          8 * (1 - kNu * kNu) * sigma / (shapes::kPi * kMaterial.young) * std::sqrt(a * a - r * r);
      EXPECT_NEAR(w.z() / exact, 1.0, 1e-9);
    }
  }
}

TEST(CrackEstimates, InclinedPenny) {
  const double a = 0.2, sigma = 3e6;
  for (const double beta : {0.2, shapes::kPi / 4, 0.9})
    for (const double angle : {0.0, 0.7, shapes::kPi / 2, 3.0, 5.0}) {
      const Mat3 stress = uniaxial(sigma, Vec3(std::sin(beta), 0, std::cos(beta)));
      const FrontNode frame = rim(angle);
      const Vec3 k = estimatedIntensity(stress, frame, penny(a), kNu, 3);
      const double tension = sigma * std::pow(std::cos(beta), 2),
                   shear = sigma * std::sin(beta) * std::cos(beta);
      const double root = std::sqrt(a / shapes::kPi);
      const Vec3 exact(2 * tension * root, 4 * shear * root * std::cos(angle) / (2 - kNu),
                       4 * (1 - kNu) * shear * root * std::sin(angle) / (2 - kNu));
      EXPECT_NEAR(effectiveIntensity(k, kNu) / effectiveIntensity(exact, kNu), 1.0, 1e-9);
      // The front turns until its plane holds the tension's normal, as far as its tangent lets it.
      const double turn = kinkAngle(forwardIntensity(k, kNu), k.y());
      const Vec3 normal = std::cos(turn) * frame.normal - std::sin(turn) * frame.outward;
      const Vec3 across = normal.cross(frame.tangent);
      EXPECT_NEAR(across.dot(Vec3(std::sin(beta), 0, std::cos(beta))), 0.0, 1e-9);
      EXPECT_NEAR((turn < 0) == (exact.y() > 0) || std::abs(exact.y()) < 1, true, 0);
    }
}

TEST(CrackEstimates, UnevenStressIsWeighedAsInAPenny) {
  // sigma = (r / a)^2: K is 2/3 of that of a uniform stress.
  std::vector<double> parts;
  for (int i = 0; i <= 400; ++i) parts.push_back(i / 400.0);
  const std::vector<double> weights = ringWeights(parts);
  double stress = 0, sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    stress += weights[i] * parts[i];
    sum += weights[i];
  }
  EXPECT_NEAR(stress, 2.0 / 3, 2e-3);
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(ringWeights(std::vector<double>{1.0}), std::vector<double>{1.0});
}

TEST(CrackEstimates, MouthsOfEdgeCracksOpenLikeAHinge) {
  // Tada's intensity and opening of the mouth, in bending and in tension of a strip, over sigma sqrt(pi a)
  // and 4 sigma a / E'.
  const double strip = 0.2, plane = kMaterial.young / (1 - kNu * kNu);
  for (const double x : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}) {
    const double a = x * strip, c = std::cos(0.5 * shapes::kPi * x);
    const double bending = 1.122 - 1.4 * x + 7.33 * x * x - 13.08 * std::pow(x, 3) + 14 * std::pow(x, 4);
    const double tension = 1.12 - 0.231 * x + 10.55 * x * x - 21.72 * std::pow(x, 3) + 30.39 * std::pow(x, 4);
    const double opened[2] = {0.8 - 1.7 * x + 2.4 * x * x + 0.66 / ((1 - x) * (1 - x)),
                              (1.46 + 3.42 * (1 - c)) / (c * c)};
    for (const int k : {0, 1}) {
      const Vec3 intensity(1e6 * (k == 0 ? bending : tension) * std::sqrt(shapes::kPi * a), 0, 0);
      const double w = openingProfile(a, 2 * a, 1 / (strip - a)) *
                       estimatedOpening(intensity, rim(0), a, kMaterial).norm();
      EXPECT_NEAR(w / (4e6 * a / plane * opened[k]), 1.0, 0.15) << x << (k == 0 ? " bent" : " pulled");
    }
  }
}

TEST(CrackEstimates, AFrontGoesOnAcrossTheStressThatOpensIt) {
  // A greater tension along the crack does not turn it.
  Mat3 stress = uniaxial(1e6, Vec3::UnitZ());
  stress += uniaxial(5e6, rim(0.3).outward);
  const Vec3 k = estimatedIntensity(stress, rim(0.3), penny(0.1), kNu, 2);
  EXPECT_NEAR(k.y() / k.x(), 0.0, 1e-9);
  EXPECT_NEAR(k.x() / (2e6 * std::sqrt(0.1 / shapes::kPi)), 1.0, 1e-9);
}

TEST(CrackEstimates, CompressionCloses) {
  const Vec3 k = estimatedIntensity(uniaxial(-4e6, Vec3::UnitZ()), rim(0.3), penny(0.1), kNu, 2);
  EXPECT_NEAR(k.x() / (-8e6 * std::sqrt(0.1 / shapes::kPi)), 1.0, 1e-9);
  EXPECT_GT(drivingIntensity(k, 2).x(), 0);
}

TEST(CrackEstimates, RatioInvertsTheKinkAngle) {
  for (const double angle : {-1.2, -0.5, -0.01, 0.0, 0.3, 1.1})
    EXPECT_NEAR(kinkAngle(1, slidingRatio(angle)), angle, 1e-12);
}

/// Mean K_eff along the active front, and the front's length, step by step.
std::vector<std::pair<double, double>> history(CrackSolver& solver, Context& context) {
  std::vector<std::pair<double, double>> result;
  while (result.size() < 12 && solver.step(context)) {
    double sum = 0, count = 0;
    for (const FrontNode& f : solver.intensities()) {
      const double k = effectiveIntensity(f.k, 0.327);
      sum += k;
      count += k > 0;
    }
    result.emplace_back(sum / count, solver.log().back().frontLength);
  }
  return result;
}

TEST(CrackFast, IntensitiesFollowTheFullMethod) {
  for (const double tilt : {0.0, shapes::kPi / 4}) {
    PennyCube cube;
    cube.tilt = tilt;
    cube.stress(2, 2) = 4e6;
    Context context;
    const auto full = cube.solver(context);
    cube.options.method = CrackMethod::Fast;
    const auto fast = cube.solver(context);
    const auto exact = history(*full, context), estimated = history(*fast, context);
    // As long as the front is whole: at the end it is left in corners of the cube only.
    size_t compared = 0;
    for (size_t i = 0; i < std::min(exact.size(), estimated.size()); ++i) {
      if (i > 0 && (exact[i].second < exact[i - 1].second || estimated[i].second < estimated[i - 1].second))
        break;
      EXPECT_NEAR(estimated[i].first / exact[i].first, 1.0, 0.25) << "step " << i << " tilt " << tilt;
      ++compared;
    }
    EXPECT_GE(compared, 3u);
    EXPECT_EQ(fast->system().unknowns(), cube.solver(context)->system().unknowns());
    const CrackPartition parts(fast->surfaceTree(), fast->records(), {}, context);
    EXPECT_EQ(parts.partCount(), 2u);
  }
}

TEST(CrackFast, HybridIsFullBelowItsThreshold) {
  Context context;
  PennyCube cube;
  const auto full = cube.solver(context);
  cube.options.method = CrackMethod::Hybrid;
  cube.options.hybridElements = full->system().surface().triangleCount() + 1;
  const auto hybrid = cube.solver(context);
  const auto exact = history(*full, context), mixed = history(*hybrid, context);
  ASSERT_GE(mixed.size(), 3u);
  EXPECT_FALSE(hybrid->log()[0].fast);
  EXPECT_TRUE(hybrid->log()[1].fast);
  // The first step is solved in full and the second starts from a full solution.
  EXPECT_EQ(exact[0].first, mixed[0].first);
  EXPECT_EQ(exact[1].first, mixed[1].first);
  EXPECT_NEAR(mixed[2].first / exact[2].first, 1.0, 0.15);
}

TEST(CrackFast, ThreadsDoNotMatter) {
  const auto run = [](int threads) {
    Context context;
    PennyCube cube;
    cube.tilt = 0.3;
    cube.options.steps = 3;
    cube.options.method = CrackMethod::Fast;
    cube.threads = threads;
    const auto solver = cube.solver(context);
    solver->run(context);
    return solver->cracks()[0]->fronts()[0].markers();
  };
  const auto one = run(1), many = run(4);
  ASSERT_EQ(one.size(), many.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].position, many[i].position);
}

}  // namespace
}  // namespace hackle
