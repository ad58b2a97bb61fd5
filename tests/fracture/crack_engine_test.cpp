// The crack engine through the interface of all engines alone.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_engine.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/shapes/shapes.h>
#include <shapes.h>

#include <cmath>
#include <ctime>
#include <map>

namespace hackle {
namespace {

SolidPtr bar(Context& context, const Vec3& at = Vec3::Zero()) {
  return std::make_shared<const Solid>(shapes::box(at + Vec3(-0.5, -0.1, -0.1), at + Vec3(0.5, 0.1, 0.1)),
                                       context);
}

CrackEngineOptions brittle() {
  CrackEngineOptions options;
  options.material.elastic = {3.1e9, 0.3, 1200};
  options.material.strength = 1e6;
  options.material.toughness = 5e4;
  options.triangles = 300;
  options.ratio = 5;
  options.cracks = 1;
  options.loading = CrackLoading::Sudden;
  return options;
}

std::string reasonOf(const FractureResult& result) { return result.held ? result.held->reason : ""; }

/// Two blows from below at the ends and one from above in the middle: a free bar in three-point bending.
LoadCase bending(double impulse) {
  LoadCase load;
  for (const double x : {-0.45, 0.45}) {
    Impact up;
    up.position = {x, -0.1, 0};
    up.direction = {0, 1, 0};
    up.impulse = 0.5 * impulse;
    up.speed = 1;
    load.impacts.push_back(up);
  }
  Impact down;
  down.position = {0, 0.1, 0};
  down.direction = {0, -2, 0};
  down.impulse = impulse;
  down.speed = 1;
  load.impacts.push_back(down);
  return load;
}

void expectWhole(const FractureResult& result, const Solid& solid, HeldBy by) {
  ASSERT_TRUE(result.held);
  EXPECT_EQ(result.held->by, by) << result.held->reason;
  ASSERT_EQ(result.pieces.names.size(), 1u);
  EXPECT_NEAR(result.pieces.volume[0], solid.mass.volume, 1e-9);
  EXPECT_EQ(result.states.size(), 1u);
}

TEST(CrackEngine, ABlowBreaksABarAndAWeakOneSaysByHowMuchItFallsShort) {
  Context context;
  const std::unique_ptr<FractureEngine> engine = std::make_unique<CrackEngine>(brittle());
  EXPECT_EQ(engine->id(), "crack");
  const SolidPtr solid = bar(context);
  const EngineStatePtr state = engine->prepare(solid, context);
  EXPECT_GT(state->bytes(), 100000u);

  const double strong = 24;
  const FractureResult broken = engine->fracture(*solid, *state, bending(strong), context);
  EXPECT_TRUE(engine->mayBreak(*solid, *state, bending(strong)));
  EXPECT_FALSE(broken.held) << reasonOf(broken);
  ASSERT_GE(broken.pieces.names.size(), 2u);
  double volume = 0;
  for (const double v : broken.pieces.volume) volume += v;
  EXPECT_NEAR(volume, solid->mass.volume, 1e-9);
  const Topology topology = analyseTopology(broken.pieces.geometry, context);
  EXPECT_TRUE(topology.closed && topology.manifold);
  EXPECT_TRUE(broken.pieces.geometry.findAttribute(Owner::Point, "depth"));
  // A crack through a section of 0.2 m by 0.2 m, and the energy of so much.
  EXPECT_GT(broken.area, 0.02);
  EXPECT_NEAR(*broken.energy, broken.area * 5e4 * 5e4 * (1 - 0.3 * 0.3) / 3.1e9, 1e-9);

  // Too weak by a factor that the engine predicts: just below it holds, just above a crack starts.
  const FractureResult held = engine->fracture(*solid, *state, bending(0.01 * strong), context);
  expectWhole(held, *solid, HeldBy::Strength);
  ASSERT_TRUE(held.held->factor);
  EXPECT_GT(*held.held->factor, 1);
  EXPECT_LT(*held.held->factor, 100);
  const double enough = *held.held->factor * 0.01 * strong;
  EXPECT_EQ(engine->fracture(*solid, *state, bending(0.97 * enough), context).held->by, HeldBy::Strength);
  const FractureResult above = engine->fracture(*solid, *state, bending(1.02 * enough), context);
  EXPECT_TRUE(!above.held || above.held->by != HeldBy::Strength);
}

TEST(CrackEngine, NothingActsMeansNothingBreaks) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context);
  const EngineStatePtr state = engine.prepare(solid, context);
  EXPECT_FALSE(engine.mayBreak(*solid, *state, {}));
  EXPECT_FALSE(engine.mayBreak(*solid, *state, bending(0)));
  expectWhole(engine.fracture(*solid, *state, {}, context), *solid, HeldBy::NoLoad);
  CrackEngineOptions none = brittle();
  none.cracks = 0;
  const CrackEngine quiet(none);
  EXPECT_FALSE(quiet.mayBreak(*solid, *state, bending(1e6)));
  expectWhole(quiet.fracture(*solid, *quiet.prepare(solid, context), bending(1), context), *solid,
              HeldBy::Limit);
}

