// Every operator of the registry as a node: with defaults, and with each item of each menu.
#include "../shapes.h"
#include "network.h"

#include <hackle/volume/grid.h>
#include <sop/package/node_layout.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

using namespace hackle;
using namespace hackle::test;

namespace {

/// Values that make an operator quick enough for a test, whatever it is, by the name of the parameter.
void makeQuick(SOP_Node& node) {
  static const std::map<std::string, std::string> kValues{
      {"width", "32"},     {"height", "24"}, {"samples", "1"}, {"cells", "5"},        {"cell_size", "0.4"},
      {"elements", "100"}, {"modes", "2"},   {"starts", "1"},  {"pieces", "4"},       {"max_pieces", "6"},
      {"triangles", "60"}, {"heights", "2"}, {"repeats", "1"}, {"orientations", "4"}, {"held_out", "1"},
      {"ratio", "4"},      {"frames", "1"}};
  for (const PRM_Template& t : *node.entry->templates->list) {
    const auto value = kValues.find(t.name);
    if (value != kValues.end() && t.menu.empty()) node.set(value->first, value->second);
    if (t.name == "refine_angle") node.set("fine", "0.3");  // a sheet: a third of the box
  }
}

/// What can be connected to an input: the first that the operator takes is used.
class Candidates {
 public:
  Candidates() {
    mNodes.push_back(std::make_unique<SourceNode>(shapes::box()));
    const auto sdf = makeNode("sdf", {mNodes[0].get()});
    sdf->cookAt();
    mNodes.push_back(std::make_unique<SourceNode>(result(*sdf)));
    Geometry pieces = shapes::box();
    pieces.append(shapes::box({1.5, 0, 0}, {2.5, 1, 1}));
    shapes::setNames(pieces, [](size_t p) { return p < 6 ? "piece0" : "piece1"; });
    mNodes.push_back(std::make_unique<SourceNode>(pieces));
    const auto tets = makeNode("tets", {mNodes[0].get()});
    tets->cookAt();
    mNodes.push_back(std::make_unique<SourceNode>(result(*tets)));
    addData();
  }
  const std::vector<std::unique_ptr<SOP_Node>>& nodes() const { return mNodes; }

 private:
  /// Nodes that make data, with a box on every input they need.
  void addData() {
    for (const Operator& op : nodeOperators())
      for (const size_t port : houdini::streamPorts(op)) {
        if (op.outputs[port].type != PortType::Blob) continue;
        std::vector<SOP_Node*> inputs;
        for (const Port& input : op.inputs)
          if (!input.optional) inputs.push_back(mNodes[0].get());
        auto node = makeNode(op.id, inputs);
        makeQuick(*node);
        if (houdini::streamPorts(op).size() > 1) node->set(houdini::kStreamParameter, op.outputs[port].name);
        if (node->cookAt() == UT_ERROR_NONE) mNodes.push_back(std::move(node));
      }
  }
  std::vector<std::unique_ptr<SOP_Node>> mNodes;
};

const Candidates& candidates() {
  static const Candidates* all = new Candidates;
  return *all;
}

/// A node that cooks with its defaults, on the first inputs that it takes; null with the last errors if none
/// is.
std::unique_ptr<SOP_Node> cookedNode(const Operator& op, std::string& errors) {
  size_t needed = 0;
  for (const Port& port : op.inputs) needed += !port.optional;
  const auto& nodes = candidates().nodes();
  size_t choices = 1;
  for (size_t i = 0; i < needed; ++i) choices *= nodes.size();
  for (size_t choice = 0; choice < choices; ++choice) {
    std::vector<SOP_Node*> inputs;
    size_t rest = choice;
    for (size_t i = 0; i < needed; ++i, rest /= nodes.size())
      inputs.push_back(nodes[rest % nodes.size()].get());
    auto node = makeNode(op.id, inputs);
    makeQuick(*node);
    for (const size_t port : houdini::picturePorts(op))
      node->set(houdini::pictureParameter(op.outputs[port]),
                (std::filesystem::temp_directory_path() / fmt::format("hackle_sop_{}.png", op.id)).string());
    if (node->cookAt() == UT_ERROR_NONE) return node;
    errors = joined(node->errors);
    // Some break nothing without a record or two.
    for (const Parameter& p : op.parameters) {
      if (p.type != ParameterType::List) continue;
      node->set(p.name, "1");
      if (node->cookAt() == UT_ERROR_NONE) return node;
      errors += joined(node->errors);
    }
  }
  return nullptr;
}

class EveryOperator : public testing::TestWithParam<std::string> {};

std::vector<std::string> ids() {
  std::vector<std::string> all;
  for (const Operator& op : nodeOperators()) all.push_back(op.id);
  return all;
}

}  // namespace

