#include <hackle/ops/registry.h>

#include <hackle/core/version.h>
#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

/// What a point says about a field of a record: null if it has no such attribute.
Value fieldFromPoint(const Parameter& field, const Geometry& points, size_t point) {
  const std::string& name = field.pointAttribute.empty() ? field.name : field.pointAttribute;
  if (name == "P") return detail::Binding<Vec3>::toValue(points.position(point));
  const Attribute* attribute = points.findAttribute(Owner::Point, name);
  if (!attribute || attribute->tupleSize() == 0) return {};
  if (attribute->isString()) return attribute->string(point);
  if (attribute->tupleSize() == 1) return attribute->number(point);
  Value::List tuple;
  for (int c = 0; c < attribute->tupleSize(); ++c) tuple.emplace_back(attribute->number(point, c));
  return tuple;
}

/// The records that points on an input stand for, checked.
Value::List recordsFromPoints(const Parameter& list, const Geometry& points) {
  Value::List records;
  for (size_t point = 0; point < points.pointCount(); ++point) {
    Value::Map record;
    for (const Parameter& field : list.fields) {
      const Value value = fieldFromPoint(field, points, point);
      if (value.isNull()) continue;
      try {
        record.emplace_back(field.name, checkedValue(field, value));
      } catch (const Error& e) {
        throw Error(ErrorCode::BadInput,
                    fmt::format("input {}: point {}: {}", list.pointsInput, point, e.what()), e.remedy());
      }
    }
    records.emplace_back(std::move(record));
  }
  return records;
}

size_t inputIndex(const Operator& op, const std::string& name) {
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (op.inputs[i].name == name) return i;
  throw Error(ErrorCode::Internal, fmt::format("{} has no input {}", op.id, name));
}

/// Adds the records that come as points on inputs to those that the user wrote.
void addRecordsFromPoints(const Operator& op, const Inputs& inputs, Value::Map& values) {
  for (const Parameter& row : op.parameters) {
    if (row.pointsInput.empty()) continue;
    const size_t index = inputIndex(op, row.pointsInput);
    if (!inputs.has(index)) continue;
    const auto known = std::find_if(values.begin(), values.end(), [&](const auto& v) {
      return findParameter(op.parameters, v.first) == &row;
    });
    Value::List records;
    if (known != values.end()) records = checkedValue(row, known->second).asList();
    for (Value& record : recordsFromPoints(row, inputs.geometry(index))) records.push_back(std::move(record));
    if (known != values.end())
      known->second = std::move(records);
    else
      values.emplace_back(row.name, std::move(records));
  }
}

/// Adds what the presets in force say about parameters that the user did not set.
void addPresets(const Operator& op, Value::Map& values) {
  const auto find = [&](const Parameter& row) {
    return std::find_if(values.begin(), values.end(),
                        [&](const auto& v) { return findParameter(op.parameters, v.first) == &row; });
  };
  for (const Parameter& menu : op.parameters) {
    if (!menu.fills) continue;
    const auto given = find(menu);
    const Value token = given == values.end() ? menu.defaultValue : checkedValue(menu, given->second);
    for (const auto& [name, value] : menu.fills(token.asString())) {
      const Parameter* row = findParameter(op.parameters, name);
      if (row && find(*row) == values.end()) values.emplace_back(name, value);
    }
  }
}

/// Warns about names that are out of date and values that have no effect.
void warnAboutGiven(const Operator& op, const Value::Map& given, const Value::Map& inForce,
                    Context& context) {
  for (const auto& [name, value] : given) {
    const Parameter& row = *findParameter(op.parameters, name);
    if (row.name != name) context.warn(fmt::format("{} is now called {}", name, row.name));
    const Value& used = inForce[&row - op.parameters.data()].second;
    if (used != row.defaultValue && !isEnabled(row, inForce))
      context.warn(fmt::format("{} has no effect here; it works when {}", row.name, enabledText(row)));
  }
}

size_t itemIndex(PortType type) { return type == PortType::Geometry ? 1 : type == PortType::Image ? 2 : 3; }

void checkInputs(const Operator& op, const Inputs& inputs) {
  std::vector<bool> connected;
  for (size_t i = 0; i < inputs.size(); ++i) connected.push_back(inputs.has(i));
  checkConnections(op, connected);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = op.inputs[std::min(i, op.inputs.size() - 1)];
    if (inputs.has(i) && inputs.items()[i].index() != itemIndex(port.type))
      throw Error(ErrorCode::Usage, fmt::format("{}: the input {} is of the wrong kind", op.id, port.name),
                  fmt::format("it takes {}", portTypeName(port.type)));
  }
}

