// The operator that breaks packed pieces of somebody else's simulation: a bar falls onto a block.
#include "run_checks.h"

#include <gtest/gtest.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/io/file.h>
#include <hackle/ops/registry.h>
#include <hosted_geometry.h>
#include <shapes.h>
#include <unistd.h>

#include <filesystem>

namespace hackle {
namespace {

constexpr double kStep = 1.0 / 24;

Geometry twoPieces() {
  Geometry g;
  PackedPrimitive packed;
  packed.source = std::make_shared<const Geometry>(shapes::box({-1, -0.25, -0.25}, {1, 0.25, 0.25}));
  g.addPacked(packed, Vec3(0, 1, 0));
  packed.source = std::make_shared<const Geometry>(shapes::box({-0.25, -0.25, -0.25}, {0.25, 0.25, 0.25}));
  g.addPacked(packed, Vec3(0, 0.5, 0));
  Attribute& names = g.addAttribute(Owner::Point, Attribute("name", Storage::String, 1));
  names.setString(0, "bar"), names.setString(1, "block");
  numbers(g, "v", Storage::Float32, 3, {0, -3, 0, 0, 0, 0});
  numbers(g, "w", Storage::Float32, 3, {0, 0.5, 0, 0, 0, 0});
  numbers(g, "density", Storage::Float32, 1, {1000, 1000});
  numbers(g, "id", Storage::Int32, 1, {1, 2});
  return g;
}

Geometry impact(double impulse) {
  Geometry g;
  g.addPoint(Vec3(0, 0.75, 0));
  numbers(g, "normal", Storage::Float32, 3, {0, 1, 0});
  numbers(g, "impulse", Storage::Float32, 1, {impulse});
  numbers(g, "primnum", Storage::Int32, 1, {0});
  numbers(g, "objid", Storage::Int32, 1, {7});
  numbers(g, "otherobjid", Storage::Int32, 1, {7});
  numbers(g, "otherprimnum", Storage::Int32, 1, {1});
  return g;
}

Outputs step(const Geometry& pieces, int frame, Item impacts = {}, Item constraints = {},
             Value::Map parameters = {}) {
  Context context;
  const auto add = [&](const char* name, Value value) {
    if (!Value(parameters).find(name)) parameters.emplace_back(name, std::move(value));
  };
  add("time", frame * kStep);
  add("timestep", kStep);
  add("engine_parameters", "pieces=6");
  add("min_impulse", 100.0);
  add("min_volume", 0.2);  // the block stays whole
  return runOperator(findOperator("fracture_step"),
                     Inputs({pieces, std::move(impacts), std::move(constraints)}), parameters, context)
      .outputs;
}

std::vector<std::string> namesOf(const Geometry& pieces) {
  std::vector<std::string> names;
  for (size_t p = 0; p < pieces.primitiveCount(); ++p)
    names.push_back(
        pieces.findAttribute(Owner::Point, "name")->string(static_cast<size_t>(pieces.corners(p)[0])));
  return names;
}

bool same(const Geometry& a, const Geometry& b) {
  MemoKey first("a"), second("a");
  addToKey(first, a), addToKey(second, b);
  return first == second;
}

}  // namespace

TEST(FractureStep, AnImpactReplacesThePieceAndKeepsItsMomentum) {
  Geometry pieces = step(twoPieces(), 0).geometry();
  EXPECT_EQ(namesOf(pieces), (std::vector<std::string>{"bar", "block"}));
  // The solver has stopped the bar already; pieces move as it did before.
  pieces.findAttribute(Owner::Point, "v")->setNumber(0, 1, 0.5);
  const Outputs broken = step(pieces, 1, impact(1500));
  const std::vector<std::string> names = namesOf(broken.geometry());
  ASSERT_EQ(names.size(), 7u);
  EXPECT_EQ(names[0], "block");
  EXPECT_EQ(names[6], "bar-5");
  EXPECT_EQ(broken.result.find("broken")->asList().at(0).asString(), "bar");
  const Geometry& g = broken.geometry();
  double mass = 0, momentum = 0;
  for (size_t p = 1; p < 7; ++p) {
    const size_t point = static_cast<size_t>(g.corners(p)[0]);
    const double m = g.findAttribute(Owner::Point, "mass")->number(point);
    mass += m;
    momentum += m * g.findAttribute(Owner::Point, "v")->number(point, 1);
    EXPECT_EQ(g.findAttribute(Owner::Point, "id")->number(point), 0);  // the solver's to give
    EXPECT_EQ(g.findAttribute(Owner::Point, "hackle_parent")->string(point), "bar");
  }
  EXPECT_NEAR(mass, 500, 1e-3);
  EXPECT_NEAR(momentum, -1500, 1e-2);
}

TEST(FractureStep, RewindingAndFilesGiveTheSameBytes) {
  Context context;
  const auto folder = std::filesystem::temp_directory_path() / ("hackle_step_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::vector<Geometry> frames{twoPieces()};
  const auto play = [](const Geometry& pieces, int frame) {
    return frame == 3 ? step(pieces, frame, impact(1500)).geometry() : step(pieces, frame).geometry();
  };
  for (int frame = 0; frame < 8; ++frame) frames.push_back(play(frames.back(), frame));
  EXPECT_EQ(frames[8].primitiveCount(), 7u);
  for (const int start : {0, 3, 5}) {
    // As Houdini keeps it between steps.
    const auto path = folder / "pieces.bgeo";
    Geometry pieces = frames[static_cast<size_t>(start)];
    for (int frame = start; frame < 8; ++frame) {
      writeGeometry(path, pieces, context);
      pieces = play(readGeometry(path, context), frame);
    }
    EXPECT_EQ(namesOf(pieces), namesOf(frames[8])) << start;
    EXPECT_TRUE(same(*pieces.packed(6).source, *frames[8].packed(6).source)) << start;
    EXPECT_EQ(pieces.findAttribute(Owner::Detail, "hackle_state")->string(0),
              frames[8].findAttribute(Owner::Detail, "hackle_state")->string(0))
        << start;
  }
  std::filesystem::remove_all(folder);
}

TEST(FractureStep, ConstraintsGoToTheNearestFragment) {
  const Geometry line = constraintLine("bar", "block");
  const Geometry pieces = step(twoPieces(), 0, {}, line).geometry();
  const Outputs broken = step(pieces, 1, impact(1500), line, {{"fragment_constraint", "Glue"}});
  const Geometry& after = broken.geometry(1);
  const std::string anchor = after.findAttribute(Owner::Point, "name")->string(0);
  // No other fragment is nearer to the end of the line.
  double own = 1e9, nearest = 1e9;
  const Geometry& g = broken.geometry();
  for (size_t p = 1; p < g.primitiveCount(); ++p) {
    const Geometry one = unpacked(g.extract(std::vector<int32_t>{static_cast<int32_t>(p)}));
    double gap = 1e9;
    for (const Vec3& x : one.positions()) gap = std::min(gap, (x - Vec3(0.9, 0.75, 0)).norm());
    nearest = std::min(nearest, gap);
    if (namesOf(g)[p] == anchor) own = gap;
  }
  EXPECT_EQ(own, nearest);
  EXPECT_EQ(after.findAttribute(Owner::Point, "name")->string(1), "block");
  EXPECT_GT(after.primitiveCount(), 5u);
  EXPECT_EQ(after.findAttribute(Owner::Primitive, "constraint_name")->string(1), "Glue");
}

TEST(FractureStep, WithoutThresholdsTheStrengthDecides) {
  // Voronoi cells break a body at any load; here the load has to bend the bar beyond its strength.
  for (const double strength : {1e6, 1e9}) {
    const Value::Map plain{{"min_impulse", 0.0}, {"strength", strength}};
    const Geometry pieces = step(twoPieces(), 0, {}, {}, plain).geometry();
    EXPECT_EQ(step(pieces, 1, impact(1500), {}, plain).geometry().primitiveCount(), strength > 1e8 ? 2u : 7u);
  }
}

TEST(FractureStep, BadInputIsRefusedWithARemedy) {
  EXPECT_NE(refusal([] { step(shapes::box(), 0); }).find("no packed pieces"), std::string::npos);
  EXPECT_NE(refusal([] {
              step(twoPieces(), 0, {}, {}, {{"engine", "vorono"}});
            }).find("vorono"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              step(twoPieces(), 0, {}, {}, {{"timestep", 0.0}});
            }).find("timestep"),
            std::string::npos);
  Geometry damaged = step(twoPieces(), 0).geometry();
  damaged.findAttribute(Owner::Detail, "hackle_state")->setString(0, "12zz");
  EXPECT_NE(refusal([&] { step(damaged, 1); }).find("hackle_state"), std::string::npos);
  damaged.findAttribute(Owner::Detail, "hackle_state")->setString(0, "1234");
  EXPECT_NE(refusal([&] { step(damaged, 1); }), "");
  Geometry twice = twoPieces();
  twice.findAttribute(Owner::Point, "name")->setString(1, "bar");
  EXPECT_NE(refusal([&] { step(twice, 0); }).find("two bodies have the name"), std::string::npos);
  EXPECT_EQ(step(Geometry(), 0).geometry().pointCount(), 0u);
}

}  // namespace hackle