TEST(CrackEngine, SteadyForcesBreakAHeldBar) {
  Context context;
  CrackEngineOptions options = brittle();
  BoundaryCondition hold;
  hold.region.high = Vec3(-0.4999, 1e30, 1e30);
  options.conditions = {hold};
  InitialCrack disc;
  disc.normal = {1, 0, 0};
  disc.radius = 0.05;
  options.initial = {disc};
  options.cracks = 0;
  const CrackEngine engine(options);
  const SolidPtr solid = bar(context);
  const EngineStatePtr state = engine.prepare(solid, context);
  EXPECT_FALSE(engine.mayBreak(*solid, *state, {}));
  LoadCase load;
  load.steady.push_back({Vec3(0.5, 0, 0), Vec3(1e5, 0, 0)});
  EXPECT_TRUE(engine.mayBreak(*solid, *state, load));
  const FractureResult broken = engine.fracture(*solid, *state, load, context);
  EXPECT_GE(broken.pieces.names.size(), 2u) << reasonOf(broken);
  load.steady[0].force *= 1e-3;
  EXPECT_EQ(engine.fracture(*solid, *state, load, context).held->by, HeldBy::Toughness);
}

TEST(CrackEngine, ASavedStateGivesTheSameBytes) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context), other = bar(context, Vec3(0, 1, 0));
  const EngineStatePtr state = engine.prepare(solid, context);
  const std::string bytes = engine.save(*state);
  const EngineStatePtr loaded = engine.load(solid, bytes, context);
  const FractureResult a = engine.fracture(*solid, *state, bending(24), context);
  const FractureResult b = engine.fracture(*solid, *loaded, bending(24), context);
  ASSERT_EQ(a.pieces.geometry.pointCount(), b.pieces.geometry.pointCount());
  for (size_t p = 0; p < a.pieces.geometry.pointCount(); ++p)
    ASSERT_EQ(a.pieces.geometry.position(p), b.pieces.geometry.position(p));
  EXPECT_EQ(engine.save(*loaded), bytes);
  EXPECT_THROW(engine.load(other, bytes, context), Error);
  EXPECT_THROW(engine.load(solid, bytes.substr(0, bytes.size() / 2), context), Error);
}

