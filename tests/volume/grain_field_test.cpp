// Grains against brute force over all sites, and the laws of the fields on them.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/volume/grain_field.h>

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <functional>
#include <set>

namespace hackle {
namespace {

GrainOptions rolled() {
  GrainOptions options;
  options.size = 0.2;
  options.perEdge = 5;
  options.stretch = {3, 1, 0.5};
  options.frame = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  options.seed = 5;
  return options;
}

Vec3 randomPoint(Random& random, double reach = 3) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}

/// The owner of a place and the distance to the nearest place of another owner's, from all sites of the 27
/// tiles around; `metric` maps places to the units in which cells are round.
struct BruteForce {
  int32_t grain = -1;
  double boundary = 1e300;
};
BruteForce bruteForce(const GrainTile& tile, const Vec3& p, const Mat3& metric) {
  const Mat3 period = tile.period();
  const Vec3 turns = (period.inverse() * p).array().floor();
  std::vector<std::pair<Vec3, int32_t>> sites;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        for (size_t g = 0; g < tile.grainCount(); ++g)
          sites.push_back({tile.site(static_cast<int32_t>(g)) + period * (turns + Vec3(x, y, z)),
                           static_cast<int32_t>(g)});
  std::vector<double> power;
  for (const auto& [site, grain] : sites)
    power.push_back((metric * (site - p)).squaredNorm() - tile.weight(grain));
  const size_t own = static_cast<size_t>(std::min_element(power.begin(), power.end()) - power.begin());
  BruteForce result{sites[own].second, 1e300};
  const Mat3 squared = 2 * metric.transpose() * metric;
  for (size_t i = 0; i < sites.size(); ++i) {
    // The power's difference is linear in space: its value over its slope is the distance to the plane.
    const Vec3 slope = squared * (sites[i].first - sites[own].first);
    if (i != own) result.boundary = std::min(result.boundary, (power[i] - power[own]) / slope.norm());
  }
  return result;
}

TEST(GrainField, CellsAndDistancesAreThoseOfAllSites) {
  for (const double variety : {0.0, 0.4, 1.0}) {
    GrainOptions options = rolled();
    options.variety = variety;
    const GrainTile tile(options);
    const Mat3 metric =
        (options.size * options.stretch).cwiseInverse().asDiagonal() * options.frame.transpose();
    Random random(2);
    for (int i = 0; i < 12; ++i) {
      const Vec3 p = randomPoint(random);
      const BruteForce expected = bruteForce(tile, p, metric);
      const GrainTile::Place place = tile.at(p);
      EXPECT_EQ(place.grain, expected.grain) << variety;
      EXPECT_NEAR(place.boundary, expected.boundary, 1e-9) << variety;
    }
  }
}

TEST(GrainField, EqualWeightsGiveVoronoiCells) {
  GrainOptions options;
  options.perEdge = 4;
  const GrainTile tile(options);
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p(random.uniform(0.05, 0.15), random.uniform(0.05, 0.15), random.uniform(0.05, 0.15));
    // Deep in the tile the nearest site of the tile itself is the owner.
    double nearest = 1e300;
    for (size_t g = 0; g < tile.grainCount(); ++g)
      nearest = std::min(nearest, (tile.site(static_cast<int32_t>(g)) - p).norm());
    EXPECT_NEAR(tile.at(p).fromSite.norm(), nearest, 1e-12);
  }
}

TEST(GrainField, RepeatsAlongTheTile) {
  GrainOptions options = rolled();
  options.variety = 0.5;
  const auto tile = std::make_shared<const GrainTile>(options);
  const ScalarField inside = grainInsides(tile, 1, 2), values = grainValues(tile, 0, 1, 0.05, 3);
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Vec3 p = randomPoint(random);
    const Vec3 q = p + tile->period() * Vec3(1, -2, 3);
    EXPECT_EQ(tile->at(p).grain, tile->at(q).grain);
    EXPECT_NEAR(inside.at(p), inside.at(q), 1e-9);
    EXPECT_NEAR(values.at(p), values.at(q), 1e-9);
  }
}

TEST(GrainField, StretchMapsTheRoundGrains) {
  GrainOptions options = rolled(), round = rolled();
  options.frame.setIdentity();
  round.frame.setIdentity();
  round.stretch.setOnes();
  const GrainTile stretched(options), plain(round);
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = randomPoint(random);
    EXPECT_EQ(stretched.at(p.cwiseProduct(options.stretch)).grain, plain.at(p).grain);
  }
  // The mean volume of a grain is size^3 times the stretch.
  EXPECT_NEAR(std::abs(stretched.period().determinant()) / static_cast<double>(stretched.grainCount()),
              0.008 * 1.5, 1e-12);
}

