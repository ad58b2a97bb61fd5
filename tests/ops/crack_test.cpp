// The operator crack: pieces that add up, cracks where they are due, and what it refuses.
#include "run_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/io/file.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>
#include <shapes.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

namespace hackle {
namespace {

Value::Map record(std::initializer_list<std::pair<std::string, Value>> fields) {
  Value::Map map;
  for (const auto& f : fields) map.emplace_back(f.first, f.second);
  return map;
}
Value::List vec(double x, double y, double z) { return {x, y, z}; }

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hackle_crack_XXXXXX").string();
    mPath = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(mPath); }
  const std::filesystem::path& path() const { return mPath; }

 private:
  std::filesystem::path mPath;
};

/// A cube of edge 1 on the ground, with groups for its sides.
Geometry block(int resolution) {
  Context context;
  return runOperator(findOperator("model"), Inputs(), {{"shape", "box"}, {"resolution", resolution}}, context)
      .outputs.geometry();
}

Value::List pulled(double traction) {
  return {record({{"kind", "traction"}, {"traction", vec(0, traction, 0)}, {"group", "top"}}),
          record({{"group", "bottom"}, {"axes", "xyz"}})};
}

/// A disc across the pull.
Value::List disc(double radius = 0.2) {
  return {record({{"at", vec(0, 0.5, 0)}, {"normal", vec(0, 1, 0)}, {"radius", radius}})};
}

Outputs crack(std::vector<Item> inputs, Value::List conditions, Value::Map more, Context& context) {
  more.emplace_back("condition", std::move(conditions));
  const auto given = [&](const std::string& name) {
    return std::any_of(more.begin(), more.end(), [&](const auto& p) { return p.first == name; });
  };
  if (!given("triangles")) more.emplace_back("triangles", 200);
  // Rising loads have tests of their own.
  if (!given("loading")) more.emplace_back("loading", "sudden");
  if (!given("steps")) more.emplace_back("steps", 20);
  return runOperator(findOperator("crack"), Inputs(std::move(inputs)), more, context).outputs;
}
Outputs crack(std::vector<Item> inputs, Value::List conditions, Value::Map more = {}) {
  Context context;
  return crack(std::move(inputs), std::move(conditions), std::move(more), context);
}

TEST(CrackOperator, ADiscAcrossTheTensionHalvesABlock) {
  const Outputs outputs = crack({block(4)}, pulled(4e6), {{"initial", disc()}, {"cracks", 0}, {"ratio", 8}});
  EXPECT_EQ(number(outputs, "pieces"), 2);
  EXPECT_TRUE(outputs.result.find("closed")->asBool());
  EXPECT_LT(number(outputs, "volume_error"), 1e-9);
  const Geometry& pieces = outputs.geometry(0);
  const Group& inside = *pieces.findGroup(Owner::Primitive, "inside");
  const Attribute* crackOf = pieces.findAttribute(Owner::Primitive, "crack");
  const Attribute* time = pieces.findAttribute(Owner::Point, "crack_time");
  ASSERT_TRUE(crackOf && time);
  double latest = 0;
  for (size_t f = 0; f < pieces.primitiveCount(); ++f) {
    EXPECT_EQ(crackOf->number(f), inside.bits[f] ? 0 : -1);
    if (!inside.bits[f]) continue;
    for (const int32_t p : pieces.corners(f)) {
      EXPECT_NEAR(pieces.position(static_cast<size_t>(p)).y(), 0.5, 0.05);
      latest = std::max(latest, time->number(static_cast<size_t>(p)));
    }
  }
  EXPECT_GT(latest, 0);
  EXPECT_LE(latest, number(outputs, "crack_seconds"));
  EXPECT_GT(outputs.geometry(3).primitiveCount(), 100u);  // the sheet
}

TEST(CrackOperator, PiecesBreakAgain) {
  // Inside faces of pieces may have triangles without area.
  const Value::Map rough{{"initial", disc()},
                         {"cracks", 0},
                         {"ratio", 12},
                         {"toughness_pattern", "grains"},
                         {"toughness_size", 0.1}};
  const Outputs first = crack({block(4)}, pulled(6e6), rough);
  ASSERT_EQ(number(first, "pieces"), 2);
  const Value::List sideways = {
      record({{"kind", "traction"}, {"traction", vec(9e6, 0, 0)}, {"group", "right"}}),
      record({{"group", "left"}})};
  const Value::List across = {record({{"at", vec(0, 0.25, 0)}, {"normal", vec(1, 0, 0)}, {"radius", 0.1}}),
                              record({{"at", vec(0, 0.75, 0)}, {"normal", vec(1, 0, 0)}, {"radius", 0.1}})};
  const Outputs second =
      crack({first.geometry(0)}, sideways, {{"initial", across}, {"cracks", 0}, {"ratio", 8}});
  EXPECT_EQ(number(second, "bodies"), 2);
  EXPECT_EQ(number(second, "pieces"), 4);
  EXPECT_TRUE(second.result.find("closed")->asBool());
  EXPECT_LT(number(second, "volume_error"), 1e-9);
}