TEST(CrackEngine, ACrackThatDidNotGoThroughGoesOnUnderTheNextLoad) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context);
  const EngineStatePtr state = engine.prepare(solid, context);
  // At 900 m/s a crack takes 0.2 ms through the section.
  LoadCase brief = bending(24);
  brief.duration = 2e-5;
  const FractureResult held = engine.fracture(*solid, *state, brief, context);
  ASSERT_TRUE(held.held);
  ASSERT_EQ(held.states.size(), 1u);
  ASSERT_TRUE(held.states[0]) << held.held->reason;
  EXPECT_GT(held.area, 0);

  // The next blow drives it on; so it does after a restart, by as much.
  const FractureResult more = engine.fracture(*solid, *held.states[0], brief, context);
  EXPECT_GT(more.area, 0);
  // The report has all that is there; what two blows open adds up to it, nothing is counted twice.
  const double all = more.report.find("crack_area")->asNumber();
  EXPECT_GT(all, held.area);
  EXPECT_NEAR(held.area + more.area, all, 1e-9 * all);
  const EngineStatePtr loaded = engine.load(solid, engine.save(*held.states[0]), context);
  const FractureResult again = engine.fracture(*solid, *loaded, brief, context);
  EXPECT_EQ(again.area, more.area);
  EXPECT_EQ(engine.save(*loaded), engine.save(*held.states[0]));
  FractureResult last = more;
  for (int blow = 0; blow < 20 && last.states.size() == 1 && last.states[0]; ++blow)
    last = engine.fracture(*solid, *EngineStatePtr(last.states[0]), brief, context);
  EXPECT_GE(last.pieces.names.size(), 2u) << reasonOf(last);
}

/// The state of a piece with square cracks of this half width in it.
CrackEngineState pieceWithCracks(const Solid& piece, const std::vector<Vec3>& places, double half) {
  CrackEngineState state;
  state.volume = piece.mass.volume;
  for (const Vec3& at : places) {
    std::vector<int32_t> corners;
    for (const Vec3& c : {Vec3(0, -1, -1), Vec3(0, 1, -1), Vec3(0, 1, 1), Vec3(0, -1, 1)})
      corners.push_back(static_cast<int32_t>(state.leftovers.addPoint(at + half * c)));
    state.leftovers.addPolygon({corners[0], corners[1], corners[2], corners[3]});
  }
  return state;
}

TEST(CrackEngine, CracksLeftInAPieceAreLoadedForThatPieceOnly) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context), moved = bar(context, Vec3(0, 1, 0));
  const SolidPtr thicker =
      std::make_shared<const Solid>(shapes::box(Vec3(-0.5, -0.11, -0.1), Vec3(0.5, 0.11, 0.1)), context);
  const std::string bytes = engine.save(pieceWithCracks(*solid, {Vec3(0, 0, 0)}, 0.05));
  EXPECT_EQ(engine.save(*engine.load(solid, bytes, context)), bytes);
  EXPECT_THROW(engine.load(moved, bytes, context), Error);
  EXPECT_THROW(engine.load(thicker, bytes, context), Error);
}

TEST(CrackEngine, CracksLeftInAPieceThatCannotBeMeshedAreForgotten) {
  // Two in one place are refused as initial cracks.
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context);
  const CrackEngineState twice = pieceWithCracks(*solid, {Vec3(0.3, 0, 0), Vec3(0.3, 0, 0)}, 0.05);
  CrackEngineOptions options = brittle();
  options.sheets = twice.leftovers;
  EXPECT_THROW(CrackEngine(options).prepare(solid, context), InitialCrackError);
  const FractureResult whole = engine.fracture(*solid, *engine.prepare(solid, context), bending(24), context);
  const FractureResult result = engine.fracture(*solid, twice, bending(24), context);
  EXPECT_EQ(result.area, whole.area);
}

TEST(CrackEngine, LoadsDoNotChangeTheStateAndThreadsDoNotChangeTheResult) {
  Context one, two;
  one.setThreads(1);
  two.setThreads(2);
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(one);
  const EngineStatePtr state = engine.prepare(solid, one);
  engine.fracture(*solid, *state, bending(70), one);
  const FractureResult a = engine.fracture(*solid, *state, bending(24), one);
  const FractureResult b = engine.fracture(*solid, *engine.prepare(solid, two), bending(24), two);
  ASSERT_EQ(a.pieces.names.size(), b.pieces.names.size());
  ASSERT_EQ(a.pieces.geometry.pointCount(), b.pieces.geometry.pointCount());
  for (size_t p = 0; p < a.pieces.geometry.pointCount(); ++p)
    ASSERT_EQ(a.pieces.geometry.position(p), b.pieces.geometry.position(p));
}

