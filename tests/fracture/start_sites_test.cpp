// Where cracks start: the coupled criterion, averages over a length, and the law of starts against rate.
#include <gtest/gtest.h>
#include <hackle/bem/system.h>
#include <hackle/core/random.h>
#include <hackle/fracture/crack/growth/start_sites.h>
#include <hackle/fracture/solid.h>
#include <hackle/meshing/surface/bisect_edges.h>
#include <shapes.h>

#include <cmath>

namespace hackle {
namespace {

TEST(CoupledStart, StrengthGovernsInUniformStress) {
  // Without a gradient: factor strength / stress, and the radius at which energy suffices, 1.11 (K_c /
  // strength)^2.
  for (const double strength : {1e6, 45e6}) {
    const double toughness = 0.75e6, own = std::pow(toughness / strength, 2);
    const CoupledStart start = coupledStart(0.1 * strength, 1e30, strength, toughness);
    EXPECT_NEAR(start.factor, 10, 0.1);
    EXPECT_NEAR(start.radius / own, 1.11, 0.06);
  }
}

TEST(CoupledStart, EnergyGovernsWhereTheStressFallsOffQuickly) {
  const double strength = 3e6, toughness = 1e6, own = std::pow(toughness / strength, 2);
  double before = 1;
  for (const double depth : {10.0, 1.0, 0.3, 0.1}) {
    const CoupledStart start = coupledStart(strength, depth * own, strength, toughness);
    EXPECT_GE(start.factor, before * 0.999);
    before = start.factor;
  }
  EXPECT_GT(before, 3);
}

/// A bar along x under uniform tension of 1 Pa, as boundary elements with its exact solution.
struct PulledBar {
  PulledBar(double length, double width, double edge, Context& context) {
    solid = std::make_shared<const Solid>(shapes::box(Vec3(0, 0, 0), Vec3(length, width, width)), context);
    const BisectedMesh fine = bisectEdges(solid->mesh, edge, 4000, context);
    body = BemSurface(fine.mesh);
    data = BoundaryData(body.nodeCount(), body.triangleCount());
    for (size_t t = 0; t < body.triangleCount(); ++t) data.traction[t] = body.normal(t).x() * Vec3::UnitX();
  }
  SolidPtr solid;
  BemSurface body;
  BoundaryData data;
};

TEST(StartSites, StressIsThatOfTheBarAndTheFirstPlaceDoesNotDependOnTheMesh) {
  Context context;
  std::vector<Vec3> places;
  std::vector<double> factors;
  for (const double edge : {0.6, 0.4, 0.3}) {
    const PulledBar bar(6, 1, edge, context);
    const ElasticMaterial elastic{1e9, 0.3, 1000};
    const BemSystem system(bar.body, elastic, bar.data, {}, context);
    StartOptions options;
    options.compressionRatio = 10;
    options.modulus = 10;
    const StartSites sites(bar.solid->mesh, bar.solid->bvh, bar.body, bar.data, ScalarField::constant(1.0),
                           ScalarField::constant(1e-3), options, context);
    ASSERT_GT(sites.sites().size(), 50u);
    for (const StartSite& site : sites.sites()) {
      // None at the ends, where the load is.
      EXPECT_GT(site.place.x(), 0.1);
      EXPECT_LT(site.place.x(), 5.9);
    }
    const std::vector<uint8_t> open(sites.sites().size(), 0);
    const auto start = sites.firstStart(system, system.solve(context), open, context);
    ASSERT_TRUE(start);
    EXPECT_GT(std::abs(start->normal.x()), 0.999);
    places.push_back(sites.sites()[start->site].place);
    factors.push_back(start->factor);
  }
  for (size_t i = 1; i < places.size(); ++i) {
    // Sites of one weak cell are equally strong; it is 0.19 m wide, 0.28 m from corner to corner.
    EXPECT_LT((places[i] - places[0]).norm(), 0.28);
    EXPECT_NEAR(factors[i] / factors[0], 1, 0.01);
  }
}

TEST(StartSites, AreTheSameInSolidsOfAnySizeAndPlace) {
  Context context;
  const auto sitesOf = [&](double scale, const Vec3& shift) {
    const SolidPtr solid =
        std::make_shared<const Solid>(shapes::box(shift, shift + scale * Vec3(6, 1, 1)), context);
    const BemSurface body(bisectEdges(solid->mesh, 0.5 * scale, 4000, context).mesh);
    StartOptions options;
    options.modulus = 10;
    return StartSites(solid->mesh, solid->bvh, body, BoundaryData(body.nodeCount(), body.triangleCount()),
                      ScalarField::constant(1e6), ScalarField::constant(1e5 * std::sqrt(scale)), options,
                      context)
        .sites();
  };
  const std::vector<StartSite> unit = sitesOf(1, Vec3::Zero());
  ASSERT_GT(unit.size(), 50u);
  for (const double scale : {0.01, 0.3, 7.0, 1000.0})
    for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(17, -3, 0.7)}) {
      const std::vector<StartSite> other = sitesOf(scale, scale * shift);
      ASSERT_EQ(other.size(), unit.size()) << scale;
      for (size_t i = 0; i < unit.size(); ++i) {
        EXPECT_LT((other[i].place / scale - shift - unit[i].place).norm(), 1e-9);
        EXPECT_NEAR(other[i].strength, unit[i].strength, 1e-6);
      }
    }
}