TEST(CrackOperator, BodiesThatTouchAtAPointAreTwo) {
  Geometry apart = shapes::box(Vec3::Zero(), Vec3::Ones()), touching;
  apart.append(shapes::box(Vec3::Ones(), Vec3::Constant(2)));
  std::vector<int32_t> point(apart.pointCount());
  for (size_t p = 0; p < point.size(); ++p) {
    point[p] = -1;
    for (size_t q = 0; q < p; ++q)
      if (apart.position(q) == apart.position(p)) point[p] = point[q];
    if (point[p] < 0) point[p] = static_cast<int32_t>(touching.addPoint(apart.position(p)));
  }
  for (size_t f = 0; f < apart.primitiveCount(); ++f) {
    std::vector<int32_t> corners;
    for (const int32_t p : apart.corners(f)) corners.push_back(point[p]);
    touching.addPrimitives(PrimitiveType::Polygon, 1, static_cast<int>(corners.size()), corners);
  }
  ASSERT_EQ(touching.pointCount(), 15u);
  const Outputs outputs = crack(
      {touching}, {record({{"kind", "traction"}, {"traction", vec(0, 1e5, 0)}, {"low", vec(-9, 1.999, -9)}}),
                   record({{"high", vec(9, 1.001, 9)}, {"low", vec(1.001, -9, -9)}})});
  EXPECT_EQ(number(outputs, "bodies"), 2);
  EXPECT_EQ(number(outputs, "pieces"), 2);
}

TEST(CrackOperator, NothingBreaksBelowTheToughnessAndTheStrength) {
  Context context;
  const Outputs outputs = crack({block(4)}, pulled(1e5), {{"initial", disc()}, {"ratio", 8}}, context);
  EXPECT_EQ(number(outputs, "pieces"), 1);
  EXPECT_LT(number(outputs, "volume_error"), 1e-9);
  ASSERT_EQ(context.warnings().size(), 1u);
}

TEST(CrackOperator, ThinWallsBreakAtTheDefaultResolution) {
  // A pane a fiftieth as thick as it is wide, whose triangles are several times longer than it is thick.
  const Geometry pane = shapes::box(Vec3(-0.5, 0, -0.01), Vec3(0.5, 1, 0.01));
  const Value::List held = {
      record({{"high", vec(9, 0.05, 9)}}),
      record({{"kind", "traction"}, {"traction", vec(0, 1e8, 0)}, {"low", vec(-9, 0.95, -9)}})};
  const Outputs outputs = crack({pane}, held, {{"cracks", 1}, {"steps", 60}});
  EXPECT_LE(number(outputs, "coarse"), 0.0401);
  EXPECT_GE(number(outputs, "pieces"), 2);
  // Where none fits, that is said, and not that more load is needed.
  Context context;
  crack({pane}, held, {{"coarse", 0.5}, {"ratio", 4}}, context);
  ASSERT_FALSE(context.warnings().empty());
  for (const std::string& warning : context.warnings())
    EXPECT_EQ(warning.find("would start"), std::string::npos);
}

TEST(CrackOperator, PartsThatAreTooSmallAreNamedAsTheReason) {
  Context context;
  const Outputs outputs =
      crack({block(4)}, pulled(4e6), {{"initial", disc()}, {"cracks", 0}, {"ratio", 8}, {"smallest", 100}},
            context);
  EXPECT_EQ(number(outputs, "pieces"), 1);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_NE(context.warnings()[0].find("one part too small to be a piece; lower smallest"), std::string::npos)
      << context.warnings()[0];
}

/// Mean height of the inside faces' corners whose distance from the block's axis is between two bounds.
double insideHeight(const Geometry& pieces, double from, double to) {
  const Group& inside = *pieces.findGroup(Owner::Primitive, "inside");
  double sum = 0, count = 0;
  for (size_t f = 0; f < pieces.primitiveCount(); ++f)
    for (const int32_t p : pieces.corners(f)) {
      const Vec3& at = pieces.position(static_cast<size_t>(p));
      const double radius = std::hypot(at.x(), at.z());
      if (!inside.bits[f] || radius < from || radius > to) continue;
      sum += at.y();
      ++count;
    }
  return sum / count;
}

TEST(CrackOperator, CracksTurnToWhereToughnessIsLow) {
  // Layers across y that are weakest at 0.5 + 0.1: the crack starts at 0.5 and climbs towards 0.6.
  const Outputs outputs = crack({block(4)}, pulled(8e6),
                                {{"initial", disc(0.1)},
                                 {"cracks", 0},
                                 {"ratio", 8},
                                 {"toughness_pattern", "layers"},
                                 {"toughness_amount", 2},
                                 {"toughness_size", 0.6}});
  EXPECT_NEAR(insideHeight(outputs.geometry(0), 0.0, 0.08), 0.5, 0.02);
  EXPECT_GT(insideHeight(outputs.geometry(0), 0.4, 0.7), 0.55);
}

TEST(CrackOperator, AVdbCanHoldTheToughness) {
  GridTransform transform;
  transform.linear *= 0.5;
  // Tougher than what the load can break, everywhere: the background counts too.
  const std::vector<float> values(27, 1e8f);
  Geometry fields;
  fields.addVolume(makeFloatGrid("toughness", {3, 3, 3}, values, 1e8f, transform));
  const Value::Map held{
      {"initial", disc()}, {"cracks", 0}, {"ratio", 8}, {"toughness_pattern", "vdb_values"}};
  const std::vector<Item> inputs{block(4), Item(), Item(), Item(), Item(), fields};
  EXPECT_EQ(number(crack(inputs, pulled(4e6), held), "pieces"), 1);
  const std::string missing = refusal([&] { crack({block(4)}, pulled(4e6), held); });
  EXPECT_NE(missing.find("VDB toughness"), std::string::npos) << missing;
}

/// Positions of the cut, which tell two runs apart.
std::vector<Vec3> cutOf(const Outputs& outputs) {
  const Span<const Vec3> points = outputs.geometry(0).positions();
  return {points.begin(), points.end()};
}

