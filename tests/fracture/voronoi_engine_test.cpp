// Voronoi fracture through the interface of engines alone.
#include "engine_checks.h"

#include <gtest/gtest.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>

namespace hackle {
namespace {

using engine_checks::Prepared;

VoronoiOptions into(size_t pieces) {
  VoronoiOptions options;
  options.pieces = pieces;
  return options;
}

LoadCase hit(const Vec3& at, double impulse = 1) {
  LoadCase load;
  Impact impact;
  impact.position = at;
  impact.impulse = impulse;
  load.impacts = {impact};
  return load;
}

TEST(VoronoiEngine, PiecesFillTheSolid) {
  const Prepared cube(VoronoiEngine(into(20)), shapes::box());
  const FractureResult broken = cube.fracture(hit({0.5, 1, 0.5}));
  EXPECT_FALSE(broken.held);
  EXPECT_EQ(broken.pieces.names.size(), 20u);
  engine_checks::expectSound(broken, cube.solid());
}

TEST(VoronoiEngine, GivesTheSameBytesOnAnyNumberOfThreads) {
  VoronoiOptions options = into(30);
  options.levels = 2;
  options.relaxation = 2;
  const VoronoiEngine engine(options);
  engine_checks::expectSameOnThreads(engine, shapes::torus(24, 12), hit({1.25, 0, 0}));
}

TEST(VoronoiEngine, StatesSurviveBytes) {
  engine_checks::expectStatesSurviveBytes(VoronoiEngine(into(12)), shapes::box(), shapes::sphere(8),
                                          hit({0.5, 1, 0.5}));
}

/// How many pieces have their centre within `radius` of a place.
size_t near(const FractureResult& result, const Vec3& place, double radius) {
  size_t count = 0;
  for (const Vec3& centre : result.pieces.centre) count += (centre - place).norm() < radius ? 1 : 0;
  return count;
}

TEST(VoronoiEngine, PiecesCrowdWhereItIsHit) {
  const Prepared plate(VoronoiEngine(into(100)), shapes::box({0, 0, 0}, {2, 0.1, 1}));
  const Vec3 left(0.4, 0.1, 0.5), right(1.6, 0.1, 0.5);
  const FractureResult one = plate.fracture(hit(left));
  EXPECT_GT(near(one, left, 0.4), 4 * near(one, right, 0.4));
  // Of two, the harder blow gets more.
  LoadCase both = hit(left, 9);
  both.impacts.push_back(hit(right, 1).impacts[0]);
  const FractureResult two = plate.fracture(both);
  EXPECT_GT(near(two, left, 0.4), 3 * near(two, right, 0.4));
  EXPECT_GT(near(two, right, 0.4), near(one, right, 0.4));
}

TEST(VoronoiEngine, SmallStrikersMakeSmallCraters) {
  Impact impact;
  impact.position = {0, 1, 0};
  const Box3 box = shapes::box({0, 0, 0}, {10, 10, 10}).bounds();
  const double usual = impactCluster(impact, box).radius;
  impact.striker.radius = 0.2;
  EXPECT_EQ(impactCluster(impact, box).radius, 0.4);
  impact.striker.radius = 100;
  EXPECT_EQ(impactCluster(impact, box).radius, usual);
  impact.striker.radius = 1e-6;
  EXPECT_DOUBLE_EQ(impactCluster(impact, box).radius, 0.1 * usual);
}

// A comb: cells meet its teeth in several places.
TEST(VoronoiEngine, KeepsToTheBudgetOfPieces) {
  for (const int levels : {1, 2}) {
    VoronoiOptions options = into(40);
    options.levels = levels;
    const Prepared comb(VoronoiEngine(options), engine_checks::comb(6));
    EXPECT_GT(comb.fracture({}).pieces.names.size(), 40u);
    for (const size_t most : {1, 2, 5, 13, 40, 1000}) {
      LoadCase load;
      load.maxPieces = most;
      const FractureResult broken = comb.fracture(load);
      EXPECT_LE(broken.pieces.names.size(), most);
      engine_checks::expectSound(broken, comb.solid());
      EXPECT_TRUE(comb.mayBreak(load) || broken.held) << most;
    }
  }
}

TEST(VoronoiEngine, MayBreakIsNeverWronglyFalse) {
  for (const size_t pieces : {1, 2, 3})
    for (const int levels : {1, 2})
      for (const size_t levelPieces : {1, 2})
        for (const size_t most : {1, 2, 9}) {
          VoronoiOptions options = into(pieces);
          options.levels = levels;
          options.levelPieces = levelPieces;
          const Prepared cube(VoronoiEngine(options), shapes::box());
          LoadCase load;
          load.maxPieces = most;
          const FractureResult broken = cube.fracture(load);
          EXPECT_EQ(broken.held.has_value(), broken.pieces.names.size() == 1);
          EXPECT_TRUE(!broken.held || broken.held->by == HeldBy::Limit);
          EXPECT_TRUE(broken.held || cube.mayBreak(load));
        }
}

// Sites are scattered in the box of the solid: another place or size moves and scales them all.
TEST(VoronoiEngine, PiecesMoveAndScaleWithTheSolid) {
  const Geometry ball = shapes::sphere(12);
  const FractureResult here = Prepared(VoronoiEngine(into(15)), ball).fracture({});
  for (const double size : {1e-3, 1.0, 50.0}) {
    const Vec3 offset = size * Vec3(3, -20, 7);
    Geometry moved = ball;
    for (Vec3& p : moved.editPositions()) p = size * p + offset;
    const FractureResult there = Prepared(VoronoiEngine(into(15)), moved).fracture({});
    ASSERT_EQ(there.pieces.names.size(), here.pieces.names.size());
    for (size_t p = 0; p < here.pieces.names.size(); ++p) {
      EXPECT_NEAR(there.pieces.volume[p] / std::pow(size, 3), here.pieces.volume[p], 1e-9);
      EXPECT_LT(((there.pieces.centre[p] - offset) / size - here.pieces.centre[p]).norm(), 1e-9);
    }
    EXPECT_NEAR(there.area / (size * size), here.area, 1e-8);
  }
}

TEST(VoronoiEngine, PiecesOfGivenSitesTurnWithTheSolid) {
  const Mat3 turn = engine_checks::someRotation();
  const std::vector<Vec3> sites{{0.2, 0.3, 0.1}, {-0.4, 0.1, 0.2}, {0.1, -0.5, -0.3}, {0.0, 0.4, -0.4}};
  const Geometry ball = shapes::sphere(12);
  VoronoiOptions options;
  options.sites = sites;
  const FractureResult here = Prepared(VoronoiEngine(options), ball).fracture({});
  for (Vec3& s : options.sites) s = turn * s;
  Geometry turned = ball;
  for (Vec3& p : turned.editPositions()) p = turn * p;
  const FractureResult there = Prepared(VoronoiEngine(options), turned).fracture({});
  ASSERT_EQ(there.pieces.names.size(), 4u);
  for (size_t p = 0; p < 4; ++p)
    EXPECT_LT((there.pieces.centre[p] - turn * here.pieces.centre[p]).norm(), 1e-12);
}

TEST(VoronoiEngine, RefusesAHitBesideTheSolid) {
  const Prepared cube(VoronoiEngine(into(5)), shapes::box());
  try {
    cube.fracture(hit({0, 9, 0}));
    ADD_FAILURE() << "was not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(e.what()).find("impact 1"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace hackle
