// Where cracks start: the coupled criterion, averages over a length, and the law of starts against rate.
#include <gtest/gtest.h>
#include <hackle/bem/system.h>
#include <hackle/core/random.h>
#include <hackle/fracture/crack/growth/start_sites.h>
#include <hackle/fracture/crack/start_meshes.h>
#include <hackle/fracture/solid.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/bisect_edges.h>
#include <shapes.h>

#include <cmath>
#include <functional>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

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
  for (const double edge : {0.6, 0.5, 0.4, 0.3}) {
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
      const size_t count = sites.startsAtRate(system, solution, 3, seconds, 1000, context).size();
      ASSERT_GT(count, 2u);
      const double rate = -std::log(seconds), many = std::log(static_cast<double>(count));
      x += rate, y += many, xx += rate * rate, xy += rate * many, n += 1;
    }
  }
  const double exponent = (n * xy - x * y) / (n * xx - x * x);
  EXPECT_NEAR(exponent, 4.0 / 5.0, 0.16);
}

TEST(Notch, ExponentsAreThoseOfWilliams) {
  // Cracks, square corners, and the flat surface.
  EXPECT_NEAR(notchExponent(2 * kPi), 0.5, 1e-9);
  EXPECT_NEAR(notchExponent(1.5 * kPi), 1 - 0.5444837, 1e-6);
  EXPECT_NEAR(notchExponent(5.0 / 3 * kPi), 1 - 0.5122214, 1e-6);
  EXPECT_EQ(notchExponent(kPi), 0);
}

TEST(Notch, MeanIsThatOfTheProfile) {
  // Sharp and round: of the values at two distances, and of the integral over a length.
  for (const double radius : {0.0, 0.004, 0.05}) {
    const Notch notch{Vec3::UnitZ(), Vec3::UnitX(), 1.7 * kPi, radius};
    const double a = notchExponent(notch.angle), o = (1 - 1 / 1.7) * radius, k = 3, c = -20, r = 0.02;
    const auto at = [&](double x) {
      return std::pow(x + o, -a) * (k * (1 + a / (1 - a) * o / (x + o)) + c * (x + o));
    };
    const NotchStress stress(notch, r, at(0.5 * r), at(r));
    EXPECT_NEAR(stress.k, k, 1e-9);
    EXPECT_NEAR(stress.c, c, 1e-7);
    const double length = 0.013;
    double sum = 0;
    constexpr int kParts = 100000;
    for (int i = 0; i < kParts; ++i) {
      // Equal parts of the length to the power 1 - a, in which the integrand has a limit.
      const double x = length * std::pow((i + 0.5) / kParts, 1 / (1 - a));
      sum += at(x) * std::pow(x, a) * std::pow(length, 1 - a) / (1 - a) / kParts;
    }
    EXPECT_NEAR(stress.mean(length) / (sum / length), 1, 1e-5) << radius;
  }
}

TEST(Notch, ARoundEndRaisesTheToughnessOfASlit) {
  // K / sqrt(2 pi r) (1 + rho / 2r), r from half the radius behind the root: the mean over d is the strength
  // at K = K_c sqrt(1 + rho / 2d), and next to the root it is 2 K / sqrt(pi rho) [Creager67].
  for (const double rho : {0.001, 0.01}) {
    const Notch slit{Vec3::UnitZ(), Vec3::UnitX(), 2 * kPi, rho};
    const auto at = [&](double x) {
      const double r = x + 0.5 * rho;
      return 1 / std::sqrt(2 * kPi * r) * (1 + rho / (2 * r));
    };
    const NotchStress stress(slit, 0.02, at(0.01), at(0.02));
    const double d = 0.002, toughness = std::sqrt(0.5 * kPi * d);  // of a strength of 1
    EXPECT_NEAR(stress.mean(d) * toughness * std::sqrt(1 + rho / (2 * d)), 1, 1e-9);
    EXPECT_NEAR(stress.mean(1e-9) * std::sqrt(kPi * rho) / 2, 1, 1e-5);
  }
}

