// Rules that every registered operator keeps, so that every front can show it well.
#include <hackle/ops/describe.h>
#include <hackle/ops/registry.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ops/every_type_operator.h"

using namespace hackle;

namespace {

bool isSnakeCase(const std::string& name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' && name.back() != '_' &&
         std::all_of(name.begin(), name.end(), allowed) && name.find("__") == std::string::npos;
}

bool isNumber(ParameterType type) {
  return type == ParameterType::Float || type == ParameterType::Int || type == ParameterType::Vector;
}

/// What is wrong with a row, one line a fault.
std::vector<std::string> faults(const Parameter& p) {
  std::vector<std::string> found;
  const auto demand = [&](bool holds, const char* fault) {
    if (!holds) found.emplace_back(fault);
  };
  demand(isSnakeCase(p.name), "its name is not lower_snake_case");
  demand(!p.label.empty(), "it has no label");
  demand(!p.help.empty(), "it has no help");
  if (isNumber(p.type)) {
    demand(!p.unit.empty(), "it has no unit (\"none\" for pure numbers)");
    demand(p.hardMin || p.hardMax || (p.softMin && p.softMax), "it has no range");
  }
  demand(!p.hardMin || !p.hardMax || *p.hardMin < *p.hardMax, "its hard range is empty");
  demand(!p.softMin || !p.softMax || *p.softMin < *p.softMax, "its soft range is empty");
  if (p.type == ParameterType::Menu) demand(!p.menu.empty(), "its menu is empty");
  std::set<std::string> tokens;
  for (const MenuItem& item : p.menu) {
    demand(tokens.insert(item.token).second, "a menu token appears twice");
    demand(!item.label.empty(), "a menu item has no label");
    demand(!item.token.empty() && item.token.find_first_of(" ,=") == std::string::npos,
           "a menu token is empty or has a space, comma or equals sign");
  }
  if (p.type == ParameterType::List) demand(!p.fields.empty(), "its records have no fields");
  try {
    demand(checkedValue(p, p.defaultValue) == p.defaultValue, "its default changes when it is checked");
  } catch (const Error&) {
    demand(false, "its default is not allowed");
  }
  return found;
}

void expectGoodTable(const std::vector<Parameter>& table, const std::string& where) {
  std::set<std::string> names;
  for (const Parameter& p : table) {
    for (const std::string& fault : faults(p)) ADD_FAILURE() << where << "." << p.name << ": " << fault;
    std::vector<std::string> all = p.aliases;
    all.push_back(p.name);
    for (const std::string& name : all)
      EXPECT_TRUE(names.insert(name).second) << where << ": the name " << name << " appears twice";
    for (const Condition& condition : p.enabledWhen) {
      const Parameter* other = findParameter(table, condition.parameter);
      ASSERT_TRUE(other && other != &p) << where << "." << p.name << " depends on " << condition.parameter;
      for (const std::string& token : condition.tokens)
        EXPECT_NO_THROW(checkedValue(*other, token)) << where << "." << p.name << " depends on " << token;
    }
    expectGoodTable(p.fields, where + "." + p.name);
  }
  // --no-x switches x off, so nothing else may be called no_x.
  for (const Parameter& p : table)
    EXPECT_FALSE(p.type == ParameterType::Toggle && names.count("no_" + p.name)) << where << "." << p.name;
}

void expectGoodPorts(const std::vector<Port>& ports, const std::string& where) {
  std::set<std::string> names;
  for (const Port& port : ports) {
    EXPECT_TRUE(isSnakeCase(port.name)) << where << ": " << port.name;
    EXPECT_TRUE(names.insert(port.name).second) << where << ": two ports are called " << port.name;
    EXPECT_FALSE(port.label.empty()) << where << ": " << port.name << " has no label";
    EXPECT_FALSE(port.help.empty()) << where << ": " << port.name << " has no help";
    EXPECT_TRUE(!port.repeats || &port == &ports.back()) << where << ": " << port.name << " repeats";
  }
}

void expectGoodOperator(const Operator& op) {
  EXPECT_TRUE(isSnakeCase(op.id)) << op.id;
  EXPECT_FALSE(op.label.empty()) << op.id;
  EXPECT_FALSE(op.summary.empty()) << op.id;
  EXPECT_EQ(op.summary.find('\n'), std::string::npos) << op.id << ": the summary is one line";
  EXPECT_FALSE(op.help.empty()) << op.id;
  EXPECT_FALSE(op.category.empty()) << op.id;
  expectGoodPorts(op.inputs, op.id + " inputs");
  expectGoodPorts(op.outputs, op.id + " outputs");
  expectGoodTable(op.parameters, op.id);
  for (const Port& port : op.outputs) {
    const Parameter* toggle = port.toggle.empty() ? nullptr : findParameter(op.parameters, port.toggle);
    EXPECT_TRUE(port.toggle.empty() || (toggle && toggle->type == ParameterType::Toggle))
        << op.id << ": there is no toggle " << port.toggle;
  }
  for (const Parameter& p : op.parameters) {
    for (const std::string& name : reservedNames()) EXPECT_NE(p.name, name) << op.id;
    const bool known =
        p.pointsInput.empty() || std::any_of(op.inputs.begin(), op.inputs.end(),
                                             [&](const Port& port) { return port.name == p.pointsInput; });
    EXPECT_TRUE(known) << op.id << "." << p.name << ": there is no input " << p.pointsInput;
  }
  for (const std::string& example : op.examples)
    EXPECT_EQ(example.compare(0, op.id.size() + 1, op.id + " "), 0) << op.id << ": " << example;
  ASSERT_TRUE(op.makeOptions && op.run) << op.id;
  const std::shared_ptr<void> options = op.makeOptions();
  for (const Parameter& p : op.parameters)
    EXPECT_EQ(p.load(options.get()), p.defaultValue) << op.id << "." << p.name;
}

}  // namespace

TEST(Catalogue, EveryOperatorCanBeShown) {
  std::set<std::string> ids;
  for (const Operator& op : operators()) {
    EXPECT_TRUE(ids.insert(op.id).second) << "two operators are called " << op.id;
    expectGoodOperator(op);
  }
  expectGoodOperator(test::everyOperator());
}

TEST(Catalogue, TheRulesCatchFaults) {
  const Operator op = test::everyOperator();
  const auto broken = [&](const char* name, auto&& spoil) {
    Parameter p = *findParameter(op.parameters, name);
    EXPECT_TRUE(faults(p).empty()) << name;
    spoil(p);
    return faults(p).size();
  };
  EXPECT_EQ(broken("size", [](Parameter& p) { p.help.clear(); }), 1u);
  EXPECT_EQ(broken("size", [](Parameter& p) { p.unit.clear(); }), 1u);
  EXPECT_EQ(broken("seed", [](Parameter& p) { p.softMin = p.softMax = std::nullopt; }), 1u);
  EXPECT_EQ(broken("style", [](Parameter& p) { p.menu.clear(); }), 2u);
  EXPECT_EQ(broken("size", [](Parameter& p) { p.name = "Size"; }), 1u);
  EXPECT_EQ(broken("count", [](Parameter& p) { p.defaultValue = 1000; }), 1u);
}