const Value::Map kSplit{{"initial", disc()}, {"cracks", 0}, {"ratio", 6}};

Value::Map with(Value::Map map, std::initializer_list<std::pair<std::string, Value>> more) {
  for (const auto& [name, value] : more) map.emplace_back(name, value);
  return map;
}

TEST(CrackOperator, AStoppedRunGoesOnToTheSameResult) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "run.crack").string();
  const Outputs whole = crack({block(4)}, pulled(4e6), kSplit);
  const size_t steps = whole.result.find("steps")->asList().size();
  ASSERT_GT(steps, 2u);
  crack({block(4)}, pulled(4e6), with(kSplit, {{"state", file}, {"steps", 1}}));
  const Outputs resumed = crack({block(4)}, pulled(4e6), with(kSplit, {{"state", file}, {"resume", true}}));
  EXPECT_EQ(number(resumed, "steps_before"), 1);
  EXPECT_EQ(resumed.result.find("steps")->asList().size(), steps);
  EXPECT_EQ(cutOf(resumed), cutOf(whole));
  // Another solid is not the one of the state.
  const std::string other = refusal([&] {
    crack({block(6)}, pulled(4e6), with(kSplit, {{"state", file}, {"resume", true}}));
  });
  EXPECT_FALSE(other.empty());
  EXPECT_NE(refusal([] {
              crack({block(4)}, pulled(4e6), with(kSplit, {{"resume", true}}));
            }).find("state"),
            std::string::npos);
}

std::string bytesOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CrackOperator, EqualRunsHaveEqualStates) {
  const TemporaryFolder folder;
  std::vector<std::string> states;
  for (const int threads : {1, 2, 3}) {
    const std::string file = (folder.path() / "run.crack").string();
    Context context;
    context.setThreads(threads);
    crack({block(4)}, pulled(4e6), with(kSplit, {{"state", file}}), context);
    states.push_back(bytesOf(file));
  }
  ASSERT_GT(states[0].size(), 1000u);
  EXPECT_TRUE(states[1] == states[0] && states[2] == states[0]);
}

TEST(CrackOperator, ARunThatStopsBetweenFramesLosesNone) {
  const TemporaryFolder folder;
  const auto name = [&](const char* text) { return (folder.path() / text).string(); };
  const Value::Map options = with(kSplit, {{"state", name("run.crack")},
                                           {"resume", true},
                                           {"sequence", name("s.##.bgeo")},
                                           {"sequence_by", "sub_step"}});
  // In the middle of the second step's frames, by a folder where one should go.
  std::filesystem::create_directory(name("s.09.bgeo"));
  EXPECT_THROW(crack({block(4)}, pulled(4e6), options), Error);
  std::filesystem::remove(name("s.09.bgeo"));
  ASSERT_TRUE(std::filesystem::exists(name("s.08.bgeo")));
  crack({block(4)}, pulled(4e6), options);
  for (int i = 1; i <= 12; ++i)
    EXPECT_TRUE(std::filesystem::exists(name(fmt::format("s.{:02}.bgeo", i).c_str()))) << i;
}

TEST(CrackOperator, ResumingWithOtherCracksOrMaterialIsSaid) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "run.crack").string();
  crack({block(4)}, pulled(4e6), with(kSplit, {{"state", file}, {"steps", 1}}));
  const auto warnings = [&](const Value::Map& more) {
    Context context;
    std::filesystem::copy_file(file, file + "2", std::filesystem::copy_options::overwrite_existing);
    crack({block(4)}, pulled(4e6), with(more, {{"state", file + "2"}, {"resume", true}, {"steps", 2}}),
          context);
    std::string all;
    for (const std::string& warning : context.warnings()) all += warning + "\n";
    return all;
  };
  EXPECT_EQ(warnings(kSplit).find("the state"), std::string::npos);
  EXPECT_EQ(warnings(kSplit).find("began with"), std::string::npos);
  EXPECT_EQ(warnings({{"cracks", 0}, {"ratio", 6}}).find("began with"), std::string::npos);
  const Value::Map other{{"initial", disc(0.21)}, {"cracks", 0}, {"ratio", 6}};
  EXPECT_NE(warnings(other).find("began with other initial cracks"), std::string::npos);
  EXPECT_NE(warnings(with(kSplit, {{"toughness", 8e5}})).find("another toughness"), std::string::npos);
  EXPECT_NE(warnings(with(kSplit, {{"strength", 8e7}})).find("another strength"), std::string::npos);
}

TEST(CrackOperator, CracksGrowOnUnderALaterLoad) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "run.crack").string();
  const Value::Map options = with(kSplit, {{"state", file}, {"resume", true}});
  EXPECT_EQ(number(crack({block(4)}, pulled(1e5), options), "pieces"), 1);
  EXPECT_EQ(number(crack({block(4)}, pulled(4e6), options), "pieces"), 2);
}

