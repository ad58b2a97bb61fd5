#include <hackle/fracture/impact/flaws.h>

#include <shapes.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hackle {
namespace {

// MODAL.md section 8: the weakest flaw is Weibull distributed, Kolmogorov-Smirnov 0.02.
TEST(ImpactFlaws, WeakestIsWeibull) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {1, 2, 3}), context);
  FlawOptions options;
  options.strength = 50e6;
  options.modulus = 6;
  options.count = 3;
  std::vector<double> weakest;
  for (uint64_t seed = 0; seed < 10000; ++seed) {
    options.seed = seed;
    const std::vector<Flaw> flaws = flawPopulation(solid, options, context);
    ASSERT_GE(flaws.size(), 3u);
    weakest.push_back(std::min({flaws[0].strength, flaws[1].strength, flaws[2].strength}));
  }
  std::sort(weakest.begin(), weakest.end());
  double worst = 0;
  for (size_t i = 0; i < weakest.size(); ++i) {
    const double expected = 1 - std::exp(-std::pow(weakest[i] / 50e6, 6));
    worst = std::max(
        worst, std::abs(expected - (static_cast<double>(i) + 0.5) / static_cast<double>(weakest.size())));
  }
  EXPECT_LT(worst, 0.02);
}

TEST(ImpactFlaws, UniformPerAreaAndVolume) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {1, 2, 3}), context);
  FlawOptions options;
  options.count = 20000;
  const std::vector<Flaw> flaws = flawPopulation(solid, options, context);
  ASSERT_EQ(flaws.size(), 25000u);
  size_t largeFaces = 0, lowerThird = 0;
  for (size_t i = 0; i < 20000; ++i)
    largeFaces += std::min(flaws[i].position.x(), 1 - flaws[i].position.x()) < 1e-9;  // 12 of 22 m^2
  for (size_t i = 20000; i < flaws.size(); ++i) lowerThird += flaws[i].position.z() < 1;
  EXPECT_NEAR(static_cast<double>(largeFaces) / 20000, 12.0 / 22, 0.015);
  EXPECT_NEAR(static_cast<double>(lowerThird) / 5000, 1.0 / 3, 0.03);
}

TEST(ImpactFlaws, DoNotDependOnTriangles) {
  Context context;
  Geometry coarse = shapes::box(), fine = shapes::box();
  // The same cube with one more point in the middle of a face.
  const int32_t middle = static_cast<int32_t>(fine.addPoint({0.5, 0.5, 0}));
  Geometry split;
  for (const Vec3& p : fine.positions()) split.addPoint(p);
  split.addPolygon({0, 2, middle});
  split.addPolygon({2, 3, middle});
  split.addPolygon({3, 1, middle});
  split.addPolygon({1, 0, middle});
  for (size_t f = 1; f < 6; ++f) {
    const Span<const int32_t> c = coarse.corners(f);
    split.addPolygon({c[0], c[1], c[2], c[3]});
  }
  FlawOptions options;
  options.count = 200;
  const std::vector<Flaw> a = flawPopulation(Solid(coarse, context), options, context);
  const std::vector<Flaw> b = flawPopulation(Solid(split, context), options, context);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT((a[i].position - b[i].position).norm(), 1e-9);
    EXPECT_DOUBLE_EQ(a[i].strength, b[i].strength);
  }
}

TEST(ImpactFlaws, PaintScalesStrengthAndNumber) {
  Context context;
  const Solid solid(shapes::box(), context);
  FlawOptions options;
  options.count = 100;
  const std::vector<Flaw> plain = flawPopulation(solid, options, context);
  options.strengthPaint = [](const Vec3&) { return 3.0; };
  options.densityPaint = [&](const Vec3&) { return 2.0; };
  const std::vector<Flaw> painted = flawPopulation(solid, options, context);
  ASSERT_EQ(plain.size(), painted.size());
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(painted[i].strength, 3 * std::pow(2.0, -1.0 / 8) * plain[i].strength,
                1e-6 * plain[i].strength);
  options.densityPaint = [](const Vec3& x) { return x.x() < 0.5 ? 0.0 : 1.0; };
  for (const Flaw& flaw : flawPopulation(solid, options, context)) EXPECT_GE(flaw.position.x(), 0.5);
}

}  // namespace
}  // namespace hackle