TEST(CrackEngine, AHitFarFromTheSurfaceIsRefusedByName) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context);
  const EngineStatePtr state = engine.prepare(solid, context);
  LoadCase load = bending(1);
  load.impacts[1].position.y() -= 1;
  try {
    engine.fracture(*solid, *state, load, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(error.what()).find("impact 2"), std::string::npos);
  }
}

TEST(CrackEngine, ARisingLoadSaysAtWhichFactorItBreaks) {
  Context context;
  CrackEngineOptions options = brittle();
  options.loading = CrackLoading::Rising;
  const SolidPtr solid = bar(context);
  const CrackEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  const FractureResult held = engine.fracture(*solid, *state, bending(0.5), context);
  expectWhole(held, *solid, HeldBy::Strength);
  const double enough = 0.5 * *held.held->factor;
  // The force of a Hertz contact at a given speed goes with the impulse.
  EXPECT_TRUE(engine.fracture(*solid, *state, bending(0.95 * enough), context).held);
  const FractureResult broken = engine.fracture(*solid, *state, bending(1.6 * enough), context);
  EXPECT_FALSE(broken.held) << reasonOf(broken);
  EXPECT_EQ(broken.pieces.names.size(), 2u);
}

/// The factor at which a load that the bar holds starts a crack.
double breakingFactor(const CrackEngineOptions& options, const LoadCase& load, Context& context) {
  const SolidPtr solid = bar(context);
  const CrackEngine engine(options);
  const FractureResult held = engine.fracture(*solid, *engine.prepare(solid, context), load, context);
  return held.held && held.held->factor ? *held.held->factor : 0;
}

TEST(CrackEngine, ASpinningBarBurstsAtItsStrength) {
  Context context;
  CrackEngineOptions options = brittle();
  options.loading = CrackLoading::Rising;
  options.modulus.reset();
  const double half = 0.5, density = options.material.elastic.density;
  LoadCase load;
  load.spin = {0, 30, 0};
  const double stress = 0.5 * density * std::pow(load.spin.norm() * half, 2);
  const double factor = options.material.strength / stress;
  for (const size_t triangles : {size_t{200}, size_t{400}, size_t{800}}) {
    options.triangles = triangles;
    EXPECT_NEAR(breakingFactor(options, load, context), factor, 0.03 * factor) << triangles;
  }

  // A spin that is as much faster tears the middle apart; one that is far too
  // slow is not looked at.
  const SolidPtr solid = bar(context);
  const CrackEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  load.spin *= 1.05 * std::sqrt(factor);
  EXPECT_TRUE(engine.mayBreak(*solid, *state, load));
  const FractureResult broken = engine.fracture(*solid, *state, load, context);
  ASSERT_EQ(broken.pieces.names.size(), 2u) << reasonOf(broken);
  EXPECT_NEAR(broken.pieces.volume[0], 0.02, 2e-3);
  load.spin = {0, 0.01, 0};
  EXPECT_FALSE(engine.mayBreak(*solid, *state, load));
}

TEST(CrackEngine, ABarThatLiesOnItsEndsBearsItsWeight) {
  Context context;
  CrackEngineOptions options = brittle();
  options.loading = CrackLoading::Rising;
  options.modulus.reset();
  options.triangles = 600;
  // Two supports carry the weight, whatever it is: what acts accelerates the
  // body, and so it weighs as much.
  const double weight = 500;
  LoadCase load;
  for (const double x : {-0.45, 0.45}) load.steady.push_back({Vec3(x, -0.1, 0), Vec3(0, 0.5 * weight, 0)});
  const double moment = weight * (0.5 * 0.45 - 0.125), stress = 6 * moment / (0.2 * 0.2 * 0.2);
  const double expected =
      coupledStart(stress, 0.1, options.material.strength, options.material.toughness).factor;
  EXPECT_NEAR(breakingFactor(options, load, context), expected, 0.04 * expected);
}