void checkFinite(const Operator& op, const Inputs& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Geometry* geometry = std::get_if<Geometry>(&inputs.items()[i]);
    if (!geometry) continue;
    const CowArray<Vec3>& positions = geometry->positions();
    for (size_t p = 0; p < positions.size(); ++p)
      if (!positions[p].allFinite())
        throw Error(ErrorCode::BadInput,
                    fmt::format("input {}: point {} is not finite",
                                op.inputs[std::min(i, op.inputs.size() - 1)].name, p),
                    "remove or fix points with NaN or infinite coordinates");
  }
}

}  // namespace

const Operator& findOperator(const std::string& id) {
  std::vector<std::string> ids;
  for (const Operator& op : operators()) {
    if (op.id == id) return op;
    ids.push_back(op.id);
  }
  const std::string nearest = nearestName(id, ids);
  throw Error(ErrorCode::Usage, fmt::format("there is no operator {}", id),
              nearest.empty() ? "hackle list shows all operators" : fmt::format("did you mean {}?", nearest));
}

void checkConnections(const Operator& op, const std::vector<bool>& connected) {
  const bool repeats = !op.inputs.empty() && op.inputs.back().repeats;
  if (connected.size() > op.inputs.size() && !repeats)
    throw Error(ErrorCode::Usage, fmt::format("{} takes {} input{}, got {}", op.id,
                                              op.inputs.empty() ? "no" : std::to_string(op.inputs.size()),
                                              op.inputs.size() == 1 ? "" : "s", connected.size()));
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!op.inputs[i].optional && (i >= connected.size() || !connected[i]))
      throw Error(ErrorCode::Usage, fmt::format("{} needs the input {}", op.id, op.inputs[i].name),
                  fmt::format("{}: {}", op.inputs[i].name, op.inputs[i].help));
}

Run runOperator(const Operator& op, Inputs inputs, const Value::Map& given, Context& context) {
  checkInputs(op, inputs);

  // What the user wrote comes first, then points on inputs, then presets, then defaults.
  Run run;
  checkedValues(op.parameters, given, op.id);
  Value::Map values = given;
  addRecordsFromPoints(op, inputs, values);
  addPresets(op, values);
  run.parameters = checkedValues(op.parameters, values, op.id);
  warnAboutGiven(op, given, run.parameters, context);

  if (!op.keepsPacked)
    for (Item& item : inputs.items())
      if (Geometry* geometry = std::get_if<Geometry>(&item)) *geometry = unpacked(*geometry);
  if (!op.takesNonFinite) checkFinite(op, inputs);

  const std::shared_ptr<void> options = op.makeOptions();
  for (const Parameter& row : op.parameters)
    row.store(options.get(), run.parameters[&row - op.parameters.data()].second);
  run.outputs = op.run(inputs, options.get(), context);

  HACKLE_ASSERT(run.outputs.items.size() == op.outputs.size());
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const size_t kind = run.outputs.items[i].index();
    HACKLE_ASSERT(kind == itemIndex(op.outputs[i].type) || (kind == 0 && op.outputs[i].optional));
  }
  return run;
}

Value makeReport(const Operator& op, const Run& run, const Context& context) {
  Value report;
  report.set("op", op.id);
  report.set("version", version());
  report.set("params", run.parameters);
  report.set("warnings", Value::listOf(context.warnings()));
  report.set("seconds", context.seconds());
  Value stages = Value::Map();
  for (const StageTime& stage : context.stageTimes()) stages.set(stage.name, stage.seconds);
  report.set("stages", std::move(stages));
  report.set("peak_mb", peakMemoryMb());
  report.set("threads", context.threads());
  report.set("result", run.outputs.result);
  return report;
}

Value makeErrorReport(const std::string& op, const Error& error, const Context& context) {
  Value details;
  details.set("code", errorCodeName(error.code()));
  details.set("message", error.what());
  details.set("remedy", error.remedy());
  Value report;
  report.set("op", op);
  report.set("version", version());
  report.set("error", std::move(details));
  report.set("warnings", Value::listOf(context.warnings()));
  return report;
}

}  // namespace hackle
