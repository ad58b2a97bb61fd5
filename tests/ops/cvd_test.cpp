// The operator cvd: laws of what it makes of impacts, and what it says to bad input.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>
#include <shapes.h>

#include <chrono>
#include <map>

namespace hackle {
namespace {

Value impact(const Vec3& at, const Vec3& direction, double impulse) {
  return Value::List{
      Value::Map{{"at", Value::numbers(at)}, {"dir", Value::numbers(direction)}, {"impulse", impulse}}};
}

/// A blow on the top of a box of 1 x 1 x 1 m.
const Value kBlow = impact({0.3, 1, 0.4}, {0, -1, 0}, 1000);

Run cvd(std::vector<Item> inputs, Value::Map parameters, int threads = 0) {
  Context context;
  context.setThreads(threads);
  if (!Value(parameters).find("cells")) parameters.emplace_back("cells", 8);
  return runOperator(findOperator("cvd"), Inputs(std::move(inputs)), parameters, context);
}

double number(const Run& run, const char* name) { return run.outputs.result.find(name)->asNumber(); }

void expectSound(const Run& run) {
  EXPECT_TRUE(run.outputs.result.find("closed")->asBool());
  EXPECT_TRUE(run.outputs.result.find("manifold")->asBool());
  EXPECT_LE(number(run, "volume_error"), 1e-9);
  run.outputs.geometry().checkInvariants();
}

/// To the last bit, or as near as `tolerance`.
bool sameGeometry(const Run& a, const Run& b, double tolerance = 0) {
  const Geometry &g = a.outputs.geometry(), &h = b.outputs.geometry();
  if (g.pointCount() != h.pointCount() || g.primitiveCount() != h.primitiveCount()) return false;
  for (size_t p = 0; p < g.pointCount(); ++p)
    if (!((g.position(p) - h.position(p)).norm() <= tolerance)) return false;
  return true;
}

TEST(Cvd, BreaksWhereItIsHit) {
  const auto run = cvd({shapes::box()}, {{"impact", kBlow}, {"pieces", 40}, {"cells", 12}});
  expectSound(run);
  EXPECT_GE(number(run, "pieces"), 36);
  EXPECT_EQ(number(run, "sites"), 40);
  EXPECT_GT(number(run, "strain_energy"), 0);
  // More corners of pieces in the upper half than in the lower one.
  size_t upper = 0, lower = 0;
  const Geometry& pieces = run.outputs.geometry();
  for (size_t p = 0; p < pieces.pointCount(); ++p) ++(pieces.position(p).y() > 0.5 ? upper : lower);
  EXPECT_GT(upper, 2 * lower);
}

TEST(Cvd, IsTheSameOnAnyNumberOfThreads) {
  const Value::Map parameters{{"impact", kBlow}, {"pieces", 15}};
  EXPECT_TRUE(sameGeometry(cvd({shapes::sphere(12)}, {{"impact", impact({0, 1, 0}, {0, -1, 0}, 10)}}, 1),
                           cvd({shapes::sphere(12)}, {{"impact", impact({0, 1, 0}, {0, -1, 0}, 10)}}, 4)));
  EXPECT_TRUE(sameGeometry(cvd({shapes::box()}, parameters, 1), cvd({shapes::box()}, parameters, 3)));
}

// Energy goes with the square of the load, so twice the impulse never breaks into fewer pieces.
TEST(Cvd, PiecesRiseWithTheBlowAndFallsWithTheThreshold) {
  const auto sites = [&](double impulse, double gamma) {
    return number(cvd({shapes::box()}, {{"impact", impact({0.3, 1, 0.4}, {0, -1, 0}, impulse)},
                                        {"pieces_by", "threshold"},
                                        {"gamma", gamma},
                                        {"cells", 6}}),
                  "sites");
  };
  const double whole = number(
      cvd({shapes::box()}, {{"impact", kBlow}, {"pieces_by", "threshold"}, {"gamma", 1e9}, {"cells", 6}}),
      "energy_whole");
  double before = 1;
  for (const double impulse : {300.0, 1000.0, 2000.0, 4000.0}) {
    const double now = sites(impulse, 0.3 * whole);
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GT(before, 3);
  before = 1e9;
  for (const double share : {0.05, 0.2, 0.5, 2.0}) {
    const double now = sites(1000, share * whole);
    EXPECT_LE(now, before);
    before = now;
  }
  EXPECT_EQ(before, 1);
}

TEST(Cvd, GranularityZeroIgnoresTheLoad) {
  const auto with = [&](const Vec3& at, const Vec3& direction, double alpha) {
    return cvd({shapes::box()},
               {{"impact", impact(at, direction, 100)}, {"granularity", alpha}, {"pieces", 9}});
  };
  EXPECT_TRUE(sameGeometry(with({0.3, 1, 0.4}, {0, -1, 0}, 0), with({1, 0.5, 0.5}, {-1, 0, 0}, 0), 1e-9));
  EXPECT_FALSE(sameGeometry(with({0.3, 1, 0.4}, {0, -1, 0}, 1), with({1, 0.5, 0.5}, {-1, 0, 0}, 1)));
  // It needs none, either.
  expectSound(cvd({shapes::box()}, {{"granularity", 0}, {"pieces", 9}}));
}

TEST(Cvd, PaintedFragilityDrawsPieces) {
  Geometry solid = shapes::torus(32, 16);
  Attribute& paint = solid.addAttribute(Owner::Point, Attribute("weak", Storage::Float32, 1));
  for (size_t p = 0; p < solid.pointCount(); ++p)
    paint.setNumber(p, 0, solid.position(p).x() > 0 ? 20 : 0.05);
  const auto run = cvd({solid}, {{"granularity", 0}, {"pieces", 20}, {"fragility", "weak"}, {"cells", 14}});
  expectSound(run);
  size_t right = 0, left = 0;
  for (size_t p = 0; p < run.outputs.geometry().pointCount(); ++p)
    ++(run.outputs.geometry().position(p).x() > 0 ? right : left);
  EXPECT_GT(right, left);
  EXPECT_THROW(cvd({solid}, {{"granularity", 0}, {"fragility", "strong"}}), Error);
}

TEST(Cvd, EveryMetricGivesSoundPieces) {
  for (const char* metric : {"interior", "diffusion", "surface", "euclidean"}) {
    SCOPED_TRACE(metric);
    const auto run = cvd({shapes::torus(20, 10)}, {{"impact", impact({1.25, 0, 0}, {-1, 0, 0}, 100)},
                                                   {"metric", metric},
                                                   {"pieces", 12},
                                                   {"cells", 12}});
    expectSound(run);
    EXPECT_GE(number(run, "pieces"), 11);
  }
}

// Stretch along x: pieces are longer there. Waves leave them sound.
TEST(Cvd, ShapesPieces) {
  const auto extent = [&](const Value::Map& shape) {
    Value::Map parameters{{"granularity", 0}, {"pieces", 24}, {"cells", 12}};
    parameters.insert(parameters.end(), shape.begin(), shape.end());
    const auto run = cvd({shapes::box()}, parameters);
    expectSound(run);
    const Geometry& g = run.outputs.geometry();
    const Attribute& name = *g.findAttribute(Owner::Primitive, "name");
    std::map<std::string, Box3> boxes;
    for (size_t f = 0; f < g.primitiveCount(); ++f)
      for (const int32_t p : g.corners(f)) boxes[name.string(f)].add(g.position(static_cast<size_t>(p)));
    Vec3 sum = Vec3::Zero();
    for (const auto& [piece, box] : boxes) sum += box.size();
    return Vec3(sum / static_cast<double>(boxes.size()));
  };
  const Vec3 round = extent({}), longer = extent({{"stretch", Value::List{4, 1, 1}}});
  EXPECT_GT(longer.x() / longer.y(), 1.7 * round.x() / round.y());
  extent({{"stretch", Value::List{1, 6, 1}}, {"wave_amount", 0.1}, {"wave_length", 0.5}});
}

TEST(Cvd, TakesVolumesAndPoints) {
  std::vector<float> values(8 * 8 * 8);
  for (size_t k = 0; k < values.size(); ++k) values[k] = k % 8 < 4 ? 5.0f : 0.01f;  // x below one half
  GridTransform transform;
  transform.linear = Mat3::Identity() / 7.0;
  Geometry volume;
  volume.addVolume(makeFloatGrid("energy", {8, 8, 8}, values, 0.0f, transform));
  const auto byEnergy = cvd({shapes::box(), {}, {}, {}, volume}, {{"pieces", 12}});
  expectSound(byEnergy);
  expectSound(cvd({shapes::box(), {}, volume}, {{"pieces", 12}, {"impact", kBlow}}));
  expectSound(cvd({shapes::box(), {}, {}, volume}, {{"pieces", 6}, {"granularity", 0}}));

  Geometry points;
  points.addPoint({0.3, 1, 0.4});
  Attribute& dir = points.addAttribute(Owner::Point, Attribute("dir", Storage::Float32, 3));
  dir.setNumber(0, 1, -1.0);
  points.addAttribute(Owner::Point, Attribute("impulse", Storage::Float32, 1)).setNumber(0, 0, 1000.0);
  EXPECT_TRUE(sameGeometry(cvd({shapes::box(), points}, {{"pieces", 8}}),
                           cvd({shapes::box()}, {{"pieces", 8}, {"impact", kBlow}})));
}

std::string complaint(std::vector<Item> inputs, const Value::Map& parameters) {
  try {
    cvd(std::move(inputs), parameters);
  } catch (const Error& e) {
    EXPECT_TRUE(e.code() == ErrorCode::BadInput || e.code() == ErrorCode::Usage) << e.what();
    EXPECT_FALSE(e.remedy().empty() && e.code() == ErrorCode::BadInput) << e.what();
    return e.what();
  }
  return "none";
}

TEST(Cvd, NamesWhatIsWrong) {
  EXPECT_EQ(complaint({shapes::box()}, {}), "there is no impact");
  EXPECT_NE(complaint({shapes::box()}, {{"impact", impact({0, 9, 0}, {0, -1, 0}, 1)}}).find("impact 1 at"),
            std::string::npos);
  EXPECT_NE(complaint({shapes::box()}, {{"impact", impact({0, 1, 0}, {0, 0, 0}, 1)}}).find("no direction"),
            std::string::npos);
  EXPECT_NE(
      complaint({shapes::box()}, {{"pieces_by", "threshold"}, {"gamma", 0}, {"impact", kBlow}}).find("gamma"),
      std::string::npos);
  EXPECT_NE(complaint({shapes::box()}, {{"fragility", "no_such"}, {"impact", kBlow}}).find("no_such"),
            std::string::npos);
  EXPECT_NE(complaint({shapes::box()}, {{"warp", "no_such"}, {"impact", kBlow}}).find("no_such"),
            std::string::npos);
  EXPECT_NE(complaint({shapes::box(), {}, shapes::box()}, {{"impact", kBlow}}).find("no VDB"),
            std::string::npos);
  Geometry open;
  open.addPoints(3);
  open.editPositions() = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  open.addPolygon({0, 1, 2});
  EXPECT_NE(complaint({open}, {{"impact", kBlow}}), "none");
  EXPECT_NE(complaint({Geometry()}, {{"impact", kBlow}}), "none");
  // Two boxes that touch along a part of a face are broken or refused by name.
  Geometry touching = shapes::box();
  touching.append(shapes::box({1, 0.25, 0}, {2, 1.25, 1}));
  const std::string touch = complaint({touching}, {{"granularity", 0}, {"pieces", 30}, {"cells", 12}});
  EXPECT_TRUE(touch == "none" || touch.find("lie on each other") != std::string::npos) << touch;
  // No blow, no strain: whole, with a warning.
  Context context;
  const auto whole = runOperator(
      findOperator("cvd"), Inputs({shapes::box()}),
      {{"impact", impact({0, 1, 0}, {0, -1, 0}, 0)}, {"pieces_by", "threshold"}, {"cells", 8}}, context);
  EXPECT_EQ(number(whole, "pieces"), 1);
  EXPECT_FALSE(context.warnings().empty());
}

TEST(Cvd, SaysWhichCellsAndWhichThresholdWouldDo) {
  Context coarse;
  runOperator(findOperator("cvd"), Inputs({shapes::box()}),
              {{"granularity", 0}, {"pieces", 100}, {"cells", 8}}, coarse);
  ASSERT_EQ(coarse.warnings().size(), 1u);
  EXPECT_NE(coarse.warnings()[0].find("raise cells (now 8) to about"), std::string::npos)
      << coarse.warnings()[0];
  // The threshold that is suggested for 30 pieces gives about 30.
  Context held;
  Value::Map parameters{{"impact", kBlow}, {"cells", 16}, {"pieces_by", "threshold"}, {"gamma", 1e9}};
  runOperator(findOperator("cvd"), Inputs({shapes::box()}), parameters, held);
  ASSERT_EQ(held.warnings().size(), 1u);
  const std::string text = held.warnings()[0];
  const size_t at = text.find("and gamma ");
  ASSERT_NE(at, std::string::npos) << text;
  parameters.back().second = std::stod(text.substr(at + 10));
  Context again;
  EXPECT_NEAR(number(runOperator(findOperator("cvd"), Inputs({shapes::box()}), parameters, again), "sites"),
              30, 6);
}

TEST(Cvd, SizeDoesNotMatter) {
  for (const double size : {1e-6, 1e6}) {
    SCOPED_TRACE(size);
    const auto run = cvd({shapes::box({0, 0, 0}, Vec3::Constant(size))},
                         {{"impact", impact({0.3 * size, size, 0.4 * size}, {0, -1, 0}, 1)}, {"pieces", 10}});
    expectSound(run);
    EXPECT_GE(number(run, "pieces"), 9);
  }
}

// Asked to stop at many moments, it does so soon.
TEST(Cvd, StopsWhenAsked) {
  using Clock = std::chrono::steady_clock;
  for (const int after : {1, 20, 80, 200}) {
    SCOPED_TRACE(after);
    Context context;
    const auto start = Clock::now();
    const auto limit = start + std::chrono::milliseconds(after);
    context.setCancelPoll([limit] { return Clock::now() > limit; });
    try {
      runOperator(findOperator("cvd"), Inputs({shapes::torus(200, 100)}),
                  {{"impact", impact({1.25, 0, 0}, {-1, 0, 0}, 100)}, {"cells", 40}, {"pieces", 200}},
                  context);
      FAIL() << "went through";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Cancelled);
    }
    // Other tests may run beside this one: ten times the rule's 0.1 s.
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - limit).count(), 1.0);
  }
}

}  // namespace
}  // namespace hackle
