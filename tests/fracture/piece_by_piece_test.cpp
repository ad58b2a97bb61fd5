// Pieces of a fracture that are broken again, one by one, with any engine.
#include "engine_checks.h"

#include <gtest/gtest.h>
#include <hackle/fracture/constraints.h>
#include <hackle/fracture/piece_by_piece.h>
#include <hackle/fracture/voronoi/cvd_engine.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>
#include <hackle/geometry/piece_names.h>

namespace hackle {
namespace {

using Names = std::vector<std::string>;

VoronoiEngine into(size_t pieces, int levels = 1) {
  VoronoiOptions options;
  options.pieces = pieces;
  options.levels = levels;
  options.levelPieces = 2;
  return VoronoiEngine(options);
}

Geometry broken(size_t pieces) {
  return engine_checks::Prepared(into(pieces), shapes::box()).fracture({}).pieces.geometry;
}

FractureResult breakAgain(const FractureEngine& engine, const Geometry& pieces, std::vector<uint8_t> chosen,
                          const LoadCase& load = {}) {
  Context context;
  return fracturePieces(engine, pieces, chosen, load, PieceOptions(), context);
}

TEST(PieceByPiece, EachHalfOfACubeByItself) {
  const Geometry halves = broken(2);
  const FractureResult quarters = breakAgain(into(2), halves, {1, 1});
  EXPECT_EQ(quarters.pieces.names, (Names{"piece0-0", "piece0-1", "piece1-0", "piece1-1"}));
  engine_checks::expectSound(quarters, *engine_checks::makeSolid(halves));
  EXPECT_EQ(quarters.report.find("broken")->asInt(), 2);
}

TEST(PieceByPiece, LevelsOfTheEngineGoOnInTheNames) {
  const FractureResult result = breakAgain(into(2, 2), broken(2), {0, 1});
  EXPECT_EQ(result.pieces.names, (Names{"piece0", "piece1-0-0", "piece1-0-1", "piece1-1-0", "piece1-1-1"}));
  EXPECT_EQ(piecesByName(result.pieces.geometry).names, result.pieces.names);
}

// What was not chosen keeps its name and its faces to the last bit, and touches what was broken.
TEST(PieceByPiece, OtherPiecesStayAsTheyAre) {
  const Geometry three = broken(3);
  const FractureResult result = breakAgain(into(4), three, {0, 1, 0});
  ASSERT_EQ(result.pieces.names.size(), 6u);
  EXPECT_EQ(result.pieces.names.front(), "piece0");
  EXPECT_EQ(result.pieces.names.back(), "piece2");
  engine_checks::expectSound(result, *engine_checks::makeSolid(three));
  const auto corners = [](const Geometry& geometry, const std::string& name) {
    const Pieces pieces = piecesByName(geometry);
    const auto found = std::find(pieces.names.begin(), pieces.names.end(), name);
    std::vector<Vec3> positions;
    for (const int32_t f : pieces.primitivesOf(static_cast<size_t>(found - pieces.names.begin())))
      for (const int32_t p : geometry.corners(static_cast<size_t>(f)))
        positions.push_back(geometry.position(static_cast<size_t>(p)));
    return positions;
  };
  for (const std::string name : {"piece0", "piece2"})
    EXPECT_EQ(corners(three, name), corners(result.pieces.geometry, name)) << name;
}

TEST(PieceByPiece, AnImpactBreaksThePieceThatItHits) {
  CvdOptions options;
  options.pieces = 5;
  options.shape.cells = 6;
  LoadCase load;
  Impact impact;
  impact.position = {0.5, 1, 0.5};
  impact.impulse = 1000;
  load.impacts = {impact};
  const Geometry three = broken(3);
  const FractureResult result = breakAgain(CvdEngine(options), three, {1, 1, 1}, load);
  EXPECT_EQ(result.report.find("broken")->asInt(), 1);
  // The piece below the impact is the one that is there no more.
  const Pieces pieces = piecesByName(three);
  Context context;
  const TriangleMesh mesh = triangleMesh(three, context);
  const int32_t hit = TriangleBvh(mesh, context).closestPoint(impact.position).triangle;
  const std::string& name = pieces.names[pieces.ofPrimitive[mesh.primitives[hit]]];
  for (const std::string& other : result.pieces.names) EXPECT_NE(other, name);
  EXPECT_GT(result.pieces.names.size(), 3u);
}

// Each constraint has the level at which its pieces came apart; strength goes with it.
TEST(PieceByPiece, ConstraintsKnowTheirLevel) {
  ConstraintOptions options;
  options.strength = 3;
  options.levelStrength = 4;
  options.nameLevels = true;
  const FractureResult quarters = breakAgain(into(2), broken(2), {1, 1});
  const Geometry network = constraintNetwork(quarters.pieces, options);
  const auto value = [&](const char* name, size_t c) {
    return network.findAttribute(Owner::Primitive, name)->number(c, 0);
  };
  std::array<size_t, 2> count{};
  for (size_t c = 0; c < network.primitiveCount(); ++c) {
    const PieceContact& contact = quarters.pieces.contacts[c];
    const bool sisters = contact.a / 2 == contact.b / 2;  // of one half: pieces are in order
    EXPECT_EQ(value("level", c), sisters ? 1 : 0);
    EXPECT_NEAR(value("strength", c), 3 * (sisters ? 4 : 1) * value("area", c), 1e-6);
    EXPECT_EQ(network.findAttribute(Owner::Primitive, "constraint_name")->string(c),
              sisters ? "Glue1" : "Glue0");
    ++count[sisters];
  }
  EXPECT_EQ(count[1], 2u);
  EXPECT_GE(count[0], 1u);
}

TEST(PieceByPiece, NothingChosenIsHeld) {
  const Geometry halves = broken(2);
  EXPECT_TRUE(breakAgain(into(3), halves, {0, 0}).held);
  EXPECT_FALSE(breakAgain(into(3), halves, {1, 0}).held);
}

}  // namespace
}  // namespace hackle
