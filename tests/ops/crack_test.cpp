// The operator crack: pieces that add up, cracks where they are due, and what it refuses.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>
#include <shapes.h>

#include <cmath>
#include <functional>

namespace hackle {
namespace {

Value::Map record(std::initializer_list<std::pair<std::string, Value>> fields) {
  Value::Map map;
  for (const auto& f : fields) map.emplace_back(f.first, f.second);
  return map;
}
Value::List vec(double x, double y, double z) { return {x, y, z}; }

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
  return runOperator(findOperator("crack"), Inputs(std::move(inputs)), more, context).outputs;
}
Outputs crack(std::vector<Item> inputs, Value::List conditions, Value::Map more = {}) {
  Context context;
  return crack(std::move(inputs), std::move(conditions), std::move(more), context);
}

double number(const Outputs& outputs, const char* name) { return outputs.result.find(name)->asNumber(); }

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_FALSE(e.remedy().empty()) << e.what();
    return e.what();
  }
  return "";
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

TEST(CrackOperator, NothingBreaksBelowTheToughnessAndTheStrength) {
  Context context;
  const Outputs outputs = crack({block(4)}, pulled(1e5), {{"initial", disc()}, {"ratio", 8}}, context);
  EXPECT_EQ(number(outputs, "pieces"), 1);
  EXPECT_LT(number(outputs, "volume_error"), 1e-9);
  ASSERT_EQ(context.warnings().size(), 1u);
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
  const std::vector<Item> inputs{block(4), Item(), Item(), fields};
  EXPECT_EQ(number(crack(inputs, pulled(4e6), held), "pieces"), 1);
  const std::string missing = refusal([&] { crack({block(4)}, pulled(4e6), held); });
  EXPECT_NE(missing.find("VDB toughness"), std::string::npos) << missing;
}

TEST(CrackOperator, Refuses) {
  EXPECT_NE(refusal([] { crack({block(4)}, {}); }).find("no condition"), std::string::npos);
  EXPECT_NE(refusal([] {
              crack({block(4)}, pulled(1e6), {{"initial", disc(2)}});
            }).find("initial crack 1"),
            std::string::npos);
}

}  // namespace
}  // namespace hackle