TEST(CrackOperator, SequencesShowCracksGrow) {
  const TemporaryFolder folder;
  const auto name = [&](const char* text) { return (folder.path() / text).string(); };
  const Outputs outputs = crack({block(4)}, pulled(4e6), with(kSplit, {{"sequence", name("s.##.bgeo")}}));
  const size_t steps = outputs.result.find("steps")->asList().size();
  ASSERT_EQ(number(outputs, "frames"), static_cast<double>(steps));
  Context context;
  double last = -1;
  for (size_t i = 1; i <= steps; ++i) {
    const Geometry frame = readGeometry(name(fmt::format("s.{:02}.bgeo", i).c_str()), context);
    EXPECT_TRUE(frame.findGroup(Owner::Primitive, "fronts"));
    const Attribute* time = frame.findAttribute(Owner::Point, "crack_time");
    double latest = 0;
    for (size_t p = 0; time && p < frame.pointCount(); ++p) latest = std::max(latest, time->number(p));
    EXPECT_GE(latest, last);
    last = latest;
  }
  EXPECT_GT(last, 0);
  const std::string refused = refusal([&] {
    crack({block(4)}, pulled(4e6), with(kSplit, {{"sequence", name("s.bgeo")}}));
  });
  EXPECT_NE(refused.find("numbers"), std::string::npos);
}

TEST(CrackOperator, FurtherOutputsOnRequest) {
  const Outputs outputs = crack({block(4)}, pulled(4e6),
                                with(kSplit, {{"output_cracks", false},
                                              {"output_elements", true},
                                              {"output_volumes", true},
                                              {"output_surfaces", true}}));
  EXPECT_EQ(outputs.items[3].index(), 0u);
  EXPECT_TRUE(outputs.geometry(4).findAttribute(Owner::Point, "K1"));
  EXPECT_EQ(outputs.geometry(5).countOf(PrimitiveType::Volume), 2u);
  EXPECT_GT(outputs.geometry(6).primitiveCount(), 100u);
}

TEST(CrackOperator, AMeshToSolveOnCanBeGiven) {
  // A finer solid without groups: the conditions find theirs on the coarse mesh.
  Geometry solid = block(8);
  for (const char* name : {"top", "bottom"}) solid.removeGroup(Owner::Primitive, name);
  const Outputs outputs = crack({solid, block(4)}, pulled(4e6), kSplit);
  EXPECT_EQ(number(outputs, "elements_before"),
            number(crack({block(4)}, pulled(4e6), kSplit), "elements_before"));
  EXPECT_EQ(number(outputs, "pieces"), 2);
  Geometry elsewhere = block(4);
  for (Vec3& p : elsewhere.editPositions()) p.x() += 2;
  EXPECT_NE(refusal([&] {
              crack({solid, elsewhere}, pulled(4e6), kSplit);
            }).find("mesh to solve on"),
            std::string::npos);
}

TEST(CrackOperator, ACoarseMeshCanBeMovedOutwards) {
  const auto widest = [](double offset) {
    const Outputs outputs =
        crack({block(8), block(4)}, pulled(1e5),
              {{"ratio", 4}, {"coarse", 0.2}, {"mesh_offset", offset}, {"output_elements", true}});
    return outputs.geometry(4).bounds().max.x();
  };
  EXPECT_NEAR(widest(0), 0.5, 1e-9);
  EXPECT_NEAR(widest(2), 0.5 + 2 * 0.05, 1e-6) << "in the middle of a side";
}

TEST(CrackOperator, SubStepsAreFramesToo) {
  const TemporaryFolder folder;
  const std::string name = (folder.path() / "s.###.bgeo").string();
  const Outputs outputs = crack(
      {block(4)}, pulled(4e6), with(kSplit, {{"sequence", name}, {"sequence_by", "sub_step"}, {"steps", 2}}));
  // A step has as many sub steps as the ratio says; the first frames show the initial disc alone.
  EXPECT_GE(number(outputs, "frames"), 6);
  Context context;
  size_t last = 0;
  for (int i = 1; i <= number(outputs, "frames"); ++i) {
    const Geometry frame = readGeometry((folder.path() / fmt::format("s.{:03}.bgeo", i)).string(), context);
    double reach = 0;
    for (const Vec3& p : frame.positions()) reach = std::max(reach, std::hypot(p.x(), p.z()));
    EXPECT_LE(reach, 0.2 + i * number(outputs, "fine") * 1.0001 + 1e-3);
    last = frame.countOf(PrimitiveType::Polygon);
  }
  EXPECT_GT(last, 0u);
}

TEST(CrackOperator, StopsWhenAsked) {
  using Clock = std::chrono::steady_clock;
  for (const int after : {1, 30, 120, 250}) {
    SCOPED_TRACE(after);
    Context context;
    const auto limit = Clock::now() + std::chrono::milliseconds(after);
    context.setCancelPoll([limit] { return Clock::now() > limit; });
    try {
      crack({block(12)}, pulled(8e7), {{"triangles", 1200}, {"ratio", 40}}, context);
      FAIL() << "went through";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Cancelled);
    }
    // Other tests may run beside this one: ten times the rule's 0.1 s.
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - limit).count(), 1.0);
  }
}

TEST(CrackOperator, AnEdgeCrackOpensAtTheSurfaceAndSheetsAreMeshedAnew) {
  // A plate of many small triangles through the side x = 0.5.
  Geometry sheet;
  const int n = 12;
  sheet.addPoints(static_cast<size_t>((n + 1) * (n + 1)));
  std::vector<int32_t> corners;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k)
      sheet.editPositions()[i * (n + 1) + k] = Vec3(0.2 + 0.5 * i / n, 0.53, -0.7 + 1.4 * k / n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (const int c :
           {i * (n + 1) + k, i * (n + 1) + k + 1, (i + 1) * (n + 1) + k + 1, (i + 1) * (n + 1) + k})
        corners.push_back(c);
  sheet.addPrimitives(PrimitiveType::Polygon, static_cast<size_t>(n * n), 4, corners);
  const Value::Map options{{"cracks", 0}, {"ratio", 6}};
  const Outputs outputs = crack({block(4), Item(), Item(), Item(), sheet}, pulled(4e6), options);
  EXPECT_LT(number(outputs, "elements_before"), 400);
  EXPECT_EQ(number(outputs, "pieces"), 2);
  EXPECT_LT(number(outputs, "volume_error"), 1e-9);
}

