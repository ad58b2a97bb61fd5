#include <hackle/ops/describe.h>
#include <sop/package/dialog_script.h>
#include <sop/package/digital_asset.h>
#include <sop/package/icon.h>
#include <sop/package/node_layout.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

const char* const kStreams[] = {"geometry", "constraints", "proxies"};

bool isText(const Parameter& p) {
  return p.type == ParameterType::String || p.type == ParameterType::File || p.type == ParameterType::Group ||
         p.type == ParameterType::Attribute || p.type == ParameterType::Volume;
}

/// Names of a parameter's components: "atx", "aty", "atz".
std::vector<std::string> channelsOf(const std::string& name, const Parameter& p) {
  const char* const letters = p.type == ParameterType::Vector   ? "xyz"
                              : p.type == ParameterType::Colour ? "rgb"
                                                                : "";
  std::vector<std::string> names;
  for (const char* c = letters; *c != '\0'; ++c) names.push_back(name + *c);
  if (names.empty()) names.push_back(name);
  return names;
}

/// The components of a value as a driven row stores them: menus and toggles as whole numbers.
std::vector<std::string> valuesOf(const Parameter& p, const Value& value) {
  switch (p.type) {
    case ParameterType::Vector:
    case ParameterType::Colour: {
      std::vector<std::string> numbers;
      for (size_t c = 0; c < 3; ++c)
        numbers.push_back(numberText(value.isNull() ? 0.0 : value.asList()[c].asNumber()));
      return numbers;
    }
    case ParameterType::Toggle:
      return {value.isNull() || !value.asBool() ? "0" : "1"};
    case ParameterType::Menu: {
      const auto item = std::find_if(p.menu.begin(), p.menu.end(), [&](const MenuItem& m) {
        return !value.isNull() && m.token == value.asString();
      });
      return {std::to_string(item == p.menu.end() ? 0 : item - p.menu.begin())};
    }
    case ParameterType::Float:
    case ParameterType::Int:
      return {numberText(value.isNull() ? restingNumber(p) : value.asNumber())};
    case ParameterType::List:
    case ParameterType::Ramp:
      return {std::to_string(value.isNull() ? 0 : value.asList().size())};
    default:
      return {quoted(value.isNull() ? "" : value.asString())};
  }
}

/// Follows the asset's parameter of the same name. Of lists and ramps that is the number of records.
AssetSetting follow(const std::string& name, const Parameter& p, const Value& value) {
  return followingSetting(name, channelsOf(name, p), valuesOf(p, value), isText(p));
}

AssetSetting followToggle(const std::string& name, bool on) {
  return followingSetting(name, {name}, {on ? "1" : "0"}, false);
}

std::string numbered(std::string name, size_t record) {
  return name.replace(name.find('#'), 1, std::to_string(record));
}

/// Rows of the records that a list has by default: Houdini links only those that are added later by itself.
void followRecords(const Parameter& list, std::vector<AssetSetting>& settings) {
  size_t record = 0;
  for (const Value& values : list.defaultValue.asList()) {
    ++record;
    for (const Parameter& field : list.fields) {
      const Value* value = values.find(field.name);
      const bool set = value && !value->isNull();
      if (field.optional)
        settings.push_back(followToggle(numbered(fieldName(list, toggleName(field)), record), set));
      settings.push_back(
          follow(numbered(fieldName(list, field.name), record), field, set ? *value : field.defaultValue));
    }
  }
}

/// Rows of the knots that a ramp has by default.
void followKnots(const Parameter& ramp, std::vector<AssetSetting>& settings) {
  size_t knot = 0;
  for (const Value& pair : ramp.defaultValue.asList()) {
    const std::string base = ramp.name + std::to_string(++knot);
    const auto add = [&](const std::string& name, const std::string& value) {
      settings.push_back(followingSetting(name, {name}, {value}, false));
    };
    add(base + "pos", numberText(pair.asList()[0].asNumber()));
    add(base + "value", numberText(pair.asList()[1].asNumber()));
    add(base + "interp", "1");  // linear, the second item of the menu
  }
}

/// All parameters follow those outside.
std::vector<AssetSetting> followAll(const Operator& op) {
  std::vector<AssetSetting> settings{{kStreamParameter, {quoted(kAllStreams)}, {}, {}}};
  for (const Parameter& p : op.parameters) {
    if (p.type != ParameterType::List && (p.optional || presetOf(op, p)))
      settings.push_back(followToggle(toggleName(p), false));
    settings.push_back(follow(p.name, p, p.defaultValue));
    if (p.type == ParameterType::List) followRecords(p, settings);
    if (p.type == ParameterType::Ramp) followKnots(p, settings);
  }
  return settings;
}

/// What Houdini links when a record or a knot is added (its command opmultiparm).
std::vector<std::string> recordLinks(const Operator& op) {
  std::vector<std::string> links;
  for (const Parameter& p : op.parameters) {
    if (p.type == ParameterType::Ramp)
      for (const char* part : {"pos", "value", "interp"}) links.push_back(fmt::format("{}#{}", p.name, part));
    for (const Parameter& field : p.fields) {
      if (field.optional) links.push_back(fieldName(p, toggleName(field)));
      for (const std::string& name : channelsOf(fieldName(p, field.name), field)) links.push_back(name);
    }
  }
  return links;
}

