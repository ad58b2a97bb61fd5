#include <hackle/ops/registry.h>

#include <hackle/core/version.h>

#include <gtest/gtest.h>

#include <limits>

#include "ops/every_type_operator.h"

using namespace hackle;

namespace {

const Operator& every() {
  static const Operator kOp = test::everyOperator();
  return kOp;
}

Geometry triangle() {
  Geometry geometry;
  geometry.addPoints(3);
  geometry.editPositions() = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  geometry.addPolygon({0, 1, 2});
  return geometry;
}

/// Two points with impulse 2 and 3.
Geometry hits() {
  Geometry points;
  points.addPoints(2);
  points.editPositions() = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
  Attribute impulse("impulse", Storage::Float32, 1, 2);
  impulse.edit<float>() = {2.0f, 3.0f};
  points.addAttribute(Owner::Point, impulse);
  Attribute normal("N", Storage::Float32, 3, 2);
  normal.edit<float>() = {1, 0, 0, 0, 0, 1};
  points.addAttribute(Owner::Point, normal);
  return points;
}

const test::EveryOptions& runWith(const Value::Map& given, std::vector<Item> items = {triangle()}) {
  Context context;
  runOperator(every(), Inputs(std::move(items)), given, context);
  return test::lastOptions();
}

Error failure(const Value::Map& given, std::vector<Item> items) {
  Context context;
  try {
    runOperator(every(), Inputs(std::move(items)), given, context);
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::Internal, "");
}

}  // namespace

TEST(Registry, FindsOperatorsAndNamesTheNearest) {
  EXPECT_EQ(findOperator("convert").id, "convert");
  try {
    findOperator("covert");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Usage);
    EXPECT_STREQ(e.what(), "there is no operator covert");
    EXPECT_EQ(e.remedy(), "did you mean convert?");
  }
}

TEST(Registry, OptionsReachTheOperator) {
  const test::EveryOptions& got =
      runWith({{"size", "2"}, {"style", "smooth"}, {"caps", "off"}, {"impact", Value::Map{{"kind", 2}}}});
  EXPECT_EQ(got.size, 2.0);
  EXPECT_EQ(got.style, test::Style::Smooth);
  EXPECT_FALSE(got.caps);
  EXPECT_FALSE(got.limit.has_value());
  ASSERT_EQ(got.impacts.size(), 1u);
  EXPECT_EQ(got.impacts[0].kind, 2);
  EXPECT_EQ(got.impacts[0].dir, Vec3(0, -1, 0));
  EXPECT_EQ(got.material.density, 1000.0);
}

TEST(Registry, PresetsFillOnlyWhatIsNotSet) {
  test::EveryOptions got = runWith({{"preset", "concrete"}, {"young", 5}});
  EXPECT_EQ(got.material.density, 2400.0);
  EXPECT_EQ(got.material.young, 5.0);
  EXPECT_EQ(got.material.poisson, 0.2);
  got = runWith({{"density", 7}, {"preset", "concrete"}});
  EXPECT_EQ(got.material.density, 7.0);
  got = runWith({{"preset", "custom"}});
  EXPECT_EQ(got.material.density, 1000.0);
  const Error unknown = failure({{"preset", "concret"}}, {triangle()});
  EXPECT_STREQ(unknown.what(), "preset: there is no choice \"concret\"");
  EXPECT_EQ(unknown.remedy().compare(0, 22, "did you mean concrete?"), 0) << unknown.remedy();
}

TEST(Registry, EveryPresetIsInRange) {
  for (const MaterialPreset& preset : materialPresets()) {
    EXPECT_NO_THROW(runWith({{"preset", preset.name}})) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
  }
}

TEST(Registry, PointsBecomeRecordsAfterTheGivenOnes) {
  for (const char* name : {"impact", "hit"}) {  // the second is an alias
    const test::EveryOptions& got = runWith({{name, Value::Map{{"impulse", 1}}}}, {triangle(), hits()});
    ASSERT_EQ(got.impacts.size(), 3u);
    EXPECT_EQ(got.impacts[0].impulse, 1.0);
    EXPECT_EQ(got.impacts[1].impulse, 2.0);
    EXPECT_EQ(got.impacts[1].at, Vec3(1, 2, 3));
    EXPECT_EQ(got.impacts[1].dir, Vec3(1, 0, 0));
    EXPECT_EQ(got.impacts[2].impulse, 3.0);
    EXPECT_EQ(got.impacts[2].style, test::Style::Rough);  // no such attribute: the default
  }
}

