// Fields: closed forms are what they say, noise has its statistics, grids are sampled.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/scalar_field.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

Vec3 randomPoint(Random& random) {
  return {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
}

TEST(ScalarField, ClosedForms) {
  EXPECT_EQ(ScalarField().at({1, 2, 3}), 0);
  EXPECT_EQ(ScalarField::constant(7).at({1, 2, 3}), 7);
  EXPECT_DOUBLE_EQ(ScalarField::linear(2, {1, 0, -3}, {1, 1, 1}).at({2, 9, 0}), 2 + 1 + 3);
  const std::vector<double> values{5, 6, 7};
  const ScalarField layers = ScalarField::layers(values, 0.5, {0, 2, 0}, {0, 1, 0});
  const double expected[] = {6, 7, 5, 6, 7, 5};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(layers.at({9, 0.25 + 0.5 * i, -4}), expected[i]) << i;
  EXPECT_EQ(ScalarField::linear(0, {1, 0, 0}).clamped(-1, 2).at({5, 0, 0}), 2);
  EXPECT_EQ(ScalarField::linear(0, {1, 0, 0}).clamped(-1, std::nullopt).at({-5, 0, 0}), -1);
}

TEST(ScalarField, NoiseIsBoundedContinuousAndCentred) {
  const ScalarField noise = ScalarField::noise(10, 2, 0.5, 3, 3);
  Random random(1);
  double sum = 0, least = 1e9, most = -1e9;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p = randomPoint(random);
    const double v = noise.at(p);
    EXPECT_NEAR(noise.at(p + Vec3(1e-6, -1e-6, 1e-6)), v, 1e-4);
    sum += v;
    least = std::min(least, v);
    most = std::max(most, v);
  }
  EXPECT_NEAR(sum / 20000, 10, 0.03);
  EXPECT_GE(least, 8);
  EXPECT_LE(most, 12);
  EXPECT_GT(most - least, 1);
  EXPECT_NE(noise.at({0.3, 0.3, 0.3}), ScalarField::noise(10, 2, 0.5, 4, 3).at({0.3, 0.3, 0.3}));
}

TEST(ScalarField, WavesGoFromLowToHigh) {
  const ScalarField waves = ScalarField::waves(1.0, 3.0, 0.5, Vec3(0, 2, 0), Vec3(0, 0.1, 0));
  EXPECT_NEAR(waves.at({7, 0.1, 3}), 1.0, 1e-12);
  EXPECT_NEAR(waves.at({7, 0.35, 3}), 3.0, 1e-12);
  EXPECT_NEAR(waves.at({7, 0.6, 3}), 1.0, 1e-12);
  EXPECT_THROW(ScalarField::waves(1, 2, 0, Vec3(0, 1, 0)), Error);
}

TEST(ScalarField, SamplesAreValuesAndTheirDifferences) {
  const std::vector<ScalarField> fields{ScalarField::constant(3), ScalarField::linear(1, {2, -1, 4}),
                                        ScalarField::waves(1, 3, 0.5, {1, 2, 0}),
                                        ScalarField::noise(1, 2, 0.5, 7, 2)};
  Random random(4);
  const double step = 1e-5;
  for (size_t f = 0; f < fields.size(); ++f)
    for (int i = 0; i < 100; ++i) {
      const Vec3 p = randomPoint(random);
      const FieldSample sample = fields[f].sample(p, step);
      EXPECT_EQ(sample.value, fields[f].at(p));
      for (int k = 0; k < 3; ++k) {
        const Vec3 half = 0.5 * step * Vec3::Unit(k);
        EXPECT_NEAR(sample.gradient[k], (fields[f].at(p + half) - fields[f].at(p - half)) / step, 1e-5) << f;
      }
    }
}

TEST(ScalarField, GridsAreSampled) {
  GridTransform half;
  half.linear *= 0.5;
  const VolumePtr grid = makeFloatGrid("density", {2, 1, 1}, std::vector<float>{1, 3}, 0.5f, half);
  const ScalarField field = ScalarField::grid(grid);
  EXPECT_NEAR(field.at({0.25, 0, 0}), 2, 1e-6);
  EXPECT_NEAR(field.at({50, 0, 0}), 0.5, 1e-6);
}

TEST(ScalarField, BadParametersAreRefused) {
  EXPECT_THROW(ScalarField::layers({}, 1, {0, 1, 0}), Error);
  EXPECT_THROW(ScalarField::layers(std::vector<double>{1}, 0, {0, 1, 0}), Error);
  EXPECT_THROW(ScalarField::layers(std::vector<double>{1}, 1, {0, 0, 0}), Error);
  EXPECT_THROW(ScalarField::noise(0, 1, 0, 1), Error);
  EXPECT_THROW(ScalarField::noise(0, 1, 1, 1, 40), Error);
}

}  // namespace
}  // namespace hackle
