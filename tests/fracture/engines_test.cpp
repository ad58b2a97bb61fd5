// Every fracture engine through the interface alone: the laws of engine.h that hold for all of them.
#include "engine_checks.h"

#include <hackle/core/archive.h>
#include <hackle/fracture/crack/crack_engine.h>
#include <hackle/fracture/glue/glue_engine.h>
#include <hackle/fracture/impact/impact_engine.h>
#include <hackle/fracture/modes/modes_engine.h>
#include <hackle/fracture/piece_lists.h>
#include <hackle/fracture/voronoi/cvd_engine.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <thread>

namespace hackle {
namespace {

/// An engine with quick options, a body for it, and a load that breaks the body.
struct EngineCase {
  std::string id;
  std::function<std::unique_ptr<FractureEngine>()> make;
  std::function<Geometry()> body;
  LoadCase load;
};
void PrintTo(const EngineCase& given, std::ostream* out) { *out << given.id; }

Impact impactAt(const Vec3& at, const Vec3& direction, double impulse) {
  Impact impact;
  impact.position = at;
  impact.direction = direction;
  impact.impulse = impulse;
  return impact;
}

LoadCase loadOf(const Impact& impact) {
  LoadCase load;
  load.impacts = {impact};
  return load;
}

template <class Engine, class Options>
std::function<std::unique_ptr<FractureEngine>()> engineOf(const Options& options) {
  return [options] { return std::make_unique<Engine>(options); };
}

Geometry bar() { return shapes::box({-0.5, -0.1, -0.1}, {0.5, 0.1, 0.1}); }
Geometry plate() { return shapes::box({-0.15, 0, -0.15}, {0.15, 0.02, 0.15}); }

/// Unit cubes along x that share faces, by name.
Geometry gluedCubes() {
  Geometry g;
  for (int i = 0; i < 4; ++i) g.append(shapes::box(Vec3(i, 0, 0), Vec3(i + 1, 1, 1)));
  Attribute& names = g.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t p = 0; p < g.primitiveCount(); ++p) names.setString(p, "cube" + std::to_string(p / 6));
  return g;
}

EngineCase voronoiCase() {
  VoronoiOptions options;
  options.pieces = 8;
  return {"voronoi", engineOf<VoronoiEngine>(options), bar, loadOf(impactAt({0, 0.1, 0}, {0, -1, 0}, 10))};
}

EngineCase cvdCase() {
  CvdOptions options;
  options.pieces = 8;
  options.shape.cells = 10;
  return {"cvd", engineOf<CvdEngine>(options), bar, loadOf(impactAt({0.2, 0.1, 0}, {0, -1, 0}, 10))};
}

EngineCase modesCase() {
  ModesEngineOptions options;
  options.modes.modes = 4;
  options.modes.elements = 1200;
  options.modes.starts = 2;
  return {"modes", engineOf<ModesEngine>(options), bar, loadOf(impactAt({-0.45, 0.1, 0}, {0, -1, 0}, 1e5))};
}

EngineCase crackCase() {
  CrackEngineOptions options;
  options.material.elastic = {3.1e9, 0.3, 1200};
  options.material.strength = 1e6;
  options.material.toughness = 5e4;
  options.triangles = 300;
  options.ratio = 5;
  options.cracks = 1;
  LoadCase load;
  load.impacts = {impactAt({-0.45, -0.1, 0}, {0, 1, 0}, 12), impactAt({0.45, -0.1, 0}, {0, 1, 0}, 12),
                  impactAt({0, 0.1, 0}, {0, -1, 0}, 24)};
  for (Impact& impact : load.impacts) impact.speed = 1;
  return {"crack", engineOf<CrackEngine>(options), bar, load};
}

EngineCase impactCase() {
  ImpactEngineOptions options;
  options.body.elements = 2500;
  options.body.modes = 40;
  options.flaws.count = 500;
  LoadCase load;
  load.impacts = {impactAt({-0.02, 0.02, 0.01}, {0, -1, 0}, 25)};
  load.impacts[0].striker.mass = 0.5;
  load.impacts[0].striker.radius = 0.02;
  return {"impact", engineOf<ImpactEngine>(options), plate, load};
}

EngineCase glueCase() {
  return {"glue", engineOf<GlueEngine>(GlueOptions{100, 0.5}), gluedCubes,
          loadOf(impactAt({1.5, 1, 0.5}, {0, -1, 0}, 150))};
}

/// A case with its engine, solid and state, made once.
struct Ready {
  EngineCase given;
  std::unique_ptr<FractureEngine> engine;
  SolidPtr solid;
  EngineStatePtr state;