TEST(Nodes, AllOperatorsAreNodes) {
  for (const Operator& op : nodeOperators()) {
    const OP_Operator* entry = nodeTable().find("hackle::" + op.id + "::1.0");
    ASSERT_NE(entry, nullptr) << op.id;
    EXPECT_EQ(entry->english, "Hackle " + op.label);
    EXPECT_EQ(entry->menuPath, "Hackle/" + op.category);
    EXPECT_EQ(entry->iconName, "hackle_" + op.id);
    EXPECT_EQ(entry->inputLabels.size(), op.inputs.size());
    EXPECT_NE(SOP_NodeVerb::lookupVerb(entry->getName()), nullptr);
    EXPECT_EQ(entry->flags != 0, op.inputs.empty());
  }
}

TEST(Nodes, ThePluginExportsWhatHoudiniLooksFor) {
  EXPECT_NE(dlsym(RTLD_DEFAULT, "newSopOperator"), nullptr);
}

TEST(Nodes, NoExceptionReachesHoudini) {
  OP_OperatorTable table;
  table.full = true;
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW(newSopOperator(&table));
  EXPECT_EQ(table.items.size(), nodeOperators().size());  // it goes on with the next
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the node voronoi cannot be made: the table is full"),
            std::string::npos);
}

TEST(Nodes, MissingInputsAreErrors) {
  for (const Operator& op : nodeOperators()) {
    if (op.inputs.empty() || op.inputs[0].optional) continue;
    const auto node = makeNode(op.id);
    EXPECT_EQ(node->cookAt(), UT_ERROR_ABORT) << op.id;
    EXPECT_FALSE(node->errors.empty()) << op.id;
  }
}

TEST_P(EveryOperator, CooksWithDefaultsAndEachMenuItem) {
  const Operator& op = findOperator(GetParam());
  std::string errors;
  const auto node = cookedNode(op, errors);
  ASSERT_NE(node, nullptr) << errors;
  std::vector<std::string> failures;
  const auto tryItem = [&](const std::string& menu, const std::string& token) {
    const auto before = node->parms;
    node->set(menu, token);
    // An item may need what the box does not have: then the node says what to do.
    if (node->cookAt() != UT_ERROR_NONE) {
      EXPECT_NE(node->errors[0].find("Remedy: "), std::string::npos)
          << op.id << ": " << menu << " " << token << ": " << node->errors[0];
      EXPECT_EQ(node->detail().getNumPoints(), 0);
      failures.push_back(menu + " " + token + ": " + node->errors[0]);
    } else if (cacheOf(*node).memo().found() > 0) {
      // What was kept from cooks before must not show.
      const auto fresh = makeNode(op.id, node->inputs);
      fresh->parms = node->parms;
      fresh->cookAt();
      EXPECT_TRUE(contentOf(*node) == contentOf(*fresh)) << op.id << ": " << menu << " " << token;
      EXPECT_EQ(node->warnings, fresh->warnings) << op.id << ": " << menu << " " << token;
    }
    node->parms = before;
    node->dirty = true;
  };
  for (const PRM_Template& t : *node->entry->templates->list) {
    for (const auto& [token, label] : t.menu) tryItem(t.name, token);
    if (t.type == "toggle")
      for (const char* value : {"0", "1"}) tryItem(t.name, value);
  }
  if (std::getenv("HACKLE_VERBOSE")) std::printf("%s", joined(failures).c_str());
}

INSTANTIATE_TEST_SUITE_P(Nodes, EveryOperator, testing::ValuesIn(ids()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });
