#include "../ops/every_type_operator.h"
#include "../shapes.h"
#include "network.h"

#include <hackle/ops/material.h>
#include <sop/package/dialog_script.h>
#include <sop/package/digital_asset.h>
#include <sop/package/node_layout.h>

#include <gtest/gtest.h>

using namespace hackle;
using namespace hackle::test;

namespace {

/// A node of the operator that has everything, on a box.
struct EveryNode {
  EveryNode() {
    static const Operator* op = [] {
      auto* made = new Operator(everyOperator());
      SOP_Hackle::registerNode(*made, nodeTable());
      return made;
    }();
    node = makeNode(op->id, {&box});
  }
  const EveryOptions& cook() {
    EXPECT_EQ(node->cookAt(), UT_ERROR_NONE) << joined(node->errors);
    return lastOptions();
  }
  const PRM_Template& parm(const std::string& name) const {
    for (const PRM_Template& t : *node->entry->templates->list) {
      if (t.name == name) return t;
      for (const PRM_Template& field : t.fields)
        if (field.name == name) return field;
    }
    throw std::invalid_argument(name);
  }
  SourceNode box{shapes::box()};
  std::unique_ptr<SOP_Node> node;
};

}  // namespace

TEST(NodeParameters, DefaultsAreTheOperators) {
  EveryNode every;
  const EveryOptions expected{}, got = every.cook();
  EXPECT_EQ(got.style, expected.style);
  EXPECT_EQ(got.size, expected.size);
  EXPECT_EQ(got.seed, expected.seed);
  EXPECT_EQ(got.title, expected.title);
  EXPECT_EQ(got.direction, expected.direction);
  EXPECT_EQ(got.limit, expected.limit);
  EXPECT_EQ(got.profile.knots.size(), 2u);
  EXPECT_TRUE(got.impacts.empty());
  EXPECT_EQ(got.material.density, expected.material.density);
  EXPECT_TRUE(every.node->warnings.empty()) << joined(every.node->warnings);
}

TEST(NodeParameters, EveryTypeArrives) {
  EveryNode every;
  SOP_Node& node = *every.node;
  node.set("style", "jagged");
  node.set("size", "2.5");
  node.set("count", "17");
  node.set("seed", "123456789012");
  node.set("caps", "1");
  node.set("title", "a \"title\"");
  node.set("direction", {"1", "2", "3"});
  node.set("tint", {"0.5", "0.25", "0"});
  node.set("profile", {"0", "1", "0.5", "-1", "1", "2"});
  node.set("pieces", "inside*");
  node.set("weight", "Cd");
  node.set("field", "density");
  node.set("use_limit", "1");
  node.set("limit", "4");
  const EveryOptions got = every.cook();
  EXPECT_EQ(got.style, Style::Jagged);
  EXPECT_EQ(got.size, 2.5);
  EXPECT_EQ(got.count, 17);
  EXPECT_EQ(got.seed, 123456789012u);
  EXPECT_EQ(got.title, "a \"title\"");
  EXPECT_EQ(got.direction, Vec3(1, 2, 3));
  EXPECT_EQ(got.tint, Vec3(0.5, 0.25, 0));
  ASSERT_EQ(got.profile.knots.size(), 3u);
  EXPECT_EQ(got.profile.knots[1].value, -1);
  EXPECT_EQ(got.pieces, "inside*");
  EXPECT_EQ(got.limit, 4.0);
}

TEST(NodeParameters, RecordsComeFromMultiparms) {
  EveryNode every;
  every.node->set("impact", "2");
  every.node->set("impact_at1", {"0", "1", "0"});
  every.node->set("impact_impulse2", "7");
  every.node->set("impact_style2", "smooth");
  const EveryOptions got = every.cook();
  ASSERT_EQ(got.impacts.size(), 2u);
  EXPECT_EQ(got.impacts[0].at, Vec3(0, 1, 0));
  EXPECT_EQ(got.impacts[1].impulse, 7);
  EXPECT_EQ(got.impacts[1].style, Style::Smooth);
  EXPECT_EQ(got.impacts[1].dir, Vec3(0, -1, 0));
}

TEST(NodeParameters, RecordsComeFromPointsToo) {
  EveryNode every;
  Geometry hits;
  hits.addPoint(Vec3(4, 5, 6));
  Attribute& impulse = hits.addAttribute(Owner::Point, Attribute("impulse", Storage::Float32, 1));
  impulse.edit<float>()[0] = 8;
  SourceNode source(hits);
  every.node->setInput(1, &source);
  every.node->set("impact", "1");
  const EveryOptions got = every.cook();
  ASSERT_EQ(got.impacts.size(), 2u);
  EXPECT_EQ(got.impacts[1].at, Vec3(4, 5, 6));
  EXPECT_EQ(got.impacts[1].impulse, 8);
}

TEST(NodeParameters, PresetsFillWhatIsNotSet) {
  EveryNode every;
  every.node->set("preset", "glass");
  every.node->set("density", "1000");  // greyed: the preset counts
  EXPECT_EQ(every.cook().material.density, 2500);
  every.node->set("use_density", "1");
  EXPECT_EQ(every.cook().material.density, 1000);
  EXPECT_EQ(every.cook().material.young, 70e9);
  every.node->set("preset", "custom");
  every.node->set("use_density", "0");
  every.node->set("density", "123");
  EXPECT_EQ(every.cook().material.density, 123);
}