TEST(CrackEngine, InertiaBalancesWhateverActsOnAFreeBody) {
  Context context;
  const CrackEngine engine(brittle());
  const SolidPtr solid = bar(context);
  const EngineStatePtr state = engine.prepare(solid, context);
  const CrackBody& body = stateAs<CrackEngineState>(*state).bodies.at(0);
  BodyLoad load;
  load.steady.push_back({Vec3(0.3, 0.1, 0.05), Vec3(20, -300, 40)});
  for (const Vec3& spin : {Vec3(0, 0, 0), Vec3(3, 20, -30)}) {
    load.motion.spin = spin;
    const LoadedBody loaded = loadedBody(body, load, context);
    const NetLoad left = loadedSystem(*body.system, loaded.data, context).solve(context).removed;
    // Torques are as exact as tractions that are constant on triangles: 4 kg m^2 spin.
    EXPECT_LT(left.force.norm(), 1e-9 * 300);
    EXPECT_LT(left.torque.norm(), 0.01 * 300 * 0.3 + 2e-3 * 4 * spin.squaredNorm());
  }
}

TEST(CrackEngine, AMillionSizesFromTheOriginTheBreakIsTheSame) {
  Context context;
  CrackEngineOptions options = brittle();
  options.loading = CrackLoading::Rising;
  options.material.toughnessPattern.kind = PatternKind::Layers;
  options.material.toughnessPattern.size = 0.5;  // as far from layer to layer: the places have like layers
  const CrackEngine engine(options);
  const auto broken = [&](const Vec3& at) {
    // Coordinates that are the same there to the last bit: a mesh may hang on that.
    const Vec3 half(0.5, 0.125, 0.125);
    const SolidPtr solid = std::make_shared<const Solid>(shapes::box(at - half, at + half), context);
    LoadCase load = bending(100);
    for (Impact& impact : load.impacts)
      impact.position = at + Vec3(0.4375 * std::round(impact.position.x() / 0.45),
                                  0.125 * std::round(impact.position.y() / 0.1), 0);
    return engine.fracture(*solid, *engine.prepare(solid, context), load, context);
  };
  const Vec3 far(1e6, -3e5, 2e5);
  const FractureResult here = broken(Vec3::Zero()), there = broken(far);
  ASSERT_EQ(here.pieces.names.size(), 2u) << reasonOf(here);
  ASSERT_EQ(there.pieces.names.size(), 2u) << reasonOf(there);
  ASSERT_EQ(there.pieces.geometry.pointCount(), here.pieces.geometry.pointCount());
  for (size_t i = 0; i < here.pieces.geometry.pointCount(); ++i)
    EXPECT_LT((there.pieces.geometry.position(i) - far - here.pieces.geometry.position(i)).norm(), 1e-6);
  EXPECT_LT((there.pieces.centre[0] - far - here.pieces.centre[0]).norm(), 1e-6);
}

/// Length of edges at which two inside faces of a piece meet at more than an angle, times r_c over their
/// area.
double teeth(const FracturePieces& pieces, double coarse, double degrees) {
  const double cosine = std::cos(degrees * std::acos(-1.0) / 180);
  const Geometry& g = pieces.geometry;
  const Group* inside = g.findGroup(Owner::Primitive, "inside");
  std::map<std::pair<int32_t, int32_t>, std::vector<Vec3>> normals;
  double area = 0, length = 0;
  for (size_t f = 0; f < g.primitiveCount(); ++f) {
    if (!inside->bits[f]) continue;
    const Span<const int32_t> c = g.corners(f);
    Vec3 sum = Vec3::Zero();
    for (size_t k = 1; k + 1 < c.size(); ++k)
      sum += (g.position(c[k]) - g.position(c[0])).cross(g.position(c[k + 1]) - g.position(c[0]));
    area += 0.5 * sum.norm();
    for (size_t k = 0; k < c.size(); ++k)
      normals[std::minmax(c[k], c[(k + 1) % c.size()])].push_back(sum.normalized());
  }
  for (const auto& [edge, both] : normals)
    if (both.size() == 2 && both[0].dot(both[1]) < cosine)
      length += (g.position(edge.first) - g.position(edge.second)).norm();
  return length * coarse / area;
}