TEST(Registry, BadPointsAreBadInput) {
  Geometry points = hits();
  points.findAttribute(Owner::Point, "impulse")->edit<float>()[1] = -3.0f;
  const Error e = failure({}, {triangle(), points});
  EXPECT_EQ(e.code(), ErrorCode::BadInput);
  EXPECT_STREQ(e.what(), "input hits: point 1: impulse: -3 is out of range");
}

TEST(Registry, InputsAreChecked) {
  EXPECT_STREQ(failure({}, {}).what(), "every needs the input geometry");
  EXPECT_STREQ(failure({}, {Item(), hits()}).what(), "every needs the input geometry");
  EXPECT_STREQ(failure({}, {triangle(), hits(), hits()}).what(), "every takes 2 inputs, got 3");
  EXPECT_STREQ(failure({}, {triangle(), Blob()}).what(), "every: the input hits is of the wrong kind");
  Geometry broken = triangle();
  broken.editPositions()[1].x() = std::numeric_limits<double>::quiet_NaN();
  const Error e = failure({}, {broken});
  EXPECT_EQ(e.code(), ErrorCode::BadInput);
  EXPECT_STREQ(e.what(), "input geometry: point 1 is not finite");
  EXPECT_NO_THROW(runWith({}, {triangle(), Item()}));
}

TEST(Registry, LastInputMayRepeat) {
  Operator op = every();
  op.inputs[1].repeats = true;
  EXPECT_NO_THROW(checkConnections(op, {true, true, true, true}));
  EXPECT_NO_THROW(checkConnections(op, {true}));
  EXPECT_THROW(checkConnections(op, {false, true}), Error);
  op.inputs.clear();
  EXPECT_THROW(checkConnections(op, {true}), Error);
}

TEST(Registry, PackedInputsAreUnpacked) {
  Geometry packed;
  PackedPrimitive primitive;
  primitive.source = std::make_shared<Geometry>(triangle());
  packed.addPacked(primitive, Vec3(0, 0, 5));
  Context context;
  hackle::Run run = runOperator(every(), Inputs({packed}), {}, context);
  EXPECT_EQ(run.outputs.geometry().countOf(PrimitiveType::Polygon), 1u);
  Operator keeps = every();
  keeps.keepsPacked = true;
  run = runOperator(keeps, Inputs({packed}), {}, context);
  EXPECT_EQ(run.outputs.geometry().countOf(PrimitiveType::Packed), 1u);
}

TEST(Registry, WarnsAboutOldNamesAndValuesWithoutEffect) {
  Context context;
  runOperator(every(), Inputs({triangle()}), {{"scale", 2}, {"style", "smooth"}, {"limit", 3}}, context);
  EXPECT_EQ(context.warnings(),
            (std::vector<std::string>{
                "scale is now called size",
                "limit has no effect here; it works when style is rough or jagged and caps is on"}));
}

TEST(Registry, DefaultsThatAreGivenAreNotWarnedAbout) {
  Context context;
  Value::Map all;
  for (const Parameter& p : every().parameters) all.emplace_back(p.name, p.defaultValue);
  runOperator(every(), Inputs({triangle()}), all, context);
  EXPECT_EQ(context.warnings(), std::vector<std::string>{});
}

TEST(Registry, ReportsSayWhatRan) {
  Context context;
  context.setThreads(1);
  const hackle::Run run = runOperator(every(), Inputs({triangle()}), {{"preset", "ice"}}, context);
  const Value report = makeReport(every(), run, context);
  EXPECT_EQ(*report.find("op"), Value("every"));
  EXPECT_EQ(*report.find("version"), Value(version()));
  EXPECT_EQ(report.find("params")->asMap().size(), every().parameters.size());
  EXPECT_EQ(*report.find("params")->find("density"), Value(917.0));
  EXPECT_EQ(*report.find("threads"), Value(1));
  EXPECT_NE(report.find("stages")->find("every"), nullptr);
  EXPECT_GT(report.find("peak_mb")->asNumber(), 1.0);
  EXPECT_EQ(*report.find("result")->find("answer"), Value(42));
  EXPECT_TRUE(report.find("warnings")->isList());
}

TEST(Registry, ErrorReportsSayWhatFailed) {
  Context context;
  context.warn("careful");
  const Value report = makeErrorReport("every", Error(ErrorCode::BadInput, "broken", "mend it"), context);
  EXPECT_EQ(report.toJson(-1), std::string("{\"op\":\"every\",\"version\":\"") + version() +
                                   "\",\"error\":{\"code\":\"bad_input\",\"message\":\"broken\","
                                   "\"remedy\":\"mend it\"},\"warnings\":[\"careful\"]}");
}