TEST(NodeParameters, GreyedFieldsHaveNoSay) {
  EveryNode every;
  every.node->set("use_limit", "1");
  every.node->set("limit", "4");
  every.node->set("style", "smooth");
  EXPECT_EQ(every.cook().limit, std::nullopt);
  EXPECT_TRUE(every.node->warnings.empty()) << joined(every.node->warnings);
}

TEST(NodeParameters, ValuesOutOfRangeAreAnErrorWithItsRemedy) {
  EveryNode every;
  every.node->set("count", "1000");
  EXPECT_EQ(every.node->cookAt(), UT_ERROR_ABORT);
  ASSERT_EQ(every.node->errors.size(), 1u);
  EXPECT_NE(every.node->errors[0].find("count: 1000 is out of range. Remedy: count must be 1 to 100"),
            std::string::npos)
      << every.node->errors[0];
}

TEST(NodeParameters, AnimatedValuesAreReadAtTheTimeOfTheCook) {
  EveryNode every;
  every.node->set("size", "$T");
  every.node->cookAt(1.5);
  EXPECT_EQ(lastOptions().size, 1.5);
  every.node->cookAt(2.5);
  EXPECT_EQ(lastOptions().size, 2.5);
}

TEST(NodeParameters, TheDialogShowsTheTable) {
  const EveryNode every;
  EXPECT_EQ(every.parm("title").folder, "Look");
  EXPECT_EQ(every.parm("density").folder, "Material");
  EXPECT_EQ(every.parm("style").type, "ordinal");
  EXPECT_EQ(every.parm("style").menu.size(), 3u);
  EXPECT_EQ(every.parm("style").defaults[0], "rough");
  EXPECT_EQ(every.parm("size").low, 0.0);
  EXPECT_TRUE(every.parm("size").lowStrict);
  EXPECT_FALSE(every.parm("size").highStrict);
  EXPECT_EQ(every.parm("young").type, "log");
  EXPECT_EQ(every.parm("direction").size, 3);
  EXPECT_EQ(every.parm("tint").type, "color");
  EXPECT_EQ(every.parm("profile").type, "ramp_flt");
  EXPECT_EQ(every.parm("impact").type, "multiparm");
  EXPECT_EQ(every.parm("impact").fields.size(), 5u);
  EXPECT_EQ(every.parm("impact_at#").size, 3);
  EXPECT_EQ(every.parm("limit").disableWhen,
            "{ style != rough style != jagged } { caps != 1 } { use_limit == 0 }");
  EXPECT_TRUE(every.parm("use_limit").joinNext);
  EXPECT_EQ(every.parm("density").disableWhen, "{ preset != custom use_density == 0 }");
  EXPECT_EQ(every.parm("pieces").choices, &SOP_Node::primGroupMenu);
  EXPECT_EQ(every.parm("weight").choices, &SOP_Node::pointAttribReplaceMenu);
  EXPECT_EQ(every.parm("field").choices, &SOP_Node::namedPrimsMenu);
  EXPECT_EQ(every.parm("picture_file").type, "file");
  EXPECT_NE(every.parm("size").help.find("Edge length."), std::string::npos);
  EXPECT_EQ(every.parm("hackle_stream").menu.size(), 3u);
}

TEST(NodeParameters, QuotesAreEscaped) {
  EXPECT_EQ(houdini::quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c\\nd\"");
}

TEST(Assets, DefaultRecordsAndKnotsAreLinked) {
  // Houdini links records that are added later; those that are there from the start have rows of their own.
  Operator op = everyOperator();
  for (Parameter& p : op.parameters)
    if (p.name == "impact")
      p.defaultValue = Value::List{Value::Map{{"at", Value::List{1.0, 2.0, 3.0}}, {"style", "jagged"}}};
  const houdini::Asset asset = houdini::fractureAsset(op, "0");
  const auto row = [&](const std::string& name) {
    for (const houdini::AssetSetting& s : asset.nodes.at(0).settings)
      if (s.name == name) return s;
    throw std::invalid_argument(name);
  };
  EXPECT_EQ(row("impact").values, std::vector<std::string>{"1"});
  EXPECT_EQ(row("impact_at1").values, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(row("impact_at1").channels,
            (std::vector<std::string>{"impact_at1x", "impact_at1y", "impact_at1z"}));
  EXPECT_EQ(row("impact_style1").values, std::vector<std::string>{"2"});
  EXPECT_EQ(row("profile").values, std::vector<std::string>{"2"});
  EXPECT_EQ(row("profile2pos").values, std::vector<std::string>{"1"});
  EXPECT_EQ(row("profile2value").expressions, std::vector<std::string>{"ch(\\\"../profile2value\\\")"});
  EXPECT_EQ(row("caps").values, std::vector<std::string>{"1"});
}
TEST(Assets, UnwiredInputsHaveRows) {
  houdini::Asset asset;
  asset.name = "x";
  asset.nodes = {{"a", "null", {"(0)"}, {}, {}}, {"b", "merge", {"", "a"}, {}, {}}};
  std::string contents;
  for (const auto& [path, text] : houdini::libraryFiles(asset))
    if (path.find("Contents.mime") != std::string::npos) contents = text;
  EXPECT_NE(contents.find("0 \t\"\" \"\" 1 \"input1\"\n1 \ta 1 1 \"input2\"\n"), std::string::npos)
      << contents;
  EXPECT_NE(contents.find("0 \t\"\" 0 1\n1 \ta 0 1\n"), std::string::npos);
}
