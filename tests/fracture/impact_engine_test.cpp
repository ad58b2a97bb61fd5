#include <hackle/core/error.h>
#include <hackle/fracture/impact/impact_engine.h>

#include "impact_body.h"

#include <gtest/gtest.h>

namespace hackle {
namespace {

using namespace vibrating;

/// A glass plate, 0.3 x 0.02 x 0.3 m, small enough for quick tests.
class ImpactEngineTest : public testing::Test {
 protected:
  ImpactEngineTest() {
    options.body.elements = 2500;
    options.body.modes = 40;
    options.flaws.count = 500;
    options.toughness = 0.75e6;
    options.strength = 45e6;
    solid = std::make_shared<const Solid>(shapes::box({0, 0, 0}, {0.3, 0.02, 0.3}), context);
    load.impacts = {impact(25)};
  }

  static Impact impact(double impulse) {
    Impact hit;
    hit.position = {0.13, 0.02, 0.16};
    hit.direction = {0, -1, 0};
    hit.impulse = impulse;
    hit.striker.mass = 0.5;
    hit.striker.radius = 0.02;
    return hit;
  }

  Context context;
  ImpactEngineOptions options;
  SolidPtr solid;
  LoadCase load;
};

TEST_F(ImpactEngineTest, BreaksIntoClosedPieces) {
  const ImpactEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  EXPECT_TRUE(engine.mayBreak(*solid, *state, load));
  Geometry sheets;
  const FractureResult result = engine.fracture(*solid, *state, load, &sheets, context);
  ASSERT_FALSE(result.held) << result.held->reason;
  EXPECT_GT(result.pieces.names.size(), 3u);
  const Value report = pieceReport(solid->geometry, result.pieces, context);
  EXPECT_TRUE(report.find("closed")->asBool());
  EXPECT_TRUE(report.find("manifold")->asBool());
  EXPECT_LT(std::abs(report.find("volume_error")->asNumber()), 1e-9);
  EXPECT_LE(*result.energy, result.report.find("energy_available")->asNumber());
  EXPECT_GE(result.report.find("energy_least_left")->asNumber(), 0);
  EXPECT_TRUE(result.pieces.geometry.findAttribute(Owner::Point, "crack_time"));
  EXPECT_TRUE(result.pieces.geometry.findAttribute(Owner::Point, "stress"));
  EXPECT_GT(sheets.primitiveCount(), 0u);
}

TEST_F(ImpactEngineTest, SameBytesOnAnyNumberOfThreadsAndFromAFile) {
  const ImpactEngine engine(options);
  std::vector<std::vector<Vec3>> points;
  std::string bytes;
  for (const int threads : {1, 2}) {
    Context own;
    own.setThreads(threads);
    const EngineStatePtr state = engine.prepare(solid, own);
    if (bytes.empty()) bytes = engine.save(*state);
    EXPECT_EQ(bytes, engine.save(*state));
    const auto positions = engine.fracture(*solid, *state, load, own).pieces.geometry.positions();
    points.emplace_back(positions.begin(), positions.end());
  }
  EXPECT_EQ(points[0], points[1]);
  const EngineStatePtr loaded = engine.load(solid, bytes, context);
  const auto positions = engine.fracture(*solid, *loaded, load, context).pieces.geometry.positions();
  EXPECT_EQ(points[0], std::vector<Vec3>(positions.begin(), positions.end()));
}

// MODAL.md section 8: 0.999 J* whole, 1.001 J* cracked, with the contact's duration fixed.
TEST_F(ImpactEngineTest, BreaksExactlyAboveItsLimit) {
  options.strike.duration = 3e-4;
  options.strike.limitImpulse = false;
  const ImpactEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  load.impacts = {impact(1e-3)};
  const FractureResult weak = engine.fracture(*solid, *state, load, context);
  ASSERT_TRUE(weak.held && weak.held->by == HeldBy::Strength && weak.held->factor);
  EXPECT_EQ(weak.pieces.names.size(), 1u);
  const double limit = 1e-3 * *weak.held->factor;
  load.impacts = {impact(0.999 * limit)};
  const FractureResult below = engine.fracture(*solid, *state, load, context);
  EXPECT_EQ(below.report.find("failing_flaws")->asInt(), 0);
  load.impacts = {impact(1.001 * limit)};
  const FractureResult above = engine.fracture(*solid, *state, load, context);
  EXPECT_GE(above.report.find("failing_flaws")->asInt(), 1);
}

TEST_F(ImpactEngineTest, HoldsWithoutLoad) {
  const ImpactEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  load.impacts = {impact(0)};
  EXPECT_FALSE(engine.mayBreak(*solid, *state, load));
  const FractureResult result = engine.fracture(*solid, *state, load, context);
  ASSERT_TRUE(result.held);
  EXPECT_EQ(result.held->by, HeldBy::NoLoad);
  load.impacts = {impact(1e-9)};
  EXPECT_FALSE(engine.mayBreak(*solid, *state, load));
  load.impacts[0].position = {0.13, 1.0, 0.16};
  EXPECT_THROW(engine.fracture(*solid, *state, load, context), Error);
}

TEST_F(ImpactEngineTest, RefusesBadInput) {
  Geometry two = shapes::box({0, 0, 0}, {0.1, 0.1, 0.1});
  const Geometry other = shapes::box({0.5, 0, 0}, {0.6, 0.1, 0.1});
  const auto shift = static_cast<int32_t>(two.pointCount());
  for (const Vec3& p : other.positions()) two.addPoint(p);
  for (size_t f = 0; f < 6; ++f) {
    const Span<const int32_t> c = other.corners(f);
    two.addPolygon({c[0] + shift, c[1] + shift, c[2] + shift, c[3] + shift});
  }
  const ImpactEngine engine(options);
  EXPECT_THROW(engine.prepare(std::make_shared<const Solid>(two, context), context), Error);
  ImpactEngineOptions none = options;
  none.strength = 0;
  EXPECT_THROW(ImpactEngine{none}, Error);
  const EngineStatePtr state = engine.prepare(solid, context);
  std::string bytes = engine.save(*state);
  const SolidPtr another = std::make_shared<const Solid>(shapes::box(), context);
  EXPECT_THROW(engine.load(another, bytes, context), Error);
  EXPECT_THROW(engine.load(solid, std::string_view(bytes).substr(0, bytes.size() / 2), context), Error);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  EXPECT_THROW(engine.load(solid, bytes, context), Error);
}

}  // namespace
}  // namespace hackle
