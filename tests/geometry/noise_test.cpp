#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/geometry/noise.h>

namespace hackle {
namespace {

TEST(Noise, VanishesAtWholeCoordinatesAndIsBounded) {
  Random random(3);
  double lowest = 0, highest = 0;
  for (int k = 0; k < 20000; ++k) {
    const Vec3 x(random.uniform(-50, 50), random.uniform(-50, 50), random.uniform(-50, 50));
    const double value = gradientNoise(x, 7);
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    EXPECT_EQ(gradientNoise(Vec3(std::floor(x.x()), std::floor(x.y()), std::floor(x.z())), 7), 0.0);
  }
  EXPECT_GT(lowest, -1.05);
  EXPECT_LT(lowest, -0.5);
  EXPECT_LT(highest, 1.05);
  EXPECT_GT(highest, 0.5);
}

TEST(Noise, IsSmoothAndDependsOnTheSeed) {
  Random random(5);
  int different = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 x(random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5));
    EXPECT_LT(std::abs(gradientNoise(x + Vec3(1e-6, 0, 0), 1) - gradientNoise(x, 1)), 5e-6);
    different += gradientNoise(x, 1) != gradientNoise(x, 2) ? 1 : 0;
    EXPECT_LE(std::abs(fractalNoise(x, 1, 5, 0.5)), 1.05);
  }
  EXPECT_GT(different, 950);
}

}  // namespace
}  // namespace hackle