/// How many start on a line on which s^m flaws per unit length are weaker than s, while a wave runs by `wave`
/// and the stress s rises by one.
double startsOnALine(double m, double wave, double most, double length) {
  Random random(7);
  std::vector<RisingPlace> places;
  for (double flaws = 0;;) {  // a Poisson process in s^m
    flaws -= std::log(1 - random.uniform()) / length;
    const double strength = std::pow(flaws, 1 / m);
    if (strength > most) break;
    places.push_back({Vec3(length * random.uniform(), 0, 0), strength, 0.0});
  }
  return static_cast<double>(unshieldedStarts(places, wave).size());
}

TEST(UnshieldedStarts, HaveTheDensityOfMottsLaw) {
  // Exact: G(1 + m/p) p^(m/p) / (2 w s_c) per length, s_c^p = 1 / (2 w), p = m + 1.
  for (const double m : {3.0, 6.0}) {
    const double p = m + 1;
    std::vector<double> densities;
    const std::vector<double> waves{1.0, 0.1};
    for (const double w : waves) {
      const double critical = std::pow(2 * w, -1 / p);
      const double exact = std::tgamma(1 + m / p) * std::pow(p, m / p) / (2 * w * critical);
      const double length = 4000 / exact;
      // Hardly a place is left without a wave when the stress has risen to twice the critical one.
      densities.push_back(startsOnALine(m, w, (m < 4 ? 3 : 2) * critical, length) / length);
      EXPECT_NEAR(densities.back() / exact, 1, 0.03) << m << " " << w;
    }
    EXPECT_NEAR(std::log10(densities[1] / densities[0]), m / p, 0.03);
  }
}

TEST(StartSites, MoreCracksStartTheFasterTheLoadRises) {
  // Flaws with Weibull's modulus m, shielded by waves: density goes with rate^(m / (m + 1)).
  Context context;
  const PulledBar bar(60, 1, 4, context);
  const ElasticMaterial elastic{1e9, 0.0, 1000};
  const BemSystem system(bar.body, elastic, bar.data, {}, context);
  const BemSolution solution = system.solve(context);
  StartOptions options;
  options.modulus = 4;
  options.compressionRatio = 10;
  double x = 0, y = 0, xx = 0, xy = 0, n = 0;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    options.seed = seed;
    const StartSites sites(bar.solid->mesh, bar.solid->bvh, bar.body, bar.data, ScalarField::constant(1.0),
                           ScalarField::constant(1e-3), options, context);
    for (const double seconds : {0.12, 0.06, 0.03}) {
      const size_t count = sites.startsAtRate(system, solution, 3, seconds, 1000).size();
      ASSERT_GT(count, 2u);
      const double rate = -std::log(seconds), many = std::log(static_cast<double>(count));
      x += rate, y += many, xx += rate * rate, xy += rate * many, n += 1;
    }
  }
  const double exponent = (n * xy - x * y) / (n * xx - x * x);
  EXPECT_NEAR(exponent, 4.0 / 5.0, 0.16);
}

}  // namespace
}  // namespace hackle