TEST(GrainField, BoundaryValueAtWallsAndInsideValueBeyondTheWidth) {
  const auto tile = std::make_shared<const GrainTile>(rolled());
  const double width = 0.01;
  const ScalarField field = grainInsides(tile, 1.0, 1.4, width);
  Random random(7);
  int walls = 0, deep = 0;
  for (int i = 0; i < 400; ++i) {
    Vec3 a = randomPoint(random), b = a + 0.1 * randomPoint(random, 1);
    EXPECT_GE(field.at(a), 1.0);
    EXPECT_LE(field.at(a), 1.4);
    if (tile->at(a).boundary > width) {
      EXPECT_EQ(field.at(a), 1.4);
      EXPECT_TRUE(field.sample(a, 1e-4).gradient.isZero());
      ++deep;
    }
    if (tile->at(a).grain == tile->at(b).grain) continue;
    for (int k = 0; k < 60; ++k) {
      const Vec3 middle = 0.5 * (a + b);
      (tile->at(middle).grain == tile->at(a).grain ? a : b) = middle;
    }
    EXPECT_NEAR(field.at(a), 1.0, 1e-9);
    EXPECT_LT(field.sample(a, 1e-4).gradient.norm(), 1e-3) << "a wall is the bottom of a valley";
    ++walls;
  }
  EXPECT_GT(walls, 50);
  EXPECT_GT(deep, 50);
}

TEST(GrainField, ValuesAreUniformAndEqualWithin) {
  GrainOptions options = rolled();
  options.perEdge = 10;
  const auto tile = std::make_shared<const GrainTile>(options);
  const ScalarField sharp = grainValues(tile, 2, 4, 0, 1);
  Random random(9);
  double sum = 0, squares = 0;
  std::set<double> seen;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const Vec3 p = tile->period() * (0.5 * (randomPoint(random, 1) + Vec3::Ones()));
    const double v = sharp.at(p);
    seen.insert(v);
    sum += v;
    squares += v * v;
  }
  EXPECT_GT(seen.size(), 990u);
  EXPECT_LE(seen.size(), 1000u);
  EXPECT_NEAR(sum / count, 3, 0.1);
  EXPECT_NEAR(squares / count - sum / count * sum / count, 4.0 / 12, 0.05);
}

TEST(GrainField, SoftValuesAreContinuousAcrossWalls) {
  GrainOptions options = rolled();
  options.variety = 0.8;
  const auto tile = std::make_shared<const GrainTile>(options);
  for (const double width : {0.01, 0.05}) {
    const ScalarField soft = grainValues(tile, 0, 1, width, 1);
    Random random(11);
    for (int i = 0; i < 2000; ++i) {
      Vec3 a = randomPoint(random), b = a + 0.1 * randomPoint(random, 1);
      if (tile->at(a).grain == tile->at(b).grain) continue;
      for (int k = 0; k < 60; ++k) {
        const Vec3 middle = 0.5 * (a + b);
        (tile->at(middle).grain == tile->at(a).grain ? a : b) = middle;
      }
      EXPECT_NEAR(soft.at(a), soft.at(b), 1e-9);
    }
  }
}

TEST(GrainField, GradientsAreDifferences) {
  GrainOptions options = rolled();
  options.variety = 0.3;
  const auto tile = std::make_shared<const GrainTile>(options);
  Random random(10);
  for (const ScalarField& field : {grainInsides(tile, 1, 2), grainValues(tile, 1, 2, 0.05, 4)}) {
    int kinks = 0;
    for (int i = 0; i < 300; ++i) {
      const Vec3 p = randomPoint(random);
      const double h = 1e-6;
      const FieldSample sample = field.sample(p, h);
      EXPECT_EQ(sample.value, field.at(p));
      Vec3 g;
      for (int k = 0; k < 3; ++k)
        g[k] = (field.at(p + 0.5 * h * Vec3::Unit(k)) - field.at(p - 0.5 * h * Vec3::Unit(k))) / h;
      kinks += (g - sample.gradient).norm() > 1e-4 * (1 + g.norm());
    }
    EXPECT_LE(kinks, 3);
  }
}

TEST(GrainField, RefusesWhatIsOutOfRange) {
  const auto refused = [](const std::function<void(GrainOptions&)>& change) {
    GrainOptions options;
    change(options);
    EXPECT_THROW(GrainTile{options}, Error);
  };
  refused([](GrainOptions& o) { o.size = 0; });
  refused([](GrainOptions& o) { o.perEdge = 1; });
  refused([](GrainOptions& o) { o.variety = 2; });
  refused([](GrainOptions& o) { o.stretch = {1, 0, 1}; });
}

}  // namespace
}  // namespace hackle
