// The engine of fracture modes through the interface of engines alone.
#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/convex_parts.h>
#include <hackle/fracture/modes/modes_engine.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/meshing/shapes/shapes.h>

#include <set>

namespace hackle {
namespace {

ModesEngineOptions quick() {
  ModesEngineOptions options;
  options.modes.modes = 5;
  options.modes.elements = 1500;
  options.modes.starts = 3;
  return options;
}

SolidPtr solidFrom(const Geometry& geometry) {
  Context context;
  return std::make_shared<const Solid>(geometry, context);
}

/// A long bar with its engine and state.
struct Bar {
  std::unique_ptr<FractureEngine> engine = std::make_unique<ModesEngine>(quick());
  SolidPtr solid = solidFrom(shapes::box({-1, -0.15, -0.15}, {1, 0.15, 0.15}));
  EngineStatePtr state;
  Bar() {
    Context context;
    state = engine->prepare(solid, context);
  }
};

const Bar& bar() {
  static const Bar kBar;
  return kBar;
}

LoadCase hit(const Vec3& at, double impulse) {
  LoadCase load;
  Impact impact;
  impact.position = at;
  impact.impulse = impulse;
  load.impacts.push_back(impact);
  return load;
}

FractureResult fracture(const LoadCase& load, const EngineState& state = *bar().state,
                        const Solid& solid = *bar().solid) {
  Context context;
  return bar().engine->fracture(solid, state, load, context);
}

std::string bytesOf(const FracturePieces& pieces) {
  ArchiveWriter archive("test", 1);
  addGeometry(archive, "g.", pieces.geometry);
  archive.addTexts("names", pieces.names);
  archive.add("volumes", pieces.volume);
  archive.add("sources", pieces.primitiveSource);
  return archive.finish();
}

/// The pieces of a result as solids of their own.
std::vector<SolidPtr> solidsOf(const FracturePieces& pieces) {
  std::vector<SolidPtr> solids;
  for (size_t p = 0; p < pieces.names.size(); ++p) {
    std::vector<int32_t> faces;
    for (size_t f = 0; f < pieces.primitivePiece.size(); ++f)
      if (pieces.primitivePiece[f] == static_cast<int32_t>(p)) faces.push_back(static_cast<int32_t>(f));
    solids.push_back(solidFrom(pieces.geometry.extract(faces)));
  }
  return solids;
}

const std::vector<Vec3> kPlaces{{-0.9, 0.15, 0}, {0.1, 0.15, 0.05}, {0.35, -0.15, 0}, {1, 0, 0}};
constexpr double kHuge = 1e9;  // N s

/// A result with more than one piece and fewer than there can be.
FractureResult partlyBroken() {
  const size_t all = fracture(hit(kPlaces[0], kHuge)).pieces.names.size();
  EXPECT_GT(all, 3u);
  for (double impulse = 1e-3; impulse < kHuge; impulse *= 1.1) {
    FractureResult result = fracture(hit(kPlaces[0], impulse));
    if (result.pieces.names.size() > 1 && result.pieces.names.size() < all) return result;
  }
  ADD_FAILURE() << "all parts come apart at once";
  return {};
}

TEST(ModesEngine, LargerImpulsesNeverGiveFewerPiecesAndMayBreakKnows) {
  for (const Vec3& at : kPlaces) {
    size_t before = 1;
    for (double impulse = 1e-4; impulse < kHuge; impulse *= 2.5) {
      const FractureResult result = fracture(hit(at, impulse));
      EXPECT_GE(result.pieces.names.size(), before);
      before = result.pieces.names.size();
      EXPECT_EQ(before > 1, bar().engine->mayBreak(*bar().solid, *bar().state, hit(at, impulse)));
      EXPECT_EQ(before == 1, result.held.has_value());
      EXPECT_EQ(result.states.size(), before);
    }
    EXPECT_GT(before, 2u);
  }
}

TEST(ModesEngine, SaysExactlyByWhatFactorAnImpactFallsShort) {
  for (const Vec3& at : kPlaces)
    for (const double impulse : {1e-6, 1e-3, 0.5}) {
      const FractureResult weak = fracture(hit(at, impulse));
      ASSERT_TRUE(weak.held && weak.held->factor) << at;
      EXPECT_GT(*weak.held->factor, 1);
      EXPECT_TRUE(weak.held->by == HeldBy::Strength || weak.held->by == HeldBy::Toughness);
      EXPECT_FALSE(weak.held->reason.empty());
      const double enough = impulse * *weak.held->factor;
      EXPECT_TRUE(fracture(hit(at, enough * (1 - 1e-9))).held);
      EXPECT_FALSE(fracture(hit(at, enough * (1 + 1e-9))).held);
    }
}

TEST(ModesEngine, KeepsMassCentreAndTheLawsOfPieces) {
  const FractureResult result = fracture(hit(kPlaces[0], kHuge));
  const MassProperties& whole = bar().solid->mass;
  double volume = 0;
  Vec3 moment = Vec3::Zero();
  for (size_t p = 0; p < result.pieces.names.size(); ++p) {
    volume += result.pieces.volume[p];
    moment += result.pieces.volume[p] * result.pieces.centre[p];
  }
  EXPECT_NEAR(volume, whole.volume, 1e-9 * whole.volume);
  EXPECT_LT((moment / volume - whole.centre).norm(), 1e-9);
  Context context;
  const Value report = pieceReport(bar().solid->geometry, result.pieces, context);
  EXPECT_TRUE(report.find("closed")->asBool());
  EXPECT_TRUE(report.find("manifold")->asBool());
  EXPECT_TRUE(result.pieces.geometry.findAttribute(Owner::Point, "depth"));
}

TEST(ModesEngine, AreaAndEnergyFollowFromTheFaces) {
  const FractureResult result = fracture(hit(kPlaces[0], kHuge));
  double inside = 0;
  const Geometry& g = result.pieces.geometry;
  for (size_t f = 0; f < g.primitiveCount(); ++f) {
    if (result.pieces.primitiveSource[f] >= 0) continue;
    const Span<const int32_t> corners = g.corners(f);
    Vec3 area = Vec3::Zero();
    for (size_t k = 2; k < corners.size(); ++k)
      area += (g.position(corners[k - 1]) - g.position(corners[0]))
                  .cross(g.position(corners[k]) - g.position(corners[0]));
    inside += area.norm() / 2;
  }
  EXPECT_NEAR(result.area, inside / 2, 1e-6 * inside);
  const ModesBreaking glass;
  const double perArea =
      glass.toughness * glass.toughness * (1 - glass.poisson * glass.poisson) / glass.young;
  ASSERT_TRUE(result.energy);
  EXPECT_NEAR(*result.energy, perArea * result.area, 1e-12 * *result.energy);
  EXPECT_EQ(fracture(hit(kPlaces[0], 1e-6)).area, 0);
  // A threshold in m/s says nothing of energy.
  ModesEngineOptions options = quick();
  options.breaking.threshold = 0.01;
  Context context;
  const FractureResult other =
      ModesEngine(options).fracture(*bar().solid, *bar().state, hit(kPlaces[0], kHuge), context);
  EXPECT_GT(other.area, 0);
  EXPECT_FALSE(other.energy);
}

TEST(ModesEngine, GivesEqualBytesOnAnyNumberOfThreads) {
  std::set<std::string> states, pieces, pieceStates;
  for (const int threads : {1, 2, 7}) {
    Context context;
    context.setThreads(threads);
    const EngineStatePtr state = bar().engine->prepare(bar().solid, context);
    states.insert(bar().engine->save(*state));
    const FractureResult result = bar().engine->fracture(*bar().solid, *state, hit(kPlaces[1], 1e4), context);
    pieces.insert(bytesOf(result.pieces));
    pieceStates.insert(bar().engine->save(*result.states.front()));
  }
  EXPECT_EQ(states.size(), 1u);
  EXPECT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieceStates.size(), 1u);
}

TEST(ModesEngine, StatesComeBackFromTheirBytes) {
  Context context;
  const std::string bytes = bar().engine->save(*bar().state);
  const EngineStatePtr back = bar().engine->load(bar().solid, bytes, context);
  EXPECT_EQ(bar().engine->save(*back), bytes);
  EXPECT_EQ(back->bytes() > bytes.size() / 2, true);
  for (const double impulse : {1e-3, 10.0, 1e3, kHuge})
    EXPECT_EQ(bytesOf(fracture(hit(kPlaces[2], impulse), *back).pieces),
              bytesOf(fracture(hit(kPlaces[2], impulse)).pieces));
  // Those of pieces, too, for the piece and for no other solid.
  const FractureResult broken = partlyBroken();
  const std::vector<SolidPtr> solids = solidsOf(broken.pieces);
  for (size_t p = 0; p < solids.size(); ++p) {
    const std::string saved = bar().engine->save(*broken.states[p]);
    const EngineStatePtr piece = bar().engine->load(solids[p], saved, context);
    EXPECT_EQ(bar().engine->save(*piece), saved);
    const LoadCase load = hit(solids[p]->mesh.points[0], kHuge);
    EXPECT_EQ(bytesOf(fracture(load, *piece, *solids[p]).pieces),
              bytesOf(fracture(load, *broken.states[p], *solids[p]).pieces));
    EXPECT_THROW(bar().engine->load(solids[(p + 1) % solids.size()], saved, context), Error);
  }
}

TEST(ModesEngine, RefusesBytesThatAreNotTheirs) {
  Context context;
  const std::string bytes = bar().engine->save(*bar().state);
  const auto codeOf = [&](const SolidPtr& solid, const std::string& given) {
    try {
      bar().engine->load(solid, given, context);
    } catch (const Error& e) {
      EXPECT_FALSE(e.remedy().empty());
      return e.code();
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(codeOf(bar().solid, ""), ErrorCode::BadInput);
  EXPECT_EQ(codeOf(bar().solid, bytes.substr(0, bytes.size() - 1)), ErrorCode::BadInput);
  EXPECT_EQ(codeOf(bar().solid, ArchiveWriter("crack", 1).finish()), ErrorCode::BadInput);
  EXPECT_EQ(codeOf(solidFrom(shapes::box()), bytes), ErrorCode::BadInput);
  struct Foreign : EngineState {
    size_t bytes() const override { return 0; }
  };
  EXPECT_THROW(fracture(hit(kPlaces[0], 1), Foreign()), Error);
}

TEST(ModesEngine, PiecesBreakAgainIntoTheSameParts) {
  const FractureResult all = fracture(hit(kPlaces[0], kHuge)), first = partlyBroken();
  const std::vector<SolidPtr> solids = solidsOf(first.pieces);
  std::vector<double> expected = all.pieces.volume, found;
  size_t held = 0;
  for (size_t p = 0; p < solids.size(); ++p) {
    ASSERT_TRUE(first.states[p]);
    const FractureResult second =
        fracture(hit(solids[p]->mesh.points[0], kHuge), *first.states[p], *solids[p]);
    found.insert(found.end(), second.pieces.volume.begin(), second.pieces.volume.end());
    double volume = 0;
    for (const double v : second.pieces.volume) volume += v;
    EXPECT_NEAR(volume, first.pieces.volume[p], 1e-9);
    if (!second.held) continue;
    ++held;
    EXPECT_EQ(second.held->by, HeldBy::Resolution);
    EXPECT_FALSE(bar().engine->mayBreak(*solids[p], *first.states[p], hit(solids[p]->mesh.points[0], kHuge)));
  }
  EXPECT_LT(held, solids.size());
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9);
}

TEST(ModesEngine, PiecesOfAPieceKnowItsPolygons) {
  const FractureResult first = partlyBroken();
  const std::vector<SolidPtr> solids = solidsOf(first.pieces);
  for (size_t p = 0; p < solids.size(); ++p) {
    const FractureResult second =
        fracture(hit(solids[p]->mesh.points[0], kHuge), *first.states[p], *solids[p]);
    const Geometry& g = second.pieces.geometry;
    for (size_t f = 0; f < g.primitiveCount(); ++f) {
      const int32_t source = second.pieces.primitiveSource[f];
      if (source < 0) continue;
      const Span<const int32_t> mine = g.corners(f), theirs = solids[p]->geometry.corners(source);
      ASSERT_EQ(mine.size(), theirs.size());
      for (size_t k = 0; k < mine.size(); ++k)
        EXPECT_EQ(g.position(mine[k]), solids[p]->geometry.position(theirs[k]));
    }
  }
}

TEST(ModesEngine, ABudgetOfPiecesKeepsTheWeakestFaultsClosed) {
  const size_t all = fracture(hit(kPlaces[0], kHuge)).pieces.names.size();
  std::multiset<double> coarser;
  for (size_t most = 1; most <= all + 1; ++most) {
    LoadCase load = hit(kPlaces[0], kHuge);
    load.maxPieces = most;
    const FractureResult result = fracture(load);
    EXPECT_EQ(result.pieces.names.size(), std::min(most, all));
    EXPECT_EQ(bar().engine->mayBreak(*bar().solid, *bar().state, load), most > 1);
    // One more piece splits one of those before.
    size_t same = 0;
    for (const double v : result.pieces.volume) same += coarser.count(v) > 0;
    if (most > 1 && most <= all) {
      EXPECT_EQ(same, most - 2);
    } else if (most == 1) {
      EXPECT_EQ(result.held->by, HeldBy::Limit);
    }
    coarser = {result.pieces.volume.begin(), result.pieces.volume.end()};
  }
}

TEST(ModesEngine, OnlyImpactsActAndTheyMustBeOnTheSurface) {
  LoadCase steady;
  steady.steady.push_back({{1, 0, 0}, {0, -1e9, 0}});
  steady.spin = Vec3(0, 0, 1e3);
  EXPECT_FALSE(bar().engine->mayBreak(*bar().solid, *bar().state, steady));
  const FractureResult result = fracture(steady);
  ASSERT_TRUE(result.held);
  EXPECT_EQ(result.held->by, HeldBy::NoLoad);
  EXPECT_EQ(result.pieces.names.size(), 1u);
  try {
    fracture(hit({3, 0, 0}, 1));
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_EQ(std::string(e.what()).substr(0, 21), "impact 1 at (3, 0, 0)");
  }
}

TEST(ModesEngine, TakesModesThatWereFoundBefore) {
  Context context;
  ModesEngineOptions options = quick();
  options.found = readModesState(bar().engine->save(*bar().state), context);
  const ModesEngine engine(options);
  EXPECT_EQ(engine.prepare(bar().solid, context), options.found);
  EXPECT_THROW(engine.prepare(solidFrom(shapes::box()), context), Error);
}

/// A dumbbell that lands on both balls at once: single modes cut one neck or one ball, all together are
/// symmetric.
TEST(ModesEngine, ASymmetricBlowBreaksASymmetricSolidIntoMirrorImages) {
  Context context;
  ShapeOptions shape;
  shape.shape = ShapeKind::Dumbbell;
  shape.size = 0.4;
  shape.resolution = 16;
  shape.centre = true;
  const SolidPtr solid = std::make_shared<const Solid>(makeShape(shape, context), context);
  ModesEngineOptions options = quick();
  options.modes.elements = 3000;
  const ModesEngine engine(options);
  const EngineStatePtr state = engine.prepare(solid, context);
  size_t most = 0;
  for (const double impulse : {60, 120}) {
    LoadCase load;
    for (const double x : {-0.12, 0.12}) {
      Impact up = hit(solid->bvh.closestPoint({x, -1, 0}).point, impulse).impacts[0];
      up.direction = {0, 1, 0};
      load.impacts.push_back(up);
    }
    const FracturePieces pieces = engine.fracture(*solid, *state, load, context).pieces;
    most = std::max(most, pieces.names.size());
    double worst = 0;  // of the best partner of each piece
    for (size_t a = 0; a < pieces.names.size(); ++a) {
      double best = 1e30;
      for (size_t b = 0; b < pieces.names.size(); ++b)
        best = std::min(best, std::abs(pieces.volume[a] - pieces.volume[b]) / solid->mass.volume +
                                  std::abs(pieces.centre[a].x() + pieces.centre[b].x()) / *shape.size);
      worst = std::max(worst, best);
    }
    EXPECT_LT(worst, 0.02) << impulse;
  }
  EXPECT_GE(most, 3u);
}

TEST(ModesEngine, PiecesComeWithConvexPartsThatFillThem) {
  Context context;
  const FractureResult result = fracture(hit({1, 0, 0}, 1e4));
  ASSERT_FALSE(result.held);
  ASSERT_EQ(result.hulls.size(), result.pieces.names.size());
  for (size_t i = 0; i < result.hulls.size(); ++i) {
    const double volume = result.pieces.volume[i];
    const ConvexParts joined = joinedHulls(result.hulls[i], volume, {});
    ASSERT_FALSE(joined.hulls.empty());
    EXPECT_GT(joined.excess, -0.05) << i;
    EXPECT_LT(joined.excess, 0.1) << i;
  }
  // They are in the bytes of a state, also in those of a piece.
  for (const EngineStatePtr& state : {bar().state, result.states[0]}) {
    const ModesStatePtr again = readModesState(bar().engine->save(*state), context);
    EXPECT_EQ(again->cache.hulls, modesOf(*state).cache.hulls);
    EXPECT_EQ(again->cache.hulls.size(), again->cache.masses.size());
  }
}

}  // namespace
}  // namespace hackle
