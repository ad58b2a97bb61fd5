// The operator sheet: closed pieces of one topology, painted attributes, resuming, and what it refuses.
#include "run_checks.h"

#include <gtest/gtest.h>
#include <hackle/geometry/topology.h>
#include <hackle/io/file.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace hackle {
namespace {

Value::List vec(double x, double y, double z) { return {x, y, z}; }
Value::Map record(std::initializer_list<std::pair<std::string, Value>> fields) {
  return Value::Map(fields.begin(), fields.end());
}

/// A square of side 0.2 m about the origin, with uv and a mark on one half.
Geometry square() {
  Geometry g;
  for (const auto& [x, y] : {std::pair{-.1, -.1}, {.1, -.1}, {.1, .1}, {-.1, .1}}) g.addPoint({x, y, 0});
  g.addPolygon({0, 1, 2, 3});
  Attribute uv("uv", Storage::Float32, 3, 4);
  const double u[4] = {0, 1, 1, 0}, v[4] = {0, 0, 1, 1};
  for (size_t i = 0; i < 4; ++i) {
    uv.setNumber(i, 0, u[i]);
    uv.setNumber(i, 1, v[i]);
  }
  g.addAttribute(Owner::Vertex, std::move(uv));
  return g;
}

/// Its two upper corners are pulled apart; a cut starts the tear.
Value::Map tearing() {
  return {{"preset", "paper"},
          {"fine", 0.01},
          {"coarse", 0.04},
          {"births", false},
          {"quasistatic", true},
          {"frames", 3},
          {"frame_time", 1.0},
          {"step", 0.5},
          {"pin", Value::List{record({{"at", vec(-.08, .08, 0)}, {"size", vec(.03, .03, .03)}}),
                              record({{"at", vec(.08, .08, 0)}, {"size", vec(.03, .03, .03)}})}},
          {"key", Value::List{record({{"pin", 0}, {"time", 3.0}, {"move", vec(-.01, 0, 0)}}),
                              record({{"pin", 1}, {"time", 3.0}, {"move", vec(.01, 0, 0)}})}},
          {"initial", Value::List{record({{"from", vec(0, .1, 0)}, {"to", vec(0, .07, 0)}})}}};
}

Value::Map with(Value::Map values, const std::string& name, Value value) {
  for (auto& item : values)
    if (item.first == name) {
      item.second = std::move(value);
      return values;
    }
  values.emplace_back(name, std::move(value));
  return values;
}

Outputs sheet(const Geometry& geometry, const Value::Map& values) {
  Context context;
  return runOperator(findOperator("sheet"), Inputs({geometry}), values, context).outputs;
}

TEST(SheetOperator, TearsPaperIntoClosedPieces) {
  const Outputs outputs = sheet(square(), tearing());
  EXPECT_TRUE(outputs.result.find("closed")->asBool());
  EXPECT_TRUE(outputs.result.find("manifold")->asBool());
  EXPECT_GT(number(outputs, "crack_length"), 0.02);
  const Geometry& g = outputs.geometry();
  for (const char* name : {"v", "rest", "thickness", "stress"})
    EXPECT_TRUE(g.findAttribute(Owner::Point, name)) << name;
  ASSERT_TRUE(g.findAttribute(Owner::Primitive, "name") && g.findAttribute(Owner::Primitive, "crack_time"));
  // uv are those of the square: position over side, on both faces.
  const Attribute* uv = g.findAttribute(Owner::Vertex, "uv");
  const Attribute* rest = g.findAttribute(Owner::Point, "rest");
  ASSERT_TRUE(uv);
  const Group* inside = g.findGroup(Owner::Primitive, "inside");
  ASSERT_TRUE(inside && inside->count() > 0);
  for (size_t p = 0; p < g.primitiveCount(); ++p) {
    if (g.vertexCount(p) != 3) continue;
    for (size_t k = 0; k < 3; ++k) {
      const size_t vertex = g.firstVertex(p) + k;
      EXPECT_NEAR(uv->number(vertex, 0), rest->number(static_cast<size_t>(g.corners(p)[k]), 0) / 0.2 + 0.5,
                  1e-4);
    }
  }
}

TEST(SheetOperator, FramesHaveOneTopologyAndResumeToEqualBytes) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "hackle_sheet_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto bytes = [&](const std::string& name) {
    std::ifstream in(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  sheet(square(), with(tearing(), "sequence", (folder / "a.#.bgeo").string()));
  Value::Map part = with(with(tearing(), "state", (folder / "run").string()), "frames", 1);
  sheet(square(), part);
  part = with(with(with(part, "frames", 3), "resume", true), "sequence", (folder / "b.#.bgeo").string());
  sheet(square(), part);
  Context context;
  const Geometry first = readGeometry(folder / "a.0.bgeo", context),
                 last = readGeometry(folder / "a.3.bgeo", context);
  EXPECT_EQ(first.pointCount(), last.pointCount());
  EXPECT_EQ(first.primitiveCount(), last.primitiveCount());
  for (const int i : {0, 1, 2, 3}) {
    const std::string a = bytes("a." + std::to_string(i) + ".bgeo"),
                      b = bytes("b." + std::to_string(i) + ".bgeo");
    EXPECT_FALSE(a.empty());
    EXPECT_EQ(a, b) << i;
  }
  std::filesystem::remove_all(folder);
}

/// A ball over the middle of the sheet, where the sheet has no point of its own.
Value::Map struckAt(double height) {
  return with(tearing(), "obstacle",
              Value::List{record({{"at", vec(0.01, 0.02, height)}, {"radius", 0.02}, {"mass", 0.1}})});
}

TEST(SheetOperator, RefusesObstaclesThatMeetTheSheetAtTheStart) {
  EXPECT_NE(refusal([&] { sheet(square(), struckAt(0.0)); }).find("obstacle 0"), std::string::npos);
  EXPECT_NE(refusal([&] { sheet(square(), struckAt(0.02)); }).find("obstacle 0"), std::string::npos);
  EXPECT_EQ(refusal([&] { sheet(square(), with(struckAt(0.03), "frames", 1)); }), "");
  const auto meets = [&](const Geometry& collider) {
    return refusal([&] {
      Context context;
      runOperator(findOperator("sheet"), Inputs({square(), Geometry(), collider}), tearing(), context);
    });
  };
  // Through the sheet, and small enough to pass between all points.
  Geometry box = shapes::box(Vec3(-0.01, -0.02, -0.05), Vec3(0.01, 0.02, 0.05));
  EXPECT_NE(meets(box).find("colliders"), std::string::npos);
}

/// A run that is stopped leaves the frames that were done.
TEST(SheetOperator, FramesAreWrittenWhileTheRunGoesOn) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "hackle_sheet_stopped";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Context context;
  context.setCancelPoll([&] { return std::filesystem::exists(folder / "a.2.bgeo"); });
  const Value::Map values = with(with(tearing(), "sequence", (folder / "a.#.bgeo").string()), "frames", 200);
  EXPECT_THROW(runOperator(findOperator("sheet"), Inputs({square()}), values, context), Error);
  Context reader;
  for (const int i : {0, 1, 2})
    EXPECT_GT(readGeometry(folder / ("a." + std::to_string(i) + ".bgeo"), reader).primitiveCount(), 0u);
  for (const StageTime& stage : context.stageTimes()) EXPECT_NE(stage.name, "output");
  std::filesystem::remove_all(folder);
}

