// Pieces that the crack engine left, and what it knows before it prepares anything.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_engine.h>
#include <hackle/fracture/piece_lists.h>
#include <hackle/meshing/shapes/shapes.h>
#include <shapes.h>

#include <cmath>

namespace hackle {
namespace {

CrackEngineOptions brittle() {
  CrackEngineOptions options;
  options.material.elastic = {3.1e9, 0.3, 1200};
  options.material.strength = 1e6;
  options.material.toughness = 5e4;
  options.triangles = 400;
  options.ratio = 5;
  options.loading = CrackLoading::Sudden;
  return options;
}

/// A bar 2 m long with a crack through most of its section at x = 0.9, where 5 % less a little come off.
SolidPtr longBar(Context& context) {
  return std::make_shared<const Solid>(shapes::box({-1, -0.1, -0.1}, {1, 0.1, 0.1}), context);
}

LoadCase pull(double force, double from, double to) {
  LoadCase load;
  load.steady.push_back({Vec3(to, 0, 0), Vec3(force, 0, 0)});
  load.steady.push_back({Vec3(from, 0, 0), Vec3(-force, 0, 0)});
  return load;
}

/// The pieces of the bar after its end has been pulled off, large ones first.
struct Broken {
  SolidPtr solid;
  EngineStatePtr state;
  FractureResult result;
  size_t large = 0, small = 1;
};

Broken pulledApart(Context& context) {
  CrackEngineOptions options = brittle();
  InitialCrack disc;
  disc.at = {0.92, 0, 0};
  disc.normal = {1, 0, 0};
  disc.radius = 0.08;
  options.initial = {disc};
  options.cracks = 0;
  const CrackEngine engine(options);
  Broken broken;
  broken.solid = longBar(context);
  broken.state = engine.prepare(broken.solid, context);
  broken.result = engine.fracture(*broken.solid, *broken.state, pull(4e5, -1, 1), context);
  if (broken.result.pieces.names.size() == 2 &&
      broken.result.pieces.volume[1] > broken.result.pieces.volume[0])
    std::swap(broken.large, broken.small);
  return broken;
}

SolidPtr pieceOf(const Broken& broken, size_t piece, Context& context) {
  const FracturePieces& pieces = broken.result.pieces;
  return std::make_shared<const Solid>(pieces.geometry.extract(primitivesOfPieces(pieces)[piece]), context);
}

const CrackEngineState& crackState(const EngineStatePtr& state) { return stateAs<CrackEngineState>(*state); }

TEST(CrackEnginePieces, OneThatIsNearlyAllOfTheSolidKeepsItsMeshAndSystem) {
  Context context;
  const Broken broken = pulledApart(context);
  ASSERT_EQ(broken.result.pieces.names.size(), 2u) << (broken.result.held ? broken.result.held->reason : "");
  const double share = broken.result.pieces.volume[broken.large] / broken.solid->mass.volume;
  ASSERT_GT(share, 0.95);
  ASSERT_LT(share, 0.98);
  const CrackEngineState& before = crackState(broken.state);
  const CrackEngineState& large = crackState(broken.result.states[broken.large]);
  ASSERT_TRUE(large.kept);
  EXPECT_EQ(large.kept->system, before.bodies[0].system);
  EXPECT_EQ(large.kept->solved.triangles.size(), before.bodies[0].mesh.solved.triangles.size());
  EXPECT_FALSE(crackState(broken.result.states[broken.small]).kept);

  // It breaks on, about as one that is meshed anew does, within its own surface.
  CrackEngineOptions options = brittle();
  options.cracks = 1;
  const CrackEngine engine(options);
  const SolidPtr piece = pieceOf(broken, broken.large, context);
  const LoadCase load = pull(2e5, -1, broken.result.pieces.centre[broken.large].x());
  const FractureResult kept = engine.fracture(*piece, large, load, context);
  const FractureResult anew = engine.fracture(*piece, *engine.prepare(piece, context), load, context);
  ASSERT_FALSE(kept.held) << kept.held->reason;
  ASSERT_FALSE(anew.held) << anew.held->reason;
  EXPECT_NEAR(kept.area, anew.area, 0.35 * anew.area);
  double volume = 0;
  for (const double v : kept.pieces.volume) volume += v;
  EXPECT_NEAR(volume, piece->mass.volume, 1e-9);
  for (size_t p = 0; p < kept.pieces.geometry.pointCount(); ++p)
    EXPECT_LT(kept.pieces.geometry.position(p).x(), 0.99);

  // A saved state breaks it in the same way.
  const EngineStatePtr loaded = engine.load(piece, engine.save(large), context);
  const FractureResult again = engine.fracture(*piece, *loaded, load, context);
  EXPECT_EQ(again.area, kept.area);
  EXPECT_EQ(engine.save(*loaded), engine.save(large));
}

/// A bar on whose top one point goes down through the bottom: its surface crosses itself.
SolidPtr crossedBar(Context& context) {
  ShapeOptions bar;
  bar.size = 1;
  bar.proportions = {1, 0.2, 0.2};
  bar.resolution = 16;
  bar.centre = true;
  Geometry geometry = makeShape(bar, context);
  size_t top = 0;
  for (size_t p = 0; p < geometry.pointCount(); ++p)
    if ((geometry.position(p) - Vec3(0.25, 0.1, 0)).norm() <
        (geometry.position(top) - Vec3(0.25, 0.1, 0)).norm())
      top = p;
  geometry.editPositions()[top].y() = -0.13;
  return std::make_shared<const Solid>(geometry, context);
}

TEST(CrackEnginePieces, ThoseThatCrossThemselvesBreakToo) {
  Context context;
  CrackEngineOptions options = brittle();
  options.cracks = 10;
  const CrackEngine engine(options);
  const SolidPtr solid = crossedBar(context);
  EXPECT_THROW(engine.prepare(solid, context), Error);  // as somebody's input it is refused
  CrackEngineState piece;
  piece.volume = solid->mass.volume;
  const FractureResult broken = engine.fracture(*solid, piece, pull(1e5, -0.5, 0.5), context);
  ASSERT_FALSE(broken.held) << broken.held->reason;
  EXPECT_GE(broken.pieces.names.size(), 2u);
  double volume = 0;
  for (const double v : broken.pieces.volume) volume += v;
  EXPECT_NEAR(volume, solid->mass.volume, 1e-3 * solid->mass.volume);
}

TEST(CrackEnginePieces, OnesThatHoldAreNotPreparedAgain) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = longBar(context);
  CrackEngineState piece;
  piece.volume = solid->mass.volume;
  const FractureResult held = engine.fracture(*solid, piece, pull(10, -1, 1), context);
  ASSERT_TRUE(held.held);
  ASSERT_EQ(held.states.size(), 1u);
  EXPECT_EQ(crackState(held.states[0]).bodies.size(), 1u);
  // Saved it is as small as before.
  EXPECT_LT(engine.save(*held.states[0]).size(), 2000u);
}

/// Whatever acts where, a solid whose forces add up to less than it says is far from its strength.
TEST(CrackEnginePieces, HarmlessForcesLeaveSolidsWhole) {
  Context context;
  CrackEngineOptions options = brittle();
  options.triangles = 250;
  const CrackEngine engine(options);
  for (const ShapeKind shape : {ShapeKind::Box, ShapeKind::Column, ShapeKind::Dumbbell}) {
    ShapeOptions wanted;
    wanted.shape = shape;
    wanted.resolution = 10;
    const SolidPtr solid = std::make_shared<const Solid>(makeShape(wanted, context), context);
    const double thickness = thinnestPart(*solid, context);
    LoadCase load;
    load.duration = 1e-3;
    const double force = engine.harmlessForce(*solid, nullptr, thickness, load);
    ASSERT_GT(force, 0);
    const EngineStatePtr state = engine.prepare(solid, context);
    const Box3 box = solid->bvh.bounds();
    for (int axis = 0; axis < 3; ++axis) {
      // At opposite ends, across the longest side, in the middle: all that bends most.
      load.steady.clear();
      Vec3 low = box.centre(), high = box.centre();
      low[axis] = box.min[axis];
      high[axis] = box.max[axis];
      Vec3 across = Vec3::Zero();
      across[(axis + 1) % 3] = 1;
      load.steady.push_back({solid->bvh.closestPoint(low).point, 0.25 * force * across});
      load.steady.push_back({solid->bvh.closestPoint(high).point, 0.25 * force * across});
      load.steady.push_back({solid->bvh.closestPoint(box.centre()).point, -0.5 * force * across});
      const FractureResult result = engine.fracture(*solid, *state, load, context);
      ASSERT_TRUE(result.held);
      EXPECT_EQ(result.held->by, HeldBy::Strength) << result.held->reason;
      ASSERT_TRUE(result.held->factor);
      EXPECT_GT(*result.held->factor, 1.5) << static_cast<int>(shape) << " " << axis;
    }
  }
}

TEST(CrackEnginePieces, NoForceIsHarmlessToWhatIsCrackedOrHeld) {
  Context context;
  const SolidPtr solid = longBar(context);
  LoadCase brief;
  brief.duration = 1e-3;
  const double thickness = thinnestPart(*solid, context);
  EXPECT_NEAR(thickness, 0.2, 1e-5);
  EXPECT_GT(CrackEngine(brittle()).harmlessForce(*solid, nullptr, thickness, brief), 0);
  CrackEngineState cracked;
  cracked.volume = solid->mass.volume;
  cracked.leftovers = shapes::box({0, 0, 0}, {0.01, 0.01, 0.01});
  EXPECT_EQ(CrackEngine(brittle()).harmlessForce(*solid, &cracked, thickness, brief), 0);
  CrackEngineOptions held = brittle();
  held.conditions.emplace_back();
  EXPECT_EQ(CrackEngine(held).harmlessForce(*solid, nullptr, thickness, brief), 0);
  CrackEngineOptions rising = brittle();
  rising.loading = CrackLoading::Rising;
  EXPECT_EQ(CrackEngine(rising).harmlessForce(*solid, nullptr, thickness, LoadCase()), 0);
}

}  // namespace
}  // namespace hackle
