#include <sop/package/node_layout.h>
#include <sop/parameter_values.h>

#include <SOP/SOP_NodeParmsOptions.h>
#include <UT/UT_IStream.h>
#include <UT/UT_Ramp.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

/// Reads plain parameters, and those of one record of a list where an instance is given.
class Reader {
 public:
  Reader(const SOP_NodeCacheOptions& node, double time, const int* instance = nullptr)
      : mNode(node), mTime(time), mInstance(instance) {}

  double number(const std::string& name, int component = 0) const {
    return mInstance ? mNode.evalFloatInst(name.c_str(), mInstance, component, mTime)
                     : mNode.evalFloat(name.c_str(), component, mTime);
  }
  int64_t whole(const std::string& name) const {
    return mInstance ? mNode.evalIntInst(name.c_str(), mInstance, 0, mTime)
                     : mNode.evalInt(name.c_str(), 0, mTime);
  }
  std::string text(const std::string& name) const {
    UT_StringHolder value;
    if (mInstance)
      mNode.evalStringInst(name.c_str(), mInstance, value, 0, mTime);
    else
      mNode.evalString(value, name.c_str(), 0, mTime);
    return value.toStdString();
  }
  Value value(const Parameter& p, const std::string& name) const {
    switch (p.type) {
      case ParameterType::Float:
        return number(name);
      case ParameterType::Int:
        return whole(name);
      case ParameterType::Toggle:
        return whole(name) != 0;
      case ParameterType::Menu: {
        // By its number: that is what every kind of menu gives.
        const int64_t item = whole(name);
        if (item < 0 || item >= static_cast<int64_t>(p.menu.size())) return text(name);
        return p.menu[item].token;
      }
      case ParameterType::Vector:
      case ParameterType::Colour:
        return Value::List{number(name, 0), number(name, 1), number(name, 2)};
      default:
        return text(name);
    }
  }

 private:
  const SOP_NodeCacheOptions& mNode;
  double mTime;
  const int* mInstance;
};

Value rampValue(const SOP_NodeParmsOptions& options, const Parameter& p) {
  UT_StringHolder text;
  const UT_OptionEntry* entry = options.getOptionEntry(UT_StringHolder(p.name));
  if (!entry || !entry->importOption(text) || text.length() == 0) return p.defaultValue;
  UT_IStream stream(text.c_str(), static_cast<size_t>(text.length()), UT_ISTREAM_ASCII);
  UT_Ramp ramp;
  if (!ramp.load(stream)) return p.defaultValue;
  Value::List knots;
  for (int i = 0; i < ramp.getNodeCount(); ++i) {
    const UT_ColorNode* node = ramp.getNode(i);
    knots.push_back(Value::List{static_cast<double>(node->t), static_cast<double>(node->rgba.r)});
  }
  return knots.empty() ? p.defaultValue : Value(std::move(knots));
}

Value recordsValue(const SOP_NodeCacheOptions& node, const Parameter& list, double time) {
  Value::List records;
  const int64_t count = Reader(node, time).whole(list.name);
  for (int instance = 1; instance <= count; ++instance) {
    const Reader record(node, time, &instance);
    Value::Map map;
    for (const Parameter& field : list.fields) {
      if (field.optional && record.whole(fieldName(list, toggleName(field))) == 0) continue;
      map.emplace_back(field.name, record.value(field, fieldName(list, field.name)));
    }
    records.emplace_back(std::move(map));
  }
  return records;
}

/// True unless a toggle leaves the parameter to a preset or not set at all.
bool isSet(const Operator& op, const Parameter& p, const Reader& reader) {
  const Parameter* preset = presetOf(op, p);
  if (!p.optional && !preset) return true;
  if (preset) {
    const std::vector<std::string> empty = emptyPresets(*preset);
    const std::string token = reader.value(*preset, preset->name).asString();
    if (!p.optional && std::find(empty.begin(), empty.end(), token) != empty.end()) return true;
  }
  return reader.whole(toggleName(p)) != 0;
}

}  // namespace

Value::Map nodeValues(const Operator& op, const SOP_NodeCacheOptions& node,
                      const SOP_NodeParmsOptions& options, double time) {
  const Reader reader(node, time);
  Value::Map set;
  for (const Parameter& p : op.parameters) {
    if (p.type == ParameterType::List)
      set.emplace_back(p.name, recordsValue(node, p, time));
    else if (p.type == ParameterType::Ramp)
      set.emplace_back(p.name, rampValue(options, p));
    else if (isSet(op, p, reader))
      set.emplace_back(p.name, reader.value(p, p.name));
  }
  return givenValues(op, set);
}

std::string nodeText(const SOP_NodeCacheOptions& node, const std::string& name, double time) {
  return Reader(node, time).text(name);
}

}  // namespace hackle::houdini