  FractureResult fracture(const LoadCase& load, int threads = 0) const {
    Context context;
    context.setThreads(threads);
    return engine->fracture(*solid, *state, load, context);
  }
};

class Engines : public testing::TestWithParam<EngineCase> {
 protected:
  static const Ready& ready() {
    static std::map<std::string, Ready> made;
    const EngineCase& given = GetParam();
    const auto known = made.find(given.id);
    if (known != made.end()) return known->second;
    Ready ready{given, given.make(), engine_checks::makeSolid(given.body()), nullptr};
    Context context;
    ready.state = ready.engine->prepare(ready.solid, context);
    return made.emplace(given.id, std::move(ready)).first->second;
  }
};

LoadCase scaled(LoadCase load, double factor) {
  for (Impact& impact : load.impacts) impact.impulse *= factor;
  return load;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// What every result promises, broken or not.
void expectKept(const FractureResult& result, const Solid& solid) {
  const FracturePieces& pieces = result.pieces;
  Context context;
  const Topology topology = analyseTopology(pieces.geometry, context);
  EXPECT_TRUE(topology.closed && topology.manifold && topology.oriented);
  EXPECT_NEAR(sum(pieces.volume) / solid.mass.volume, 1, 1e-6);
  Vec3 centre = Vec3::Zero();
  for (size_t p = 0; p < pieces.names.size(); ++p)
    centre += pieces.volume[p] / sum(pieces.volume) * pieces.centre[p];
  EXPECT_LT((centre - solid.mass.centre).norm(), 1e-6 * solid.geometry.bounds().diagonal());
  EXPECT_EQ(std::set<std::string>(pieces.names.begin(), pieces.names.end()).size(), pieces.names.size());
  EXPECT_EQ(result.states.size(), pieces.names.size());
  EXPECT_TRUE(pieces.geometry.findAttribute(Owner::Point, "depth"));
  EXPECT_GE(result.area, 0);
  if (result.energy) {
    EXPECT_GE(*result.energy, 0);
  }
  if (!result.held) {
    EXPECT_GT(result.area, 0);
    EXPECT_GT(pieces.names.size(), 1u);
    return;
  }
  EXPECT_EQ(pieces.names.size(), 1u);
  EXPECT_FALSE(result.held->reason.empty());
  if (result.held->factor) {
    EXPECT_GT(*result.held->factor, 1);
  }
}

TEST_P(Engines, BreakABodyIntoPiecesThatFillIt) {
  const Ready& r = ready();
  EXPECT_EQ(r.engine->id(), r.given.id);
  EXPECT_GT(r.state->bytes(), 0u);
  const FractureResult result = r.fracture(r.given.load);
  ASSERT_FALSE(result.held) << result.held->reason;
  expectKept(result, *r.solid);
}

TEST_P(Engines, SayWhyABodyHoldsAndNeverRuleOutOneThatBreaks) {
  const Ready& r = ready();
  for (const double factor : {0.0, 1e-6, 1e-2, 0.3, 1.0}) {
    const LoadCase load = scaled(r.given.load, factor);
    const FractureResult result = r.fracture(load);
    expectKept(result, *r.solid);
    if (!result.held) {
      EXPECT_TRUE(r.engine->mayBreak(*r.solid, *r.state, load)) << factor;
    }
  }
  const FractureResult idle = r.fracture({});
  expectKept(idle, *r.solid);
  if (!idle.held) {
    EXPECT_TRUE(r.engine->mayBreak(*r.solid, *r.state, {}));
  }
}

TEST_P(Engines, GiveEqualBytesOnAnyNumberOfThreadsAndInAnyOrder) {
  const Ready& r = ready();
  std::set<std::string> states;
  std::vector<MemoKey> results{engine_checks::bytesOfResult(r.fracture(r.given.load))};
  for (const int threads : {1, 3}) {
    Context context;
    context.setThreads(threads);
    const std::unique_ptr<FractureEngine> engine = r.given.make();
    const EngineStatePtr state = engine->prepare(r.solid, context);
    states.insert(engine->save(*state));
    results.push_back(
        engine_checks::bytesOfResult(engine->fracture(*r.solid, *state, r.given.load, context)));
  }
  EXPECT_EQ(states.size(), 1u);
  EXPECT_TRUE(results[0] == results[1] && results[0] == results[2]);
}

TEST_P(Engines, MayBeAskedFromSeveralThreads) {
  const Ready& r = ready();
  const MemoKey alone = engine_checks::bytesOfResult(r.fracture(r.given.load));
  std::vector<MemoKey> together(2, MemoKey("result"));
  std::vector<std::thread> threads;
  for (MemoKey& key : together)
    threads.emplace_back([&] { key = engine_checks::bytesOfResult(r.fracture(r.given.load, 1)); });
  for (std::thread& thread : threads) thread.join();
  for (const MemoKey& key : together) EXPECT_TRUE(key == alone);
}

TEST_P(Engines, StatesSurviveBytesAndOthersAreRefused) {
  const Ready& r = ready();
  Context context;
  const std::string bytes = r.engine->save(*r.state);
  const EngineStatePtr again = r.engine->load(r.solid, bytes, context);
  EXPECT_EQ(r.engine->save(*again), bytes);
  EXPECT_TRUE(engine_checks::bytesOfResult(r.fracture(r.given.load)) ==
              engine_checks::bytesOfResult(r.engine->fracture(*r.solid, *again, r.given.load, context)));
  engine_checks::expectRefused(*r.engine, r.solid, "");
  engine_checks::expectRefused(*r.engine, r.solid, bytes.substr(0, bytes.size() - 1));
  engine_checks::expectRefused(*r.engine, r.solid, ArchiveWriter("of nobody", 1).finish());
  engine_checks::expectRefused(*r.engine, engine_checks::makeSolid(shapes::sphere(8)), bytes);
}

TEST_P(Engines, PiecesBreakAgain) {
  const Ready& r = ready();
  const FractureResult first = r.fracture(r.given.load);
  Context context;
  // The two largest pieces, each hit somewhere on its surface, hard.
  std::vector<size_t> order(first.pieces.names.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return first.pieces.volume[a] > first.pieces.volume[b]; });
  order.resize(std::min<size_t>(order.size(), 2));
  for (const size_t p : order) {
    const SolidPtr piece =
        engine_checks::makeSolid(first.pieces.geometry.extract(primitivesOfPieces(first.pieces)[p]));
    EXPECT_NEAR(piece->mass.volume, first.pieces.volume[p], 1e-9);
    const EngineStatePtr state = first.states[p] ? first.states[p] : r.engine->prepare(piece, context);
    LoadCase load = r.given.load;
    load.impacts.resize(1);
    load.impacts[0].position = piece->mesh.points[piece->mesh.triangles[0][0]];
    const FractureResult second = r.engine->fracture(*piece, *state, load, context);
    expectKept(second, *piece);
    if (!second.held) {
      EXPECT_TRUE(r.engine->mayBreak(*piece, *state, load));
    }
    // States of pieces are saved and loaded like others.
    EXPECT_EQ(r.engine->save(*r.engine->load(piece, r.engine->save(*state), context)),
              r.engine->save(*state));
  }
}

TEST_P(Engines, KeepToTheBudgetOfPieces) {
  const Ready& r = ready();
  for (const size_t most : {1u, 2u}) {
    LoadCase load = r.given.load;
    load.maxPieces = most;
    const FractureResult result = r.fracture(load);
    expectKept(result, *r.solid);
    EXPECT_LE(result.pieces.names.size(), most);
  }
}

TEST_P(Engines, RefuseImpactsOffTheSurfaceByName) {
  const Ready& r = ready();
  LoadCase load = r.given.load;
  load.impacts.back().position += 10 * r.solid->geometry.bounds().diagonal() * Vec3::UnitX();
  const std::string name = "impact " + std::to_string(load.impacts.size()) + " at (";
  try {
    r.fracture(load);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    EXPECT_EQ(std::string(e.what()).substr(0, name.size()), name);
    EXPECT_FALSE(e.remedy().empty());
  }
}

TEST_P(Engines, StopWhenTheyAreAskedTo) {
  const Ready& r = ready();
  Context context;
  context.cancel();
  for (const bool prepare : {true, false}) {
    try {
      if (prepare)
        r.given.make()->prepare(r.solid, context);
      else
        r.engine->fracture(*r.solid, *r.state, r.given.load, context);
      ADD_FAILURE() << (prepare ? "prepare" : "fracture") << " went on";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Cancelled) << e.what();
    }
  }
}

TEST_P(Engines, RefuseStatesOfOtherEngines) {
  struct Foreign : EngineState {
    size_t bytes() const override { return 1; }
  };
  const Ready& r = ready();
  Context context;
  EXPECT_THROW(r.engine->fracture(*r.solid, Foreign(), r.given.load, context), Error);
  EXPECT_THROW(r.engine->save(Foreign()), Error);
}

INSTANTIATE_TEST_SUITE_P(, Engines,
                         testing::Values(voronoiCase(), cvdCase(), modesCase(), crackCase(), impactCase(),
                                         glueCase()),
                         [](const auto& given) { return given.param.id; });

}  // namespace
}  // namespace hackle