/// A bar of 0.5 m with a notch 35 mm deep and 15 mm wide at its mouth.
SolidPtr notchedBar(NotchKind kind, int resolution, Context& context) {
  ShapeOptions shape;
  shape.shape = ShapeKind::NotchedBar;
  shape.resolution = resolution;
  shape.notch = kind;
  return std::make_shared<const Solid>(makeShape(shape, context), context);
}

TEST(Notch, RoundRootsAreFoundFromAllPlacesOnThem) {
  Context context;
  const SolidPtr bar = notchedBar(NotchKind::U, 40, context);
  size_t roots = 0;
  for (const double angle : {-0.6, -0.3, 0.0, 0.4, 0.7}) {
    const Vec3 out(std::sin(angle), -std::cos(angle), 0);
    const Vec3 centre(0, 0.0275, 0.01);
    const Vec3 place = bar->bvh.closestPoint(centre - 0.0075 * out).point;
    const auto found = roundNotch(bar->mesh, bar->bvh, place, out, 0.02);
    if (!found) continue;
    ++roots;
    EXPECT_LT((found->place - Vec3(0, 0.035, 0.01)).norm(), 5e-4);
    EXPECT_GT(found->notch.inwards.y(), 0.999);
    EXPECT_GT(std::abs(found->notch.along.z()), 0.999);
    EXPECT_NEAR(found->notch.rootRadius, 0.0075, 4e-4);
    EXPECT_NEAR(found->notch.angle, 2 * kPi, 0.05);
    // It is too wide for a smaller length, and too shallow for a larger one.
    EXPECT_FALSE(roundNotch(bar->mesh, bar->bvh, place, out, 0.005));
    EXPECT_FALSE(roundNotch(bar->mesh, bar->bvh, place, out, 0.06));
  }
  EXPECT_GE(roots, 4u);
  // Sharp ones are edges, flat faces and the inside of a hole are none.
  const SolidPtr sharp = notchedBar(NotchKind::V, 40, context);
  const Vec3 flank(0.00375, 0.0175, 0.01);
  EXPECT_FALSE(roundNotch(sharp->mesh, sharp->bvh, sharp->bvh.closestPoint(flank).point,
                          Vec3(-35, -7.5, 0).normalized(), 0.02));
  EXPECT_FALSE(roundNotch(bar->mesh, bar->bvh, Vec3(0.1, 0.1, 0), Vec3::UnitY(), 0.02));
}

TEST(Notch, EdgesThatTurnInwardsOnly) {
  Context context;
  EXPECT_TRUE(notchEdges(Solid(shapes::box(Vec3(0, 0, 0), Vec3(1, 1, 1)), context).mesh, context).empty());
  ShapeOptions options;
  options.shape = ShapeKind::NotchedBar;
  options.resolution = 10;
  const Solid bar(makeShape(options, context), context);
  const std::vector<NotchEdge> edges = notchEdges(bar.mesh, context);
  ASSERT_FALSE(edges.empty());
  double length = 0;
  for (const NotchEdge& e : edges) {
    // The tip of the notch, 35 mm above the bottom: 7.5 mm wide on both sides at its mouth.
    EXPECT_NEAR(e.from.y(), 0.035, 1e-9);
    EXPECT_NEAR(e.notch.inwards.y(), 1, 1e-9);
    EXPECT_NEAR(e.notch.angle, 2 * kPi - 2 * std::atan2(7.5, 35), 1e-9);
    EXPECT_TRUE(isNotch(bar.bvh, e.from, e.notch, 0.02));
    EXPECT_FALSE(isNotch(bar.bvh, e.from, e.notch, 0.05));
    length += (e.to - e.from).norm();
  }
  EXPECT_NEAR(length, 0.1, 1e-9);
}

