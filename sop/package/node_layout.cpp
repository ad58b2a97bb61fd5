#include <sop/package/node_layout.h>

#include <algorithm>

namespace hackle::houdini {

const char* const kNodeVersion = "1.0";
const char* const kStreamParameter = "hackle_stream";
const char* const kAllStreams = "all";
const char* const kStreamAttribute = "hackle_stream";

namespace {

std::vector<size_t> portsOf(const Operator& op, bool pictures) {
  std::vector<size_t> ports;
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if ((op.outputs[i].type == PortType::Image) == pictures) ports.push_back(i);
  return ports;
}

}  // namespace

std::string nodeTypeName(const Operator& op) { return "hackle::" + op.id + "::" + kNodeVersion; }

std::string helpPath(const std::string& name) { return "hackle--" + name + "-" + kNodeVersion; }

std::string iconName(const Operator& op) { return "hackle_" + op.id; }

std::string tabMenuPath(const Operator& op) { return "Hackle/" + op.category; }

std::vector<size_t> streamPorts(const Operator& op) { return portsOf(op, false); }

std::vector<size_t> picturePorts(const Operator& op) { return portsOf(op, true); }

std::string pictureParameter(const Port& port) { return port.name + "_file"; }

std::string toggleName(const Parameter& parameter) { return "use_" + parameter.name; }

std::string fieldName(const Parameter& list, const std::string& field) {
  return list.name + "_" + field + "#";
}

unsigned requiredInputs(const Operator& op) {
  unsigned count = 0;
  while (count < op.inputs.size() && !op.inputs[count].optional) ++count;
  return count;
}

std::string viewerState(const Operator& op) {
  const auto isPlace = [](const Parameter& p) { return p.name == "at" && p.type == ParameterType::Vector; };
  for (const Parameter& p : op.parameters)
    if (isPlace(p) || std::any_of(p.fields.begin(), p.fields.end(), isPlace)) return "hackle_place";
  return "";
}

const Parameter* presetOf(const Operator& op, const Parameter& parameter) {
  for (const Parameter& menu : op.parameters) {
    if (!menu.fills) continue;
    for (const MenuItem& item : menu.menu)
      for (const auto& [name, value] : menu.fills(item.token))
        if (findParameter(op.parameters, name) == &parameter) return &menu;
  }
  return nullptr;
}

std::vector<std::string> emptyPresets(const Parameter& menu) {
  std::vector<std::string> tokens;
  for (const MenuItem& item : menu.menu)
    if (menu.fills(item.token).empty()) tokens.push_back(item.token);
  return tokens;
}

Value::Map givenValues(const Operator& op, const Value::Map& set) {
  const Value::Map all = checkedValues(op.parameters, set, op.id);
  Value::Map given;
  for (const auto& [name, value] : set) {
    const Parameter& p = *findParameter(op.parameters, name);
    const Value& checked = all[&p - op.parameters.data()].second;
    if (isEnabled(p, all) && (checked != p.defaultValue || presetOf(op, p)))
      given.emplace_back(name, checked);
  }
  return given;
}

}  // namespace hackle::houdini
