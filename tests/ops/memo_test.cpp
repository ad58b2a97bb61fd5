// Operators that keep precomputation between runs: the same bytes as without, and no stage done twice.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/memo.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

#include <set>

namespace hackle {
namespace {

/// All that a run gives, or its error, and which stages it went through.
struct Given {
  MemoKey key{"outputs"};
  std::string text;  // figures, warnings, error
  std::set<std::string> stages;
};

Given run(const char* id, const Geometry& solid, const Value::Map& values, Memo* memo) {
  Context context;
  setMemo(context, memo);
  Given given;
  try {
    const Run run = runOperator(findOperator(id), Inputs({solid}), values, context);
    for (const Item& item : run.outputs.items)
      if (const Geometry* geometry = std::get_if<Geometry>(&item)) addToKey(given.key, *geometry);
    given.text = run.outputs.result.toJson();
  } catch (const Error& e) {
    given.text = e.what();
  }
  for (const std::string& warning : context.warnings()) given.text += "\n" + warning;
  for (const StageTime& stage : context.stageTimes()) given.stages.insert(stage.name);
  return given;
}

void expectSame(const Given& warm, const Given& fresh, const std::string& what) {
  EXPECT_TRUE(warm.key == fresh.key) << what;
  EXPECT_EQ(warm.text, fresh.text) << what;
}

Value::Map with(Value::Map values, const std::string& name, Value value) {
  for (auto& v : values)
    if (v.first == name) {
      v.second = std::move(value);
      return values;
    }
  values.emplace_back(name, std::move(value));
  return values;
}

/// Values that differ from the one that a parameter has.
std::vector<Value> others(const Parameter& p, const Value& now) {
  const auto nudged = [&](double x) {
    return std::clamp(x * 1.25 + 0.125, p.hardMin.value_or(-1e9), p.hardMax.value_or(1e9));
  };
  switch (p.type) {
    case ParameterType::Float:
      return {nudged(now.isNumber() ? now.asNumber() : 1.0)};
    case ParameterType::Int:
      return {std::round(nudged(now.isNumber() ? now.asNumber() : 1.0) + 1)};
    case ParameterType::Toggle:
      return {!now.asBool()};
    case ParameterType::Vector: {
      Value::List list;
      for (const Value& v : now.asList()) list.emplace_back(nudged(v.asNumber()));
      return {list};
    }
    case ParameterType::Menu: {
      std::vector<Value> tokens;
      for (const MenuItem& item : p.menu) tokens.emplace_back(item.token);
      return tokens;
    }
    case ParameterType::Attribute:
      return {"paint"};
    default:
      return {};
  }
}

Geometry painted(Geometry g) {
  Attribute& paint = g.addAttribute(Owner::Point, Attribute("paint", Storage::Float64, 1));
  for (size_t p = 0; p < g.pointCount(); ++p) paint.setNumber(p, 0, 0.05 * g.position(p).x());
  return g;
}

/// Each parameter changed, after a run with other values and with the same memo, against a fresh run.
template <class Compare = decltype(expectSame)>
void expectNoParameterIsForgotten(const char* id, const Geometry& solid, const Value::Map& values,
                                  const Compare& compare = expectSame) {
  const std::set<std::string> dressing{"Interior Detail", "Constraints", "Faces", "Proxies"};
  Memo memo;
  run(id, solid, values, &memo);
  for (const Parameter& p : findOperator(id).parameters) {
    // How pieces are dressed comes after all that is kept, and takes long.
    if (dressing.count(p.section) > 0) continue;
    if (p.name == "output_volumes") continue;  // keys know grids by identity
    Value now = p.defaultValue;
    for (const auto& [name, value] : values)
      if (name == p.name) now = value;
    for (const Value& value : others(p, now)) {
      const Value::Map changed = with(values, p.name, value);
      compare(run(id, solid, changed, &memo), run(id, solid, changed, nullptr),
              p.name + " " + value.toJson(-1));
    }
  }
  compare(run(id, solid, values, &memo), run(id, solid, values, nullptr), "again");
}

// CVD -----------------------------------------------------------------------------------------------------

Value impact(const Vec3& at, double impulse) {
  return Value::List{
      Value::Map{{"at", Value::numbers(at)}, {"dir", Value::numbers(Vec3(0, -1, 0))}, {"impulse", impulse}}};
}
const Value::Map kCvd{{"impact", impact({0.3, 1, 0.4}, 1000)}, {"pieces", 6}, {"cells", 5}};

TEST(MemoCvd, AnotherImpactNeedsNothingElseAnew) {
  const Geometry solid = painted(shapes::box());
  Memo memo;
  run("cvd", solid, kCvd, &memo);
  const size_t made = memo.made();
  EXPECT_EQ(made, 3u);  // solid, lattice with its metric, factor
  Value::Map dragged = with(kCvd, "impact", impact({0.7, 1, 0.5}, 2000));
  for (const auto& [name, value] : Value::Map{
           {"seed", 3}, {"pieces", 9}, {"pieces_by", "threshold"}, {"granularity", 0.5}, {"prefix", "bit"}}) {
    dragged = with(dragged, name, value);
    if (name == "pieces_by") dragged = with(dragged, "pieces", 30);
    expectSame(run("cvd", solid, dragged, &memo), run("cvd", solid, dragged, nullptr), name);
    EXPECT_EQ(memo.made(), made) << name;
  }
}

TEST(MemoCvd, RedoesWhatDependsOnAChange) {
  Geometry solid = painted(shapes::box());
  Memo memo;
  run("cvd", solid, kCvd, &memo);
  const auto madeBy = [&](const Geometry& g, const Value::Map& values) {
    const size_t before = memo.made();
    expectSame(run("cvd", g, values, &memo), run("cvd", g, values, nullptr), "changed");
    return memo.made() - before;
  };
  EXPECT_EQ(madeBy(solid, with(kCvd, "young", 1e9)), 1u);  // the factor
  EXPECT_EQ(madeBy(solid, with(kCvd, "cells", 6)), 2u);    // the lattice too
  EXPECT_EQ(madeBy(solid, with(kCvd, "warp", "paint")), 2u);
  Geometry repainted = solid;
  repainted.findAttribute(Owner::Point, "paint")->setNumber(0, 0, 0.3);
  EXPECT_EQ(madeBy(repainted, kCvd), 1u);                         // the solid carries its paint
  EXPECT_EQ(madeBy(repainted, with(kCvd, "warp", "paint")), 2u);  // which bends this one
  solid.editPositions()[0].x() -= 0.1;
  EXPECT_EQ(madeBy(solid, kCvd), 3u);
}

TEST(MemoCvd, NoParameterIsForgotten) { expectNoParameterIsForgotten("cvd", painted(shapes::box()), kCvd); }

// Impact --------------------------------------------------------------------------------------------------

const Value::Map kImpact{{"impact", impact({0.3, 1, 0.4}, 20000)},
                         {"preset", "plaster"},
                         {"elements", 600},
                         {"modes", 12},
                         {"flaws", 200}};

TEST(MemoImpact, AnotherImpactNeedsNothingElseAnew) {
  const Geometry solid = painted(shapes::box());
  Memo memo;
  run("impact", solid, kImpact, &memo);
  const size_t made = memo.made();
  EXPECT_EQ(made, 3u);  // solid, vibrations, flaws
  Value::Map dragged = with(kImpact, "impact", impact({0.7, 1, 0.5}, 30000));
  for (const auto& [name, value] : Value::Map{{"toughness", 1e5}, {"damping", 0.01}, {"ligament", 0.5}}) {
    dragged = with(dragged, name, value);
    const Given warm = run("impact", solid, dragged, &memo);
    for (const char* stage : {"lattice", "vibrations", "flaws"}) EXPECT_EQ(warm.stages.count(stage), 0u);
    expectSame(warm, run("impact", solid, dragged, nullptr), name);
  }
  EXPECT_EQ(memo.made(), made);
  run("impact", solid, with(kImpact, "seed", 3), &memo);
  EXPECT_EQ(memo.made(), made + 1);  // flaws
  run("impact", solid, with(kImpact, "modes", 14), &memo);
  EXPECT_EQ(memo.made(), made + 3);  // vibrations and flaws
}

TEST(MemoImpact, NoParameterIsForgotten) {
  expectNoParameterIsForgotten("impact", painted(shapes::box()), kImpact);
}

// Stress --------------------------------------------------------------------------------------------------

Value::Map condition(const char* kind, const Vec3& value, const Vec3& at, double radius) {
  return {{"kind", kind}, {kind, Value::numbers(value)}, {"at", Value::numbers(at)}, {"radius", radius}};
}
Value::Map stressValues(const Vec3& force, const Vec3& at = {0, 1, 0}, const Vec3& moved = {0, 0, 0}) {
  return {{"condition", Value::List{condition("displacement", moved, {0, -1, 0}, 0.6),
                                    condition("force", force, at, 0.5)}},
          {"triangles", 300}};
}

TEST(MemoStress, NewLoadsUseTheSameFactor) {
  const Geometry solid = shapes::sphere(12);
  Memo memo;
  const Given first = run("stress", solid, stressValues({0, -1000, 0}), &memo);
  EXPECT_EQ(first.stages.count("factorisation"), 1u) << first.text;
  EXPECT_EQ(memo.made(), 4u);  // solid, mesh, system, places on the coarse copy
  // Another force, another place, and another displacement of what is held.
  for (const Value::Map& values : {stressValues({300, -500, 0}), stressValues({0, -1000, 0}, {1, 0, 0}),
                                   stressValues({0, 0, 0}, {0, 1, 0}, {0.001, 0, 0})}) {
    const Given warm = run("stress", solid, values, &memo);
    for (const char* stage : {"mesh", "assembly", "factorisation"}) EXPECT_EQ(warm.stages.count(stage), 0u);
    expectSame(warm, run("stress", solid, values, nullptr), Value(values).toJson(-1));
  }
  EXPECT_EQ(memo.made(), 4u);
}

TEST(MemoStress, RedoesWhatDependsOnAChange) {
  Geometry solid = shapes::sphere(12);
  const Value::Map values = stressValues({0, -1000, 0});
  Memo memo;
  run("stress", solid, values, &memo);
  const auto madeBy = [&](const Geometry& g, const Value::Map& v) {
    const size_t before = memo.made();
    expectSame(run("stress", g, v, &memo), run("stress", g, v, nullptr), "changed");
    return memo.made() - before;
  };
  EXPECT_EQ(madeBy(solid, with(values, "young", 1e9)), 1u);
  EXPECT_EQ(madeBy(solid, with(values, "triangles", 200)), 3u);
  // What is held: elsewhere, or along one axis only.
  Value::List conditions{condition("displacement", {0, 0, 0}, {0, -1, 0}, 0.8), values[0].second.asList()[1]};
  EXPECT_EQ(madeBy(solid, with(values, "condition", conditions)), 1u);
  solid.editPositions()[0] *= 1.01;
  EXPECT_EQ(madeBy(solid, values), 4u);
}

TEST(MemoStress, BodiesAndCavitiesAreKeptOneByOne) {
  // A hollow ball in flight, and a full one beside it that only the first load touches.
  Geometry solid = shapes::sphere(8);
  Geometry hole = shapes::sphere(6);
  for (Vec3& p : hole.editPositions()) p *= 0.5;
  hole.flipWinding();
  solid.append(hole);
  Geometry beside = shapes::sphere(6);
  for (Vec3& p : beside.editPositions()) p += Vec3(4, 0, 0);
  solid.append(beside);
  const auto values = [](double pressure, double size) {
    return Value::Map{{"condition", Value::List{Value::Map{{"kind", "pressure"},
                                                           {"pressure", pressure},
                                                           {"at", Value::numbers(Vec3(0, 0, 0))},
                                                           {"radius", size}}}}};
  };
  Memo memo;
  for (const auto& [pressure, size, made] :
       {std::tuple<double, double, size_t>{1e5, 2, 3}, {3e5, 2, 3}, {1e5, 9, 4}, {2e5, 0.6, 4}}) {
    const Value::Map v = values(pressure, size);
    expectSame(run("stress", solid, v, &memo), run("stress", solid, v, nullptr), std::to_string(pressure));
    EXPECT_EQ(memo.made(), made) << pressure << " " << size;
  }
}

TEST(MemoStress, NoParameterIsForgotten) {
  expectNoParameterIsForgotten("stress", painted(shapes::sphere(8)), stressValues({0, -1000, 0}));
}

TEST(MemoStress, ACancelledRunLeavesAFactorThatServesTheNext) {
  const Geometry solid = shapes::sphere(12);
  Memo memo;
  const auto cancelIn = [&](const std::string& stage) {
    Context context;
    setMemo(context, &memo);
    context.setProgressCallback([&](const Progress& p) {
      if (p.stage == stage) context.cancel();
    });
    EXPECT_THROW(runOperator(findOperator("stress"), Inputs({solid}), stressValues({0, 5, 0}), context),
                 Error);
  };
  cancelIn("factorisation");
  EXPECT_EQ(memo.count(), 2u);  // the solid and the mesh were ready, the system was not
  const Value::Map values = stressValues({0, -1000, 0});
  run("stress", solid, values, &memo);
  cancelIn("solve");  // with other loads
  const Given warm = run("stress", solid, values, &memo);
  EXPECT_EQ(warm.stages.count("factorisation"), 0u);
  expectSame(warm, run("stress", solid, values, nullptr), "after a cancelled run");
}

// Crack ---------------------------------------------------------------------------------------------------

/// What a run says about time is its own.
std::string withoutSeconds(std::string text) {
  for (size_t at = text.find("\"seconds\""); at != std::string::npos; at = text.find("\"seconds\"", at))
    text.erase(at, text.find_first_of(",\n}", at) - at);
  return text;
}

void expectSameCracks(Given warm, Given fresh, const std::string& what) {
  warm.text = withoutSeconds(warm.text);
  fresh.text = withoutSeconds(fresh.text);
  expectSame(warm, fresh, what);
}

Value::Map crackValues(double traction) {
  return {{"condition", Value::List{condition("displacement", {0, 0, 0}, {0.5, 0, 0.5}, 0.4),
                                    condition("traction", {0, traction, 0}, {0.5, 1, 0.5}, 0.4)}},
          {"initial", Value::List{Value::Map{{"at", Value::numbers(Vec3(0.5, 0.5, 0.5))},
                                             {"normal", Value::numbers(Vec3(0, 1, 0))},
                                             {"radius", 0.2}}}},
          {"cracks", 0},
          {"ratio", 4},
          {"steps", 2},
          {"triangles", 120}};
}

TEST(MemoCrack, ANewLoadUsesTheSameFactor) {
  const Geometry solid = shapes::box();
  Memo memo;
  run("crack", solid, crackValues(4e6), &memo);
  EXPECT_EQ(memo.made(), 3u);  // solid, mesh, system
  for (const Value::Map& values :
       {crackValues(9e6), with(crackValues(9e6), "toughness", 1e5), with(crackValues(9e6), "ratio", 5),
        with(crackValues(2e6), "steps", 1), crackValues(4e6)}) {
    expectSameCracks(run("crack", solid, values, &memo), run("crack", solid, values, nullptr),
                     Value(values).toJson(-1));
    EXPECT_EQ(memo.made(), 3u);
  }
}

TEST(MemoCrack, NoParameterIsForgotten) {
  expectNoParameterIsForgotten("crack", shapes::box(), crackValues(4e6), expectSameCracks);
}

}  // namespace
}  // namespace hackle