TEST(CrackOperator, EqualBytesOnAnyNumberOfThreads) {
  const Value::Map grains = with(kSplit, {{"toughness_pattern", "grains"}, {"toughness_amount", 0.4}});
  std::vector<Vec3> cuts[2];
  for (int i = 0; i < 2; ++i) {
    Context context;
    context.setThreads(i == 0 ? 1 : 3);
    cuts[i] = cutOf(crack({block(4)}, pulled(6e6), grains, context));
  }
  ASSERT_GT(cuts[0].size(), 100u);
  EXPECT_EQ(cuts[0], cuts[1]);
}

TEST(CrackOperator, SaysHowFarTheLoadIsOff) {
  const auto warning = [](double traction, Value::Map more) {
    Context context;
    crack({block(4)}, pulled(traction), std::move(more), context);
    EXPECT_EQ(context.warnings().size(), 1u);
    return context.warnings().empty() ? "" : context.warnings()[0];
  };
  // Strength 45 MPa; a bottom that is held concentrates stress a little.
  const std::string unbroken = warning(10e6, {{"ratio", 4}});
  EXPECT_NE(unbroken.find("nothing breaks: the greatest stress is 0."), std::string::npos) << unbroken;
  const std::string still = warning(1e5, kSplit);
  EXPECT_NE(still.find("of the toughness"), std::string::npos) << still;
  const std::string few = warning(4e6, with(kSplit, {{"steps", 1}}));
  EXPECT_NE(few.find("after 1 steps"), std::string::npos) << few;
}

