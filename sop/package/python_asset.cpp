#include <hackle/ops/describe.h>
#include <sop/package/dialog_script.h>
#include <sop/package/icon.h>
#include <sop/package/node_layout.h>
#include <sop/package/python_asset.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

// Inputs of Houdini's Python SOP.
constexpr size_t kMostInputs = 4;

const char* const kCode = "\"import hackle_nodes\nhackle_nodes.cook(hou.pwd())\n\"";

Value describedParameter(const Operator* op, const Parameter& p) {
  Value::List fields, empty;
  for (const Parameter& field : p.fields) fields.push_back(describedParameter(nullptr, field));
  const Parameter* preset = op ? presetOf(*op, p) : nullptr;
  if (preset)
    for (const std::string& token : emptyPresets(*preset)) empty.push_back(token);
  return Value::Map{{"name", p.name},
                    {"type", parameterTypeName(p.type)},
                    {"default", p.defaultValue.isNull() ? "" : valueText(p, p.defaultValue)},
                    {"optional", p.optional},
                    {"preset", preset ? Value(preset->name) : Value()},
                    {"empty_presets", std::move(empty)},
                    {"fields", std::move(fields)}};
}

Value describedPorts(const std::vector<Port>& ports) {
  Value::List list;
  for (const Port& port : ports)
    list.push_back(Value::Map{{"name", port.name},
                              {"type", port.type == PortType::Geometry ? "geometry"
                                       : port.type == PortType::Image  ? "image"
                                                                       : "data"}});
  return list;
}

}  // namespace

bool hasPythonAsset(const Operator& op) {
  const auto isGeometry = [](const Port& port) { return port.type == PortType::Geometry; };
  return op.inputs.size() <= kMostInputs && std::all_of(op.inputs.begin(), op.inputs.end(), isGeometry) &&
         std::any_of(op.outputs.begin(), op.outputs.end(), isGeometry) &&
         std::none_of(op.outputs.begin(), op.outputs.end(),
                      [](const Port& port) { return port.type == PortType::Image; });
}

Asset pythonAsset(const Operator& op, const std::string& release) {
  Asset asset;
  asset.name = op.id;
  asset.version = kNodeVersion;
  asset.table = "Sop";
  asset.label = "Hackle " + op.label;
  asset.menuPath = tabMenuPath(op);
  asset.iconSvg = iconSvg(op);
  asset.blocks = parameterBlocks(op, {/*streams=*/true, /*menus=*/true, /*packed=*/false});
  for (const Port& port : op.inputs) {
    asset.inputLabels.push_back(port.label);
    if (!port.optional) asset.requiredInputs = asset.inputLabels.size();
  }
  asset.outputLabels = {"Output"};
  AssetNode work{"work", "python", {}, {{"python", {kCode}, {}, {}}}, {}};
  for (size_t i = 0; i < op.inputs.size(); ++i) work.inputs.push_back(fmt::format("({})", i));
  asset.nodes = {work, {"output0", "output", {"work"}, {{"outputidx", {"0"}, {}, {}}}, {}}};
  asset.shownNode = "output0";
  asset.state = viewerState(op);
  asset.release = release;
  return asset;
}

Value operatorDescriptions(const std::vector<Operator>& operators) {
  Value::List list;
  for (const Operator& op : operators) {
    Value::List parameters;
    for (const Parameter& p : op.parameters) parameters.push_back(describedParameter(&op, p));
    list.push_back(Value::Map{{"id", op.id},
                              {"label", op.label},
                              {"inputs", describedPorts(op.inputs)},
                              {"outputs", describedPorts(op.outputs)},
                              {"parameters", std::move(parameters)}});
  }
  return list;
}

}  // namespace hackle::houdini