TEST(Notch, ShearTurnsThePlaneAsItTurnsACrack) {
  const Notch notch{Vec3::UnitZ(), Vec3::UnitX(), 2 * kPi};
  EXPECT_LT((notchPlane(notch, 1, 0).normal - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_NEAR(notchPlane(notch, 1, 0).stress, 1, 1e-12);
  // Nearly pure shear: 70.5 degrees, 1.155 times the shear.
  const NotchPlane sheared = notchPlane(notch, 1e-6, 1);
  EXPECT_NEAR(std::acos(sheared.normal.y()) * 180 / kPi, 70.53, 0.01);
  EXPECT_NEAR(sheared.stress * 1e-6, 1.1547, 1e-3);
  // The crack goes to the side that is pulled: positive shear turns it away from `across`.
  EXPECT_GT(sheared.normal.x(), 0);
}

/// Where the first crack starts in a solid of 1 Pa of strength, on a mesh made for it.
struct FirstCrack {
  StartSites::FirstStarts starts;
  Vec3 place = Vec3::Zero();
  bool allNotched = true;  // those that start alike
};
FirstCrack firstCrackIn(const SolidPtr& solid, const std::function<BoundaryData(const BemSurface&)>& loaded,
                        double toughness, size_t triangles, Context& context) {
  CrackMaterial material;
  material.elastic = {1e9, 0.2, 1000};
  material.strength = ScalarField::constant(1.0);
  material.toughness = ScalarField::constant(toughness);
  material.compressionRatio = 10;
  SolveMesh mesh = solveMesh(solid, {triangles, true}, context);
  mesh = resolvingStarts(mesh, loaded(BemSurface(mesh.solved)), {}, material, triangles, context).mesh;
  const BemSurface body(mesh.solved);
  const BoundaryData data = loaded(body);
  const BemSystem system(body, material.elastic, data, {}, context);
  StartOptions options;
  options.compressionRatio = 10;
  const StartSites sites(solid->mesh, solid->bvh, body, data, material.strength, material.toughness, options,
                         context);
  FirstCrack result;
  result.starts = sites.firstStarts(system, system.solve(context), 0.05, context);
  if (result.starts.first) result.place = sites.sites()[result.starts.first->site].place;
  for (const CrackStart& other : result.starts.alike) {
    EXPECT_GE(other.factor, result.starts.first->factor);
    result.allNotched = result.allNotched && other.notched && sites.sites()[other.site].notch;
  }
  return result;
}

/// Factors of 1 Pa of tension along x at which the first crack starts in a notched bar, on meshes of several
/// sizes made for it.
std::vector<double> notchedBarStarts(NotchKind kind, double toughness, const std::vector<size_t>& meshes,
                                     Context& context) {
  const SolidPtr solid = notchedBar(kind, 25, context);
  const auto pulled = [](const BemSurface& body) {
    BoundaryData data(body.nodeCount(), body.triangleCount());
    for (size_t t = 0; t < body.triangleCount(); ++t)
      if (std::abs(body.centroid(t).x()) > 0.2499) data.traction[t] = body.normal(t);
    return data;
  };
  std::vector<double> factors;
  for (const size_t triangles : meshes) {
    const FirstCrack first = firstCrackIn(solid, pulled, toughness, triangles, context);
    if (!first.starts.first) return {};
    // All along the notch, and nowhere else, cracks start at about the same load.
    EXPECT_GE(first.starts.alike.size(), 2u);
    EXPECT_TRUE(first.allNotched);
    EXPECT_LT(std::abs(first.place.x()), 0.02);
    EXPECT_GT(std::abs(first.starts.first->normal.x()), 0.99);
    factors.push_back(first.starts.first->factor);
  }
  return factors;
}

/// Standard deviation over mean.
double variation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v, squares += v * v;
  const double n = static_cast<double>(values.size()), mean = sum / n;
  return std::sqrt(std::max(0.0, squares / n - mean * mean)) / mean;
}

TEST(StartSites, ASharpNotchStartsAtTheLoadOfACrackAsDeepOnAnyMesh) {
  // A single edge crack of 0.35 of the width under tension: K = 1.856 sigma sqrt(pi a) [Tada00]. The notch
  // opens by 24 degrees, which changes K by less than 1 %.
  Context context;
  const double length = 0.001, toughness = std::sqrt(kPi * length);  // 1 Pa of strength
  const std::vector<double> factors = notchedBarStarts(NotchKind::V, toughness, {500, 1000}, context);
  ASSERT_EQ(factors.size(), 2u);
  EXPECT_LT(variation(factors), 0.05);
  const double exact = toughness / (1.856 * std::sqrt(kPi * 0.035));
  for (const double factor : factors) EXPECT_NEAR(factor / exact, 1, 0.07);
}

TEST(StartSites, ARoundNotchNarrowerThanTheMeanStartsAtItsOwnLoadOnAnyMesh) {
  // A crack's K, over the toughness that a root of 7.5 mm raises: a lower bound of the stress, since that
  // holds next to a long slit. At the root of a notch that is 4.7 radii deep in a half plane it is 16 % more.
  Context context;
  const double length = 0.001, toughness = std::sqrt(kPi * length), radius = 0.0075;  // 1 Pa of strength
  const std::vector<double> factors = notchedBarStarts(NotchKind::U, toughness, {700, 1000, 1400}, context);
  ASSERT_EQ(factors.size(), 3u);
  EXPECT_LT(variation(factors), 0.05);
  const double slit = toughness * std::sqrt(1 + radius / (2 * 2 * length)) / (1.856 * std::sqrt(kPi * 0.035));
  for (const double factor : factors) {
    EXPECT_LT(factor / slit, 1);
    EXPECT_GT(factor / slit, 1 / 1.16);
  }
}

TEST(StartSites, AHoleInAPlateStartsAtTheSameLoadOnAnyMesh) {
  // A square plate around a round hole, pulled by its upper and lower sides.
  Context context;
  const auto section = [](double angle, double corner) {
    const double c = std::cos(angle), s = std::sin(angle), side = 0.2 / std::max(std::abs(c), std::abs(s));
    const int k = static_cast<int>(std::lround(corner / (0.5 * kPi)));
    const double r = k == 0 || k == 3 ? 0.05 : side;
    return Vec3(r * c, r * s, k < 2 ? -0.02 : 0.02);
  };
  const auto solid = std::make_shared<const Solid>(shapes::wrappedGrid(48, 4, section), context);
  ASSERT_GT(solid->mass.volume, 0);
  const auto pulled = [](const BemSurface& body) {
    BoundaryData data(body.nodeCount(), body.triangleCount());
    for (size_t t = 0; t < body.triangleCount(); ++t)
      if (std::abs(body.centroid(t).y()) > 0.1999) data.traction[t] = body.normal(t);
    return data;
  };
  std::vector<double> factors;
  for (const size_t triangles : {500, 1000, 1600}) {
    const FirstCrack first = firstCrackIn(solid, pulled, 0.02, triangles, context);
    ASSERT_TRUE(first.starts.first);
    // At the sides of the hole.
    EXPECT_LT(std::abs(first.place.y()), 0.02);
    EXPECT_LT(std::abs(first.place.x()), 0.07);
    factors.push_back(first.starts.first->factor);
  }
  EXPECT_LT(variation(factors), 0.01);
}

TEST(StartMeshes, AMeshThatResolvesItsStartsIsSolvedOnce) {
  // A block on many triangles needs no finer mesh; a long bar on few does.
  Context context;
  const auto resolved = [&](double length, size_t triangles) {
    SolveMesh mesh =
        solveMesh(std::make_shared<const Solid>(shapes::box(Vec3(0, 0, 0), Vec3(length, 1, 1)), context),
                  {triangles, true}, context);
    const BemSurface body(mesh.solved);
    BoundaryData data(body.nodeCount(), body.triangleCount());
    for (size_t t = 0; t < body.triangleCount(); ++t)
      if (body.normal(t).x() > 0.9)
        data.traction[t] = Vec3::UnitY();
      else if (body.normal(t).x() < -0.9)
        data.fixed[t] = {1, 1, 1};
    CrackMaterial material;
    material.elastic = {1e9, 0.3, 1000};
    material.strength = ScalarField::constant(1.0);
    material.toughness = ScalarField::constant(0.1);
    const StartMesh result = resolvingStarts(mesh, data, {}, material, triangles, context);
    const size_t count = result.mesh.solved.triangles.size();
    EXPECT_EQ(result.system != nullptr, count == body.triangleCount());
    if (result.system) {
      EXPECT_EQ(result.system->system.body().triangleCount(), count);
    }
    return result.system != nullptr;
  };
  EXPECT_TRUE(resolved(3, 1200));
  EXPECT_FALSE(resolved(20, 200));
}

}  // namespace
}  // namespace hackle