/// Points of constraints whose piece was broken go to the nearest of the pieces that were made of it.
const char* const kRewire =
    "string piece = s@name;\nif (piece != \\\"\\\" && findattribval(1, \\\"prim\\\", \\\"name\\\", piece) < "
    "0) "
    "{\n    int near; vector uv;\n    float gap = xyzdist(1, sprintf(\\\"@name=%s*\\\", piece), @P, near, "
    "uv);\n"
    "    if (near >= 0) s@name = prim(1, \\\"name\\\", near);\n}\n";

/// Proxies of what the geometry holds are replaced by those of its pieces; proxies of anything else stay.
const char* const kKeepProxies =
    "string piece = prim(0, \\\"name\\\", @primnum);\nif (piece == \\\"\\\") piece = point(0, "
    "\\\"name\\\", primpoint(0, @primnum, 0));\nif (piece == \\\"\\\" || findattribval(1, "
    "\\\"prim\\\", \\\"name\\\", piece) >= 0 || findattribval(1, \\\"point\\\", \\\"name\\\", piece) >= 0)\n"
    "    removeprim(0, @primnum, 1);\n";

AssetSetting fixedSetting(const std::string& name, const std::string& value) {
  return {name, {value}, {}, {}};
}

/// Constraints and proxies may stay unconnected: a null stands for them, as a wrangle without input fails.
const char* const kConstraintsIn = "constraints_in";
const char* const kProxiesIn = "proxies_in";

std::vector<AssetNode> innerNodes(const Operator& op) {
  std::vector<AssetNode> nodes;
  AssetNode fracture{"fracture", nodeTypeName(op), {"(0)"}, followAll(op), recordLinks(op)};
  for (size_t i = 1; i < op.inputs.size(); ++i) fracture.inputs.push_back(fmt::format("({})", i + 2));
  nodes.push_back(fracture);
  nodes.push_back({kConstraintsIn, "null", {"(1)"}, {}, {}});
  nodes.push_back({kProxiesIn, "null", {"(2)"}, {}, {}});
  for (const char* stream : kStreams) {
    nodes.push_back({fmt::format("take_{}", stream),
                     "blast",
                     {"fracture"},
                     {fixedSetting("group", fmt::format("\"@{}={}\"", kStreamAttribute, stream)),
                      fixedSetting("grouptype", "\"prims\""), fixedSetting("negate", "\"on\"")},
                     {}});
    nodes.push_back({fmt::format("unpack_{}", stream), "unpack", {fmt::format("take_{}", stream)}, {}, {}});
  }
  const auto wrangle = [&](const char* name, const char* input, const char* second, const char* runsOver,
                           const char* snippet) {
    nodes.push_back({name,
                     "attribwrangle",
                     {input, second},
                     {fixedSetting("class", fmt::format("\"{}\"", runsOver)),
                      fixedSetting("snippet", fmt::format("\"{}\"", snippet))},
                     {}});
  };
  wrangle("rewire", kConstraintsIn, "unpack_geometry", "point", kRewire);
  nodes.push_back({"all_constraints", "merge", {"rewire", "unpack_constraints"}, {}, {}});
  wrangle("keep_proxies", kProxiesIn, "(0)", "primitive", kKeepProxies);
  nodes.push_back({"all_proxies", "merge", {"keep_proxies", "unpack_proxies"}, {}, {}});
  const char* results[] = {"unpack_geometry", "all_constraints", "all_proxies"};
  for (size_t i = 0; i < 3; ++i)
    nodes.push_back({fmt::format("output{}", i),
                     "output",
                     {results[i]},
                     {fixedSetting("outputidx", std::to_string(i))},
                     {}});
  return nodes;
}

}  // namespace

bool hasAsset(const Operator& op) {
  if (op.outputs.size() < 3) return false;
  for (size_t i = 0; i < 3; ++i)
    if (op.outputs[i].name != kStreams[i] || op.outputs[i].type != PortType::Geometry) return false;
  return !op.inputs.empty() && !op.inputs.back().repeats;
}

std::string assetName(const Operator& op) { return "rbd_" + op.id; }

std::vector<Port> assetInputs(const Operator& op) {
  std::vector<Port> inputs{op.inputs[0]};
  inputs.push_back({"constraints", "Constraints", "Constraints of the geometry, wired to the new pieces.",
                    PortType::Geometry, true});
  inputs.push_back({"proxies", "Proxies",
                    "Proxies of the geometry are replaced by those of its new pieces; others pass through.",
                    PortType::Geometry, true});
  for (size_t i = 1; i < op.inputs.size(); ++i) inputs.push_back(op.inputs[i]);
  return inputs;
}

Asset fractureAsset(const Operator& op, const std::string& release) {
  Asset asset;
  asset.name = assetName(op);
  asset.version = kNodeVersion;
  asset.table = "Sop";
  asset.label = "Hackle RBD " + op.label;
  asset.menuPath = tabMenuPath(op);
  asset.iconSvg = iconSvg(op);
  asset.blocks = parameterBlocks(op, {/*streams=*/false, /*menus=*/true});
  asset.requiredInputs = 1;
  for (const Port& port : assetInputs(op)) asset.inputLabels.push_back(port.label);
  for (size_t i = 0; i < 3; ++i) asset.outputLabels.push_back(op.outputs[i].label);
  asset.nodes = innerNodes(op);
  asset.shownNode = "output0";
  asset.state = viewerState(op);
  asset.release = release;
  return asset;
}

}  // namespace hackle::houdini
