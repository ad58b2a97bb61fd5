// CVD fracture through the interface of engines alone.
#include "engine_checks.h"

#include <gtest/gtest.h>
#include <hackle/fracture/voronoi/cvd_engine.h>

namespace hackle {
namespace {

using engine_checks::Prepared;

CvdOptions into(size_t pieces, double cells = 6) {
  CvdOptions options;
  options.pieces = pieces;
  options.shape.cells = cells;
  return options;
}

CvdOptions byThreshold(double gamma, double cells = 6) {
  CvdOptions options = into(1, cells);
  options.piecesBy = PiecesBy::Threshold;
  options.threshold = gamma;
  return options;
}

/// A blow on the top of a box of 1 x 1 x 1 m.
LoadCase blow(double impulse, std::optional<double> speed = std::nullopt) {
  Impact impact;
  impact.position = {0.3, 1, 0.4};
  impact.impulse = impulse;
  impact.speed = speed;
  LoadCase load;
  load.impacts = {impact};
  return load;
}

double number(const FractureResult& result, const char* name) { return result.report.find(name)->asNumber(); }

TEST(CvdEngine, PiecesFillTheSolid) {
  const Prepared cube(CvdEngine(into(12)), shapes::box());
  const FractureResult broken = cube.fracture(blow(1000));
  EXPECT_GE(broken.pieces.names.size(), 11u);
  engine_checks::expectSound(broken, cube.solid());
}

TEST(CvdEngine, GivesTheSameBytesOnAnyNumberOfThreads) {
  engine_checks::expectSameOnThreads(CvdEngine(into(12)), shapes::box(), blow(1000));
}

TEST(CvdEngine, StatesSurviveBytes) {
  CvdOptions options = byThreshold(1e-3);
  options.shape.stretch = {2, 1, 1};
  engine_checks::expectStatesSurviveBytes(CvdEngine(options), shapes::box(), shapes::sphere(8), blow(1000));
  // Another lattice, or another space of distances.
  const Prepared cube(CvdEngine(options), shapes::box());
  const std::string bytes = cube.engine().save(cube.state());
  CvdOptions other = options;
  other.shape.cells = 7;
  engine_checks::expectRefused(CvdEngine(other), cube.solidPtr(), bytes);
  other = options;
  other.shape.stretch = {1, 2, 1};
  engine_checks::expectRefused(CvdEngine(other), cube.solidPtr(), bytes);
}

// Energy goes with the square of the load: N never falls. A load that is ruled out must hold, and the factor
// of one that holds must be where it breaks.
TEST(CvdEngine, MoreLoadNeverGivesFewerPieces) {
  const double whole =
      number(Prepared(CvdEngine(byThreshold(1e9)), shapes::box()).fracture(blow(1000)), "energy_whole");
  const Prepared cube(CvdEngine(byThreshold(whole)), shapes::box());
  size_t before = 1, ruledOut = 0;
  for (double impulse = 1e-3; impulse < 1e4; impulse *= 3) {
    const LoadCase load = blow(impulse);
    const FractureResult broken = cube.fracture(load);
    EXPECT_GE(broken.pieces.names.size(), before) << impulse;
    before = broken.pieces.names.size();
    EXPECT_EQ(broken.held.has_value(), impulse < 999) << impulse;
    if (!cube.mayBreak(load)) {
      ++ruledOut;
      EXPECT_TRUE(broken.held) << impulse;
    }
  }
  EXPECT_GT(before, 3u);
  EXPECT_GT(ruledOut, 3u);
}

TEST(CvdEngine, SaysByWhatFactorALoadFallsShort) {
  const Prepared cube(CvdEngine(byThreshold(1e-2)), shapes::box());
  for (const std::optional<double> speed : {std::optional<double>(), std::optional<double>(3.0)}) {
    const FractureResult whole = cube.fracture(blow(10, speed));
    ASSERT_TRUE(whole.held && whole.held->factor);
    EXPECT_EQ(whole.held->by, HeldBy::Strength);
    EXPECT_GT(*whole.held->factor, 1);
    EXPECT_TRUE(cube.fracture(blow(10 * 0.98 * *whole.held->factor, speed)).held);
    EXPECT_FALSE(cube.fracture(blow(10 * 1.02 * *whole.held->factor, speed)).held);
  }
}

// Worth asking: what is far from breaking the cube is ruled out.
TEST(CvdEngine, MayBreakRulesOutWeakLoads) {
  const Prepared cube(CvdEngine(byThreshold(1e-2)), shapes::box());
  const double breaking = 10 * *cube.fracture(blow(10)).held->factor;
  EXPECT_TRUE(cube.mayBreak(blow(breaking)));
  EXPECT_FALSE(cube.mayBreak(blow(breaking / 30)));
}

// Over places, directions and kinds of load.
TEST(CvdEngine, MayBreakIsNeverWronglyFalse) {
  CvdOptions options = byThreshold(1e-2);
  const Prepared bar(CvdEngine(options), shapes::box({0, 0, 0}, {3, 0.5, 0.4}));
  for (const double size : {0.1, 1.0, 10.0, 100.0, 1000.0})
    for (const Vec3& direction : {Vec3(0, -1, 0), Vec3(1, 0.2, 0)}) {
      for (const Vec3& at : {Vec3(1.5, 0.5, 0.2), Vec3(3, 0.4, 0.1)}) {
        LoadCase load;
        Impact impact;
        impact.position = at;
        impact.direction = direction;
        impact.impulse = size;
        load.impacts = {impact};
        EXPECT_TRUE(bar.mayBreak(load) || bar.fracture(load).held);
        load.impacts.clear();
        load.steady = {{at, 1e5 * size * direction}};
        EXPECT_TRUE(bar.mayBreak(load) || bar.fracture(load).held);
      }
      LoadCase spinning;
      spinning.spin = 10 * size * direction;
      EXPECT_TRUE(bar.mayBreak(spinning) || bar.fracture(spinning).held);
    }
}

// A thin rod that spins about its middle: stress rho w^2 (L^2/4 - x^2) / 2, energy rho^2 w^4 A L^5 / (240 E).
// Three cells of the lattice lie across the rod: 1.18; with six it is 0.99.
TEST(CvdEngine, SpinStrainsLikeARod) {
  const double length = 2, width = 0.2, spin = 300;
  CvdOptions options = into(5, 30);
  const ElasticMaterial& m = options.shape.material;
  const Prepared rod(CvdEngine(options), shapes::box({-length / 2, 0, 0}, {length / 2, width, width}));
  LoadCase load;
  load.spin = {0, 0, spin};
  const double energy =
      m.density * m.density * std::pow(spin, 4) * width * width * std::pow(length, 5) / (240 * m.young);
  EXPECT_NEAR(number(rod.fracture(load), "strain_energy") / energy, 1, 0.25);
}

// Energy is quadratic in forces, and what accelerates the whole body strains it no further.
TEST(CvdEngine, SteadyForcesActOnTheFreeBody) {
  const Prepared bar(CvdEngine(into(3, 10)), shapes::box({0, 0, 0}, {2, 0.5, 0.5}));
  LoadCase pull;
  pull.steady = {{{0, 0.25, 0.25}, {-1e5, 0, 0}}, {{2, 0.25, 0.25}, {1e5, 0, 0}}};
  const double energy = number(bar.fracture(pull), "strain_energy");
  EXPECT_GT(energy, 1e10 * 2 / (2 * 70e9 * 0.25));  // more than that of an even pull: F^2 L / (2 E A)
  LoadCase twice = pull;
  for (SteadyForce& f : twice.steady) f.force *= 2;
  EXPECT_NEAR(number(bar.fracture(twice), "strain_energy"), 4 * energy, 1e-6 * energy);
  pull.acceleration = {0, -9.81, 0};
  pull.angularAcceleration = {1, 2, 3};
  EXPECT_EQ(number(bar.fracture(pull), "strain_energy"), energy);
  pull.steady[0].position = {0, 5, 0};
  EXPECT_THROW(bar.fracture(pull), Error);
}

TEST(CvdEngine, HoldsWithoutALoad) {
  for (const CvdOptions& options : {into(9), byThreshold(1e-6)}) {
    const Prepared cube(CvdEngine(options), shapes::box());
    for (const LoadCase& load : {LoadCase(), blow(0)}) {
      EXPECT_FALSE(cube.mayBreak(load));
      const FractureResult whole = cube.fracture(load);
      ASSERT_TRUE(whole.held);
      EXPECT_EQ(whole.held->by, HeldBy::NoLoad);
      EXPECT_EQ(whole.pieces.names.size(), 1u);
      engine_checks::expectSound(whole, cube.solid());
    }
  }
  // Even pieces need none.
  CvdOptions even = into(9);
  even.shape.granularity = 0;
  const Prepared cube(CvdEngine(even), shapes::box());
  EXPECT_TRUE(cube.mayBreak({}));
  EXPECT_FALSE(cube.fracture({}).held);
}

// In the straight metric, cells meet the teeth of a comb in several places.
TEST(CvdEngine, KeepsToTheBudgetOfPieces) {
  CvdOptions options = into(20, 22);
  options.shape.metric = Metric::Euclidean;
  options.shape.granularity = 0;
  const Prepared comb(CvdEngine(options), engine_checks::comb(4));
  for (const size_t most : {1, 2, 5, 1000}) {
    LoadCase load;
    load.maxPieces = most;
    const FractureResult broken = comb.fracture(load);
    EXPECT_LE(broken.pieces.names.size(), most);
    engine_checks::expectSound(broken, comb.solid());
    EXPECT_TRUE(comb.mayBreak(load) || broken.held);
  }
}

// Twice the size under the same forces: half the energy, twice E_D, as many pieces. Which nodes the sites are
// drawn from depends on the last digits of their energies, so the pieces themselves differ.
TEST(CvdEngine, EnergyMovesAndScalesWithTheSolid) {
  const auto broken = [](double size, const Vec3& offset, double gamma) {
    const Prepared box(CvdEngine(byThreshold(gamma * size)),
                       shapes::box(offset, offset + size * Vec3(1, 0.7, 0.8)));
    LoadCase load;
    load.steady = {{offset + size * Vec3(0.3, 0.7, 0.2), {0, -1e6, 0}}};
    return box.fracture(load);
  };
  const double gamma = 0.2 * number(broken(1, Vec3::Zero(), 1e9), "energy_whole");
  const FractureResult here = broken(1, Vec3::Zero(), gamma);
  const double pieces = number(here, "sites");
  ASSERT_GT(pieces, 2);
  for (const double size : {0.125, 2.0}) {
    const FractureResult there = broken(size, size * Vec3(8, -4, 16), gamma);
    EXPECT_NEAR(number(there, "sites") / pieces, 1, 0.2);
    EXPECT_NEAR(number(there, "strain_energy") * size / number(here, "strain_energy"), 1, 1e-3);
    EXPECT_NEAR(number(there, "energy_whole") / size / number(here, "energy_whole"), 1, 1e-2);
  }
}

// The lattice does not turn with the solid; what the load does to it does.
TEST(CvdEngine, EnergyTurnsWithTheSolid) {
  const auto energy = [](const Mat3& turn) {
    Geometry bar = shapes::box({-1, -0.3, -0.2}, {1, 0.3, 0.2});
    for (Vec3& p : bar.editPositions()) p = turn * p;
    const Prepared prepared(CvdEngine(into(4, 24)), bar);
    LoadCase load;
    load.spin = turn * Vec3(0, 0, 200);
    return number(prepared.fracture(load), "energy_whole");
  };
  EXPECT_NEAR(energy(engine_checks::someRotation()) / energy(Mat3::Identity()), 1, 0.1);
}

TEST(CvdEngine, WantsOptionsThatFitTogether) {
  CvdOptions learned = into(3);
  learned.piecesBy = PiecesBy::Learned;
  EXPECT_THROW(CvdEngine{learned}, Error);
  EXPECT_THROW(CvdEngine{byThreshold(0)}, Error);
  CvdOptions soft = into(3);
  soft.shape.material.young = 0;
  EXPECT_THROW(CvdEngine{soft}, Error);
}

}  // namespace
}  // namespace hackle