TEST(SheetOperator, SaysWhenASolidIsTakenForAShellAndAStepIsTooLong) {
  Context context;
  const Value::Map values = {
      {"fine", 0.2},
      {"coarse", 0.5},
      {"births", false},
      {"frames", 1},
      {"step", 1e-3},
      {"frame_time", 1e-3},
      {"obstacle",
       Value::List{
           record({{"at", vec(0, 0, 0.7)}, {"radius", 0.1}, {"velocity", vec(0, 0, -150)}, {"mass", 0.1}})}}};
  runOperator(findOperator("sheet"), Inputs({shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5))}), values,
              context);
  const std::vector<std::string> said = context.warnings();
  const auto says = [&](const char* what) {
    return std::any_of(said.begin(), said.end(),
                       [&](const std::string& s) { return s.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says("hollow shell"));
  EXPECT_TRUE(says("too fast for the step"));
}

TEST(SheetOperator, RefusesWhatItCannotDo) {
  Geometry fin = square();
  fin.addPoint({0, 0, 1});
  fin.addPolygon({0, 1, 4});
  fin.addPolygon({1, 0, 4});
  EXPECT_NE(refusal([&] { sheet(fin, tearing()); }), "");
  EXPECT_NE(refusal([&] { sheet(Geometry(), tearing()); }), "");
  EXPECT_NE(refusal([&] { sheet(square(), with(tearing(), "thickness", 0.0)); }), "");
  const auto pin = [&](const Value::List& at) {
    return refusal([&] { sheet(square(), with(tearing(), "pin", Value::List{record({{"at", at}})})); });
  };
  EXPECT_NE(pin(vec(5, 5, 5)).find("pin 0"), std::string::npos);
  Geometry painted = square();
  Attribute strength("strength", Storage::Float32, 1, 4);
  strength.setNumber(2, 0, NAN);
  painted.addAttribute(Owner::Point, std::move(strength));
  EXPECT_NE(refusal([&] { sheet(painted, tearing()); }).find("strength"), std::string::npos);
  Geometry broken = square();
  broken.editPositions()[3].x() = NAN;
  EXPECT_NE(refusal([&] { sheet(broken, tearing()); }), "");
  EXPECT_NE(refusal([&] { sheet(square(), with(tearing(), "sequence", "frames.bgeo")); }), "");
  EXPECT_NE(refusal([&] { sheet(square(), with(tearing(), "resume", true)); }), "");
}

}  // namespace
}  // namespace hackle
