#include <gtest/gtest.h>
#include <hackle/ops/registry.h>
#include <meshing/surface_checks.h>

namespace hackle {
namespace {

Run model(const Value::Map& given, Context& context) {
  return runOperator(findOperator("model"), Inputs(), given, context);
}

std::string refusal(const Value::Map& given) {
  Context context;
  try {
    model(given, context);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Usage);
    return e.what();
  }
  return "accepted";
}

TEST(Model, ShapeIsTheFirstParameterAndHasNoInput) {
  const Operator& op = findOperator("model");
  EXPECT_TRUE(op.inputs.empty());
  ASSERT_FALSE(op.parameters.empty());
  EXPECT_EQ(op.parameters[0].name, "shape");
  EXPECT_EQ(op.parameters[0].type, ParameterType::Menu);
}

TEST(Model, EveryShapeReportsWhatItIs) {
  for (const MenuItem& item : findOperator("model").parameters[0].menu) {
    SCOPED_TRACE(item.token);
    Context context;
    const auto run = model({{"shape", item.token}, {"resolution", 12}}, context);
    const Geometry& g = run.outputs.geometry();
    const Value& result = run.outputs.result;
    const test::SurfaceFacts facts = test::surfaceFacts(g);
    EXPECT_EQ(result.find("points")->asInt(), static_cast<int64_t>(g.pointCount()));
    EXPECT_EQ(result.find("primitives")->asInt(), static_cast<int64_t>(g.primitiveCount()));
    EXPECT_TRUE(result.find("closed")->asBool());
    EXPECT_TRUE(result.find("manifold")->asBool());
    EXPECT_NEAR(result.find("volume")->asNumber(), facts.volume, 1e-9 * facts.volume);
    EXPECT_TRUE(context.warnings().empty());
  }
}

TEST(Model, SizeZeroIsNatural) {
  Context context;
  const auto height = [&](const Value::Map& given) {
    return model(given, context).outputs.geometry().bounds().size().y();
  };
  EXPECT_NEAR(height({{"shape", "goblet"}}), 0.2, 1e-12);
  EXPECT_NEAR(height({{"shape", "goblet"}, {"size", 0}}), 0.2, 1e-12);
  EXPECT_NEAR(height({{"shape", "goblet"}, {"size", "1.5"}}), 1.5, 1e-12);
}

TEST(Model, ParametersOfOtherShapesAreWarnedAbout) {
  Context context;
  model({{"shape", "sphere"}, {"teeth", 30}, {"resolution", 8}}, context);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_EQ(context.warnings()[0].rfind("teeth has no effect here", 0), 0u) << context.warnings()[0];
}

TEST(Model, RefusesWhatCannotBeMade) {
  EXPECT_EQ(refusal({{"shape", "goblet"}, {"wall", 0.9}}),
            "wall: 0.9 of the radius leaves no hollow in a goblet");
  EXPECT_EQ(refusal({{"shape", "knot"}, {"knot_p", 2}, {"knot_q", 4}}),
            "knot_p, knot_q: 2 and 4 have a common divisor");
  EXPECT_EQ(refusal({{"resolution", 1}}), "resolution: 1 is out of range");
  EXPECT_EQ(refusal({{"size", -1}}), "size: -1 is out of range");
  EXPECT_NE(refusal({{"shape", "teapot"}}), "accepted");
}

TEST(Model, SoftRangesMakeGoodShapes) {
  // The ends of every slider, one at a time.
  for (const Parameter& row : findOperator("model").parameters) {
    if (row.enabledWhen.empty() || !row.softMin || row.type == ParameterType::Vector) continue;
    for (const std::string& shape : row.enabledWhen[0].tokens)
      for (const double end : {*row.softMin, *row.softMax}) {
        Context context;
        Value::Map given{{"shape", shape}, {"resolution", 15}, {row.name, end}};
        // The other winding number that goes with any.
        if (row.name == "knot_p") given.emplace_back("knot_q", 9 - (end == 1));
        if (row.name == "knot_q") given.emplace_back("knot_p", end == 1 ? 2 : 5);
        try {
          const test::SurfaceFacts facts = test::surfaceFacts(model(given, context).outputs.geometry());
          EXPECT_TRUE(facts.closedManifold()) << shape << ' ' << row.name << ' ' << end;
          EXPECT_GT(facts.volume, 0.0);
        } catch (const Error& e) {
          // Only the vessels' wall may ask for less than its slider gives.
          EXPECT_EQ(row.name, "wall") << e.what();
        }
      }
  }
}

}  // namespace
}  // namespace hackle