TEST(CrackEngine, FacesOfUniformMaterialHaveNoTeeth) {
  Context context;
  CrackEngineOptions options = brittle();
  options.loading = CrackLoading::Rising;
  options.ratio = 10;
  options.cracks = 10;
  for (const size_t triangles : {size_t{300}, size_t{600}}) {
    options.triangles = triangles;
    const SolidPtr solid = bar(context);
    const CrackEngine engine(options);
    const FractureResult broken =
        engine.fracture(*solid, *engine.prepare(solid, context), bending(100), context);
    ASSERT_GE(broken.pieces.names.size(), 2u) << reasonOf(broken);
    EXPECT_LT(teeth(broken.pieces, broken.report.find("coarse")->asNumber(), 25), 0.02);
  }
}

TEST(CrackEngine, CracksFromBothSidesMeet) {
  // Half discs in the upper and the lower side of a bar that is pulled, beside each other.
  Context context;
  const SolidPtr solid =
      std::make_shared<const Solid>(shapes::box({-0.5, -0.125, -0.125}, {0.5, 0.125, 0.125}), context);
  constexpr double kCoarse = 0.03;
  for (const double beside : {0.3, 0.6}) {
    CrackEngineOptions options;
    options.loading = CrackLoading::Rising;
    options.material.elastic = {4.5e9, 0.22, 1100};
    options.material.strength = 2.5e6;
    options.material.toughness = 1.4e5;
    options.triangles = 1200;
    options.coarse = kCoarse;
    options.ratio = 10;
    options.cracks = 0;
    for (const double side : {-1, 1}) {
      InitialCrack disc;
      disc.at = {0.5 * side * beside * kCoarse, 0.125 * side, 0};
      disc.normal = {1, 0, 0};
      disc.radius = 0.05;
      options.initial.push_back(disc);
    }
    BoundaryCondition held, pulled;
    held.region.high = Vec3(-0.4999, 1e30, 1e30);
    pulled.kind = ConditionKind::Force;
    pulled.value = {2e5, 0, 0};
    pulled.region.low = Vec3(0.4999, -1e30, -1e30);
    options.conditions = {held, pulled};
    const CrackEngine engine(options);
    const FractureResult broken =
        engine.fracture(*solid, *engine.prepare(solid, context), LoadCase(), context);
    ASSERT_EQ(broken.pieces.names.size(), 2u) << reasonOf(broken);
    // The aim is 0.2; with a finer surface it is 0.06 and 0.19. Where the later crack climbs over to the
    // other, pits of a voxel or two may be left.
    EXPECT_LT(teeth(broken.pieces, kCoarse, 50), beside < 0.5 ? 0.2 : 0.31);
  }
}

TEST(CrackEngine, EachBodyBreaksUnderWhatActsOnIt) {
  Context context;
  Geometry both = shapes::box(Vec3(-0.5, -0.1, -0.1), Vec3(0.5, 0.1, 0.1));
  both.append(shapes::box(Vec3(-0.5, 0.9, -0.1), Vec3(0.5, 1.1, 0.1)));
  const SolidPtr solid = std::make_shared<const Solid>(both, context);
  CrackEngineOptions options = brittle();
  options.triangles = 600;
  const CrackEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  const FractureResult result = engine.fracture(*solid, *state, bending(24), context);
  EXPECT_FALSE(result.held) << reasonOf(result);
  ASSERT_GE(result.pieces.names.size(), 3u);
  size_t upper = 0;
  for (const double v : result.pieces.volume) upper += std::abs(v - 0.04) < 1e-9;
  EXPECT_EQ(upper, 1u);
}