TEST(CrackOperator, Refuses) {
  const auto refused = [](Value::Map more, const char* part) {
    const std::string message = refusal([&] { crack({block(4)}, pulled(1e6), more); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused({{"fine", 1.0}}, "larger than coarse");
  refused({{"fine", 1e-5}}, "times fine");
  refused({{"coarse", 1e-4}, {"fine", 1e-5}}, "GB");
  refused({{"coarse", 1e-4}, {"fine", 5e-5}, {"initial", disc()}}, "GB");
  refused({{"toughness", 0}}, "toughness is 0");
  refused({{"strength", 0}}, "strength is 0");
  refused({{"initial", Value::List{record({{"at", vec(5, 5, 5)}})}}}, "crack 1");
  refused({{"initial", Value::List{record({{"normal", vec(0, 0, 0)}})}}}, "no normal");
  refused({{"initial", disc(0)}}, "no size");
  refused({{"toughness_pattern", "layers"}, {"toughness_direction", vec(0, 0, 0)}}, "direction");
  Geometry open = shapes::box();
  open = open.extract(std::vector<int32_t>{0, 1, 2, 3});
  EXPECT_FALSE(refusal([&] { crack({open}, {record({{"kind", "pressure"}, {"pressure", 1e6}})}); }).empty());
  EXPECT_NE(refusal([] { crack({block(4)}, {}); }).find("nothing acts"), std::string::npos);
  EXPECT_NE(refusal([] {
              crack({block(4)}, pulled(1e6), {{"initial", disc(2)}});
            }).find("crack 1"),
            std::string::npos);
}

// A hole in the way ---------------------------------------------------------------------------------------

/// A block of n x n x n cells less the column in its middle, along y: a bore with square corners.
Geometry boredBlock(int n) {
  Geometry g;
  std::map<std::array<int, 3>, int32_t> points;
  std::vector<int32_t> corners;
  const auto solid = [&](const std::array<int, 3>& c) {
    for (const int i : c)
      if (i < 0 || i >= n) return false;
    return c[0] != n / 2 || c[2] != n / 2;
  };
  for (int cell = 0; cell < n * n * n; ++cell) {
    const std::array<int, 3> c{cell % n, cell / n % n, cell / n / n};
    if (!solid(c)) continue;
    for (size_t axis = 0; axis < 3; ++axis)
      for (const int up : {0, 1}) {
        std::array<int, 3> beside = c;
        beside[axis] += up ? 1 : -1;
        if (solid(beside)) continue;
        for (const auto& [u, v] : {std::pair<int, int>{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
          std::array<int, 3> at = c;
          at[axis] += up;
          at[(axis + 1) % 3] += up ? u : v;
          at[(axis + 2) % 3] += up ? v : u;
          corners.push_back(points.emplace(at, static_cast<int32_t>(points.size())).first->second);
        }
      }
  }
  g.addPoints(points.size());
  for (const auto& [at, p] : points)
    g.editPositions()[p] = Vec3(at[0], at[1], at[2]) / n - Vec3::Constant(0.5);
  g.addPrimitives(PrimitiveType::Polygon, corners.size() / 4, 4, corners);
  return g;
}

TEST(CrackOperator, AFrontGoesAroundABore) {
  // From the side x = -0.5 through the plane y = 0 past the hole, which is 0.2 wide, to the other side.
  const Geometry solid = boredBlock(5);
  const Value::List conditions{record({{"kind", "traction"},
                                       {"traction", vec(0, 6e6, 0)},
                                       {"low", vec(-1, 0.49, -1)},
                                       {"high", vec(1, 1, 1)}}),
                               record({{"low", vec(-1, -1, -1)}, {"high", vec(1, -0.49, 1)}})};
  const Value::Map more{{"initial", Value::List{record({{"shape", "rectangle"},
                                                        {"at", vec(-0.5, 0.02, 0)},
                                                        {"along", vec(1, 0, 0)},
                                                        {"radius", 0.2},
                                                        {"across", 0.6}})}},
                        {"cracks", 0},
                        {"coarse", 0.12},
                        {"fine", 0.015},
                        {"triangles", 400}};
  std::vector<Vec3> first;
  for (const int threads : {1, 2}) {
    Context context;
    context.setThreads(threads);
    const Outputs outputs = crack({solid}, conditions, more, context);
    EXPECT_EQ(number(outputs, "pieces"), 2);
    EXPECT_TRUE(outputs.result.find("closed")->asBool());
    EXPECT_TRUE(outputs.result.find("manifold")->asBool());
    EXPECT_LT(number(outputs, "volume_error"), 1e-9);
    EXPECT_NEAR(number(outputs, "volume_in"), 0.96, 1e-12);
    // The sheet has a hole where the bore is. Behind it, where 0.08 m^2 are to be cut, both arms of the front
    // meet and pass each other a little.
    const Geometry& sheet = outputs.geometry(3);
    double area = 0, behind = 0;
    for (size_t f = 0; f < sheet.primitiveCount(); ++f) {
      const auto c = sheet.corners(f);
      const Vec3 &a = sheet.position(static_cast<size_t>(c[0])),
                 &b = sheet.position(static_cast<size_t>(c[1])),
                 &d = sheet.position(static_cast<size_t>(c[2]));
      const double size = 0.5 * (b - a).cross(d - a).norm();
      const Vec3 middle = (a + b + d) / 3;
      area += size;
      if (middle.x() > 0.1 && std::abs(middle.z()) < 0.1) behind += size;
    }
    EXPECT_NEAR(area - behind, 0.88, 0.03);
    EXPECT_GT(behind, 0.07);
    EXPECT_LT(behind, 0.16);
    const auto& positions = outputs.geometry(0).positions();
    const std::vector<Vec3> points(positions.begin(), positions.end());
    if (threads == 1) first = points;
    EXPECT_EQ(first, points);
  }
}

// Several bodies ------------------------------------------------------------------------------------------

/// Blocks 3 m apart along x.
Geometry blocks(int count) {
  Geometry all;
  for (int i = 0; i < count; ++i) {
    Geometry one = block(4);
    for (Vec3& p : one.editPositions()) p.x() += 3 * i;
    all.append(one);
  }
  return all;
}

/// Holds the bottom of a block and pulls its top.
Value::List pulledBlock(int index, double traction) {
  const double x = 3 * index;
  return {record({{"kind", "traction"},
                  {"traction", vec(0, traction, 0)},
                  {"group", "top"},
                  {"low", vec(x - 1, -1, -1)},
                  {"high", vec(x + 1, 2, 1)}}),
          record({{"group", "bottom"}, {"low", vec(x - 1, -1, -1)}, {"high", vec(x + 1, 2, 1)}})};
}
Value::List both(Value::List a, const Value::List& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Value discAt(int index) {
  return record({{"at", vec(3 * index, 0.5, 0)}, {"normal", vec(0, 1, 0)}, {"radius", 0.2}});
}
const Value::Map kSameResolution{{"cracks", 0}, {"coarse", 0.25}, {"fine", 0.04}};

/// Points of the pieces of these names.
std::vector<Vec3> pointsOf(const Geometry& pieces, const std::vector<std::string>& names) {
  std::vector<Vec3> points;
  const Attribute& name = *pieces.findAttribute(Owner::Primitive, "name");
  for (size_t f = 0; f < pieces.primitiveCount(); ++f)
    if (std::find(names.begin(), names.end(), name.string(f)) != names.end())
      for (const int32_t p : pieces.corners(f)) points.push_back(pieces.position(static_cast<size_t>(p)));
  return points;
}

Value::Map with(Value::Map values, const std::string& name, Value value) {
  values.emplace_back(name, std::move(value));
  return values;
}

TEST(CrackBodies, EachCracksUnderItsOwnLoadsAndTheOthersStay) {
  // The first and the third are pulled, the third not enough; the second is left alone.
  Context context;
  const Outputs outputs = crack(
      {blocks(3)}, both(pulledBlock(0, 4e6), pulledBlock(2, 1e5)),
      with(with(kSameResolution, "initial", Value::List{discAt(2), discAt(0)}), "triangles", 900), context);
  EXPECT_EQ(number(outputs, "bodies"), 3);
  EXPECT_EQ(number(outputs, "pieces"), 4);
  EXPECT_EQ(number(outputs, "cracks"), 2);
  EXPECT_TRUE(outputs.result.find("closed")->asBool());
  EXPECT_LT(number(outputs, "volume_error"), 1e-9);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_EQ(context.warnings()[0].find("body 3: no crack grows"), 0u) << context.warnings()[0];
  const Outputs alone =
      crack({block(4)}, pulledBlock(0, 4e6),
            with(with(kSameResolution, "initial", Value::List{discAt(0)}), "triangles", 300));
  EXPECT_EQ(number(alone, "pieces"), 2);
  EXPECT_EQ(pointsOf(outputs.geometry(0), {"piece0", "piece1"}),
            pointsOf(alone.geometry(0), {"piece0", "piece1"}));
  for (const auto& [piece, x] : {std::pair<const char*, double>{"piece2", 3}, {"piece3", 6}}) {
    const std::vector<Vec3> points = pointsOf(outputs.geometry(0), {piece});
    EXPECT_EQ(points.size(), 4 * 96u);
    for (const Vec3& p : points) EXPECT_NEAR(p.x(), x, 0.5 + 1e-6);
  }
  // Numbers of cracks go on: the first body's is 0, the third's 1.
  const Attribute& sheet = *outputs.geometry(3).findAttribute(Owner::Primitive, "crack");
  for (size_t f = 0; f < outputs.geometry(3).primitiveCount(); ++f) {
    const double x = outputs.geometry(3).position(static_cast<size_t>(outputs.geometry(3).corners(f)[0])).x();
    EXPECT_EQ(sheet.number(f), x > 3 ? 1 : 0);
  }
  const Attribute& inside = *outputs.geometry(0).findAttribute(Owner::Primitive, "crack");
  for (size_t f = 0; f < outputs.geometry(0).primitiveCount(); ++f) EXPECT_LE(inside.number(f), 0);
}

TEST(CrackBodies, AForceIsSharedByTheBodiesThatItActsOn) {
  // 8 MN on two tops of 1 m^2 each.
  const Value::List held = {record({{"group", "bottom"}})};
  const Value::Map more =
      with(with(kSameResolution, "initial", Value::List{discAt(0), discAt(1)}), "triangles", 400);
  const Outputs force =
      crack({blocks(2)},
            both({record({{"kind", "force"}, {"force", vec(0, 8e6, 0)}, {"group", "top"}})}, held), more);
  const Outputs traction = crack(
      {blocks(2)},
      both({record({{"kind", "traction"}, {"traction", vec(0, 4e6, 0)}, {"group", "top"}})}, held), more);
  EXPECT_EQ(number(force, "pieces"), 4);
  ASSERT_EQ(force.geometry(0).pointCount(), traction.geometry(0).pointCount());
  for (size_t p = 0; p < force.geometry(0).pointCount(); ++p)
    EXPECT_LT((force.geometry(0).position(p) - traction.geometry(0).position(p)).norm(), 1e-6);
}

TEST(CrackBodies, AMeshToSolveOnHasABodyForEach) {
  const Value::List conditions = both(pulledBlock(0, 4e6), pulledBlock(1, 4e6));
  const Value::Map more = with(kSameResolution, "initial", Value::List{discAt(0), discAt(1)});
  Geometry coarse;  // in another order
  for (const int i : {1, 0}) {
    Geometry one = block(5);
    for (Vec3& p : one.editPositions()) p.x() += 3 * i;
    coarse.append(one);
  }
  const Outputs outputs = crack({blocks(2), coarse}, conditions, more);
  EXPECT_EQ(number(outputs, "pieces"), 4);
  EXPECT_LT(number(outputs, "volume_error"), 1e-9);
  EXPECT_NE(refusal([&] {
              crack({blocks(3), blocks(2)}, conditions, more);
            }).find("mesh to solve on"),
            std::string::npos);
}

TEST(CrackBodies, OnesThatAreHeldInPartAreNamed) {
  Geometry two = blocks(2);
  Attribute& name = two.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t p = 0; p < two.primitiveCount(); ++p)
    name.setString(p, p < two.primitiveCount() / 2 ? "left" : "right");
  Value::List conditions = pulledBlock(0, 1e6);
  conditions.push_back(
      record({{"group", "bottom"}, {"axes", "y"}, {"low", vec(2, -1, -1)}, {"high", vec(4, 2, 1)}}));
  const std::string message = refusal([&] { crack({two}, conditions, kSameResolution); });
  EXPECT_EQ(message.find("body 2 (right): the given displacements hold the body only partly"), 0u) << message;
  EXPECT_NE(refusal([&] {
              crack({two}, pulledBlock(0, 1e6),
                    with(kSameResolution, "initial", Value::List{discAt(0), discAt(4)}));
            }).find("initial crack 2 is outside"),
            std::string::npos);
}

TEST(CrackBodies, EachHasItsStateAndItsSequence) {
  const TemporaryFolder folder;
  const std::string state = (folder.path() / "run.crack").string();
  const Value::List conditions = both(pulledBlock(0, 4e6), pulledBlock(1, 4e6));
  const Value::Map more =
      with(with(kSameResolution, "initial", Value::List{discAt(0), discAt(1)}), "triangles", 400);
  const auto run = [&](Value::Map values) {
    return pointsOf(crack({blocks(2)}, conditions, std::move(values)).geometry(0),
                    {"piece0", "piece1", "piece2", "piece3"});
  };
  const std::vector<Vec3> whole = run(more);
  run(with(with(more, "state", state), "sequence", (folder.path() / "c.##.bgeo").string()));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "c.body2.01.bgeo"));
  // As if it had been stopped in the second body.
  EXPECT_TRUE(std::filesystem::remove(folder.path() / "run.body2.crack"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "run.body1.crack"));
  EXPECT_EQ(run(with(with(more, "state", state), "resume", true)), whole);
}

// Rising loads
// ------------------------------------------------------------------------------------------------

/// A bar of 8 x 24 x 8 that is pulled along y at its ends, chosen by boxes at the faces.
Value::List pulledBar(double traction) {
  return {record({{"kind", "traction"}, {"traction", vec(0, traction, 0)}, {"low", vec(-99, 11.99, -99)}}),
          record({{"kind", "traction"}, {"traction", vec(0, -traction, 0)}, {"high", vec(99, -11.99, 99)}})};
}

TEST(CrackOperator, LoadsArriveWholeOnCoarseMeshes) {
  // More faces than are solved on: the mesh is made anew, with the bar's own edges.
  Geometry bar = block(20);
  for (Vec3& p : bar.editPositions()) p = Vec3(8 * p.x(), 24 * (p.y() - 0.5), 8 * p.z());
  const Outputs outputs = crack({bar}, pulledBar(1e4), {{"triangles", 300}, {"cracks", 0}});
  EXPECT_LT(number(outputs, "elements_before"), 500);
  const Value::List& list = outputs.result.find("conditions")->asList();
  ASSERT_EQ(list.size(), 2u);
  for (const Value& one : list) {
    EXPECT_NEAR(one.find("area")->asNumber(), 64, 1e-6);
    EXPECT_NEAR(one.find("mesh_area")->asNumber(), 64, 0.1);  // its edges are kept
    EXPECT_NEAR(std::abs(one.find("force")->asList()[1].asNumber()), 64e4, 64e4 * 1e-9);
    for (const Value& m : one.find("moment")->asList()) EXPECT_NEAR(m.asNumber(), 0, 64e4 * 8 * 1e-9);
  }
}

/// A bar that is held at one end and pressed down at the other.
Outputs bentBar(double force, Value::Map more) {
  const Geometry bar = shapes::box(Vec3(-0.5, -0.05, -0.05), Vec3(0.5, 0.05, 0.05));
  more.emplace_back("loading", "rising");
  more.emplace_back("preset", "plaster");
  return crack({bar},
               {record({{"high", vec(-0.4999, 9, 9)}}),
                record({{"kind", "force"}, {"force", vec(0, -force, 0)}, {"low", vec(0.4999, -9, -9)}})},
               more);
}

TEST(CrackOperator, ARisingLoadBreaksOnceAtTheSameFactorOfAnyLoad) {
  const auto breaksAt = [](const Outputs& outputs) {
    return outputs.result.find("load")->asList()[0].find("breaks")->asList().at(0).asNumber();
  };
  const Outputs small = bentBar(1, {{"load_end", "breaking"}, {"triangles", 500}});
  EXPECT_EQ(number(small, "pieces"), 2);
  const double force = breaksAt(small);
  // Ten times the load breaks it at a tenth of the factor, and no other way.
  const Outputs large = bentBar(10 * force, {{"triangles", 500}});
  EXPECT_EQ(number(large, "pieces"), 2);
  EXPECT_NEAR(10 * breaksAt(large), 1, 0.02);
  Context context;
  const Outputs held = bentBar(0.5 * force, {{"triangles", 500}});
  EXPECT_EQ(number(held, "pieces"), 1);
}

TEST(CrackOperator, WhatCameOffIsUnloaded) {
  // Another load, beside the support, goes on acting on what is held.
  const Geometry bar = shapes::box(Vec3(-0.5, -0.05, -0.05), Vec3(0.5, 0.05, 0.05));
  const Outputs outputs =
      crack({bar},
            {record({{"high", vec(-0.4999, 9, 9)}}),
             record({{"kind", "force"}, {"force", vec(6e4, 0, 0)}, {"low", vec(0.4999, -9, -9)}}),
             record({{"kind", "force"},
                     {"force", vec(0, 0, 50)},
                     {"low", vec(-0.49, -9, 0.0499)},
                     {"high", vec(-0.4, 9, 9)}})},
            {{"loading", "rising"}, {"preset", "plaster"}, {"triangles", 500}, {"output_elements", true}});
  ASSERT_EQ(number(outputs, "pieces"), 2);
  const Geometry& elements = outputs.geometry(4);
  const Attribute* crack = elements.findAttribute(Owner::Primitive, "crack");
  const Attribute* stress = elements.findAttribute(Owner::Primitive, "stress");
  ASSERT_TRUE(crack && stress);
  const double coarse = number(outputs, "coarse"), strength = 2.5e6;
  double end = -1, freeStress = 0, heldStress = 0;
  for (const bool measure : {false, true})
    for (size_t f = 0; f < elements.primitiveCount(); ++f) {
      double low = 1, high = -1, most = 0;
      for (const int32_t p : elements.corners(f)) {
        low = std::min(low, elements.position(p).x());
        high = std::max(high, elements.position(p).x());
      }
      for (int k = 0; k < 9; ++k) most = std::max(most, std::abs(stress->number(f, k)));
      if (!measure && crack->number(f) >= 0) end = std::max(end, high);
      if (measure && low > end + 2 * coarse) freeStress = std::max(freeStress, most);
      if (measure && high < -0.4) heldStress = std::max(heldStress, most);
    }
  EXPECT_LT(end, 0.3);  // there is something beyond
  EXPECT_LT(freeStress, 0.02 * strength);
  EXPECT_GT(heldStress, 0.001 * strength);
}

TEST(CrackOperator, AStoppedRisingLoadGoesOnToTheSameResult) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "ramp.crack").string();
  const Value::Map breaking{{"load_end", "breaking"}, {"triangles", 400}};
  const Outputs whole = bentBar(1, breaking);
  ASSERT_EQ(number(whole, "pieces"), 2);
  bentBar(1, with(breaking, {{"state", file}, {"steps", 2}}));
  const Outputs resumed = bentBar(1, with(breaking, {{"state", file}, {"resume", true}, {"steps", 20}}));
  EXPECT_EQ(cutOf(resumed), cutOf(whole));
}

}  // namespace
}  // namespace hackle
