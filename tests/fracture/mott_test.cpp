#include <hackle/fracture/mott.h>

#include <hackle/core/random.h>

#include <gtest/gtest.h>

#include <cmath>

namespace hackle {
namespace {

/// Volumes drawn from Mott's law, by inverting P(V > v) = u.
std::vector<double> mottSamples(size_t count, double mean, uint64_t seed) {
  Random random(seed);
  std::vector<double> volumes;
  for (size_t i = 0; i < count; ++i)
    volumes.push_back(mean / 6.0 * std::pow(-std::log(1.0 - random.uniform()), 3));
  return volumes;
}

TEST(Mott, TheLawHasItsMean) {
  // Integral of P(V > v) over v; substitute v = t^3 / 6.
  double integral = 0.0;
  constexpr double kStep = 1e-3;
  for (double t = kStep / 2; t < 60; t += kStep)
    integral += mottSurvival(t * t * t / 6, 1.0) * t * t / 2 * kStep;
  EXPECT_NEAR(integral, 1.0, 1e-6);
}

TEST(Mott, FitRecoversTheMeanOfSamples) {
  for (const double mean : {1e-6, 1.0, 1e3})
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const size_t count = 20000;
      const MottFit fit = fitMott(mottSamples(count, mean, seed));
      // The relative standard error of the estimate is 3 / sqrt(n): 2 %.
      EXPECT_NEAR(fit.meanVolume / mean, 1.0, 4 * 3 / std::sqrt(double(count)));
      EXPECT_LT(fit.distance, 1.63 / std::sqrt(double(count)));  // 1 % level of the Kolmogorov distribution
      EXPECT_EQ(fit.samples, count);
    }
}

TEST(Mott, OtherDistributionsAreFar) {
  EXPECT_GT(fitMott(std::vector<double>(1000, 2.5)).distance, 0.5);
  std::vector<double> uniform;
  for (int i = 1; i <= 1000; ++i) uniform.push_back(i);
  EXPECT_GT(fitMott(uniform).distance, 0.2);
}

TEST(Mott, DistanceIsTheSupremumOverBothSidesOfEachStep) {
  const std::vector<double> two{1.0, 8.0};  // mean cube root 1.5, so m = 6 * 1.5^3
  const MottFit fit = fitMott(two);
  EXPECT_NEAR(fit.meanVolume, 6 * 3.375, 1e-12);
  const double first = 1 - std::exp(-1 / 1.5), second = 1 - std::exp(-2 / 1.5);
  EXPECT_NEAR(fit.distance, std::max({first, std::abs(0.5 - first), std::abs(second - 0.5), 1 - second}),
              1e-14);
}

TEST(Mott, LeavesOutWhatIsNoVolume) {
  const MottFit fit = fitMott(std::vector<double>{-1.0, 0.0, std::nan(""), INFINITY, 8.0});
  EXPECT_EQ(fit.samples, 1u);
  EXPECT_NEAR(fit.meanVolume, 48.0, 1e-12);
  EXPECT_EQ(fitMott(std::vector<double>()).meanVolume, 0.0);
}

}  // namespace
}  // namespace hackle