TEST(CrackEngine, WarnsOfSizesThatSuggestOtherUnits) {
  CrackEngineOptions options = brittle();
  options.material.strength = 4e6;  // of plaster
  options.material.toughness = 0.2e6;
  const auto warns = [&](double size) {
    Context context;
    const auto solid =
        std::make_shared<const Solid>(shapes::box(Vec3::Zero(), size * Vec3(1, 0.2, 0.2)), context);
    CrackEngine(options).prepare(solid, context);
    const std::vector<std::string> all = context.warnings();
    return std::any_of(all.begin(), all.end(), [](const std::string& w) {
      return w.find("if its units are not metres") != std::string::npos;
    });
  };
  EXPECT_TRUE(warns(151));
  EXPECT_FALSE(warns(3));
  EXPECT_FALSE(warns(0.1));
  EXPECT_TRUE(warns(1e-4));
}

// A cantilever of which the coarse mesh, as its thickness alone sizes it, has edges as long as it is thick.
TEST(CrackEngine, TheFirstStartDoesNotDependOnTheMesh) {
  std::vector<double> factors;
  for (const size_t triangles : {200u, 800u}) {
    Context context;
    const SolidPtr solid = std::make_shared<const Solid>(shapes::box({0, 0, 0}, {2, 0.1, 0.1}), context);
    CrackEngineOptions options = brittle();
    options.loading = CrackLoading::Rising;
    options.modulus.reset();
    options.loadEnd = LoadEnd::Breaking;
    options.triangles = triangles;
    options.steps = 1;
    BoundaryCondition held, pushed;
    held.region.high = Vec3(0.01, 1e30, 1e30);
    pushed.kind = ConditionKind::Force;
    pushed.value = {0, -20, 0};
    pushed.region.low = Vec3(1.9, -1e30, -1e30);
    options.conditions = {held, pushed};
    const CrackEngine engine(options);
    const FractureResult result =
        engine.fracture(*solid, *engine.prepare(solid, context), LoadCase(), context);
    const Value& load = result.report.find("load")->asList()[0];
    ASSERT_TRUE(load.find("first_start")) << reasonOf(result);
    factors.push_back(load.find("first_start")->asNumber());
  }
  EXPECT_NEAR(factors[0] / factors[1], 1, 0.1);
}

/// CPU seconds of this thread.
double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(CrackEngine, LooksAtCancelAllAlong) {
  // On one thread, in its own CPU time: no stretch without a look is a large part of a run on a fine surface.
  Context context;
  context.setThreads(1);
  ShapeOptions shape;
  shape.shape = ShapeKind::Bunny;
  shape.size = 0.3;
  shape.resolution = 70;
  const SolidPtr solid = std::make_shared<const Solid>(makeShape(shape, context), context);
  CrackEngineOptions options;
  BoundaryCondition held, pushed;
  held.region.high = Vec3(1e30, 0.01, 1e30);
  pushed.kind = ConditionKind::Force;
  pushed.value = {3000, 0, 0};
  pushed.region.low = Vec3(-1e30, 0.27, -1e30);
  options.conditions = {held, pushed};
  options.loadEnd = LoadEnd::Breaking;
  const double begin = threadSeconds();
  double last = begin, longest = 0;
  context.setCancelPoll([&] {
    longest = std::max(longest, threadSeconds() - last);
    last = threadSeconds();
    return false;
  });
  const CrackEngine engine(options);
  const FractureResult result = engine.fracture(*solid, *engine.prepare(solid, context), LoadCase(), context);
  EXPECT_GT(result.pieces.names.size(), 1u) << reasonOf(result);
  EXPECT_LT(longest, 0.06 * (threadSeconds() - begin));
}

}  // namespace
}  // namespace hackle
