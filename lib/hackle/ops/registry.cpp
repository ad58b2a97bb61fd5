#include <hackle/ops/registry.h>

#include <hackle/core/version.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/material.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

/// The records that points on an input stand for: each field from the point attribute of its name.
Value::List recordsFromPoints(const Parameter& list, const Geometry& points) {
  Value::List records;
  for (size_t p = 0; p < points.pointCount(); ++p) {
    Value::Map record;
    for (const Parameter& field : list.fields) {
      const std::string& name = field.pointAttribute.empty() ? field.name : field.pointAttribute;
      if (name == "P") {
        record.emplace_back(field.name, detail::Binding<Vec3>::toValue(points.position(p)));
        continue;
      }
      const Attribute* attribute = points.findAttribute(Owner::Point, name);
      if (!attribute || attribute->tupleSize() == 0) continue;
      if (attribute->isString()) {
        record.emplace_back(field.name, attribute->string(p));
      } else if (attribute->tupleSize() == 3) {
        record.emplace_back(field.name, Value::List{attribute->number(p, 0), attribute->number(p, 1),
                                                    attribute->number(p, 2)});
      } else {
        record.emplace_back(field.name, attribute->number(p));
      }
    }
    records.emplace_back(std::move(record));
  }
  return records;
}

void checkInputs(const Operator& op, const Inputs& inputs) {
  const bool repeats = !op.inputs.empty() && op.inputs.back().repeats;
  if (inputs.size() > op.inputs.size() && !repeats)
    throw Error(ErrorCode::Usage, fmt::format("{} takes {} input{}, got {}", op.id, op.inputs.size(),
                                              op.inputs.size() == 1 ? "" : "s", inputs.size()));
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!op.inputs[i].optional && !inputs.has(i))
      throw Error(ErrorCode::Usage, fmt::format("{} needs the input {}", op.id, op.inputs[i].name),
                  op.inputs[i].help);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = op.inputs[std::min(i, op.inputs.size() - 1)];
    const size_t expected = port.type == PortType::Geometry ? 1 : port.type == PortType::Image ? 2 : 3;
    if (inputs.has(i) && inputs.items()[i].index() != expected)
      throw Error(ErrorCode::Usage, fmt::format("{}: input {} is of the wrong kind", op.id, port.name),
                  port.help);
    if (!inputs.has(i) || port.type != PortType::Geometry || op.takesNonFinite) continue;
    const CowArray<Vec3>& positions = inputs.geometry(i).positions();
    for (size_t p = 0; p < positions.size(); ++p)
      if (!positions[p].allFinite())
        throw Error(ErrorCode::BadInput, fmt::format("input {}: point {} is not finite", port.name, p),
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

Run runOperator(const Operator& op, Inputs inputs, const Value::Map& given, Context& context) {
  // Fill in the preset under what the user set.
  Value::Map values = given;
  const auto isGiven = [&](const Parameter& row) {
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& v) { return findParameter(op.parameters, v.first) == &row; });
  };
  for (const auto& [name, value] : given) {
    if (name != "preset" || !findParameter(op.parameters, name) || value == Value("custom")) continue;
    if (!value.isString()) throw Error(ErrorCode::Usage, "preset: expected a name");
    for (const auto& [key, number] : presetValues(value.asString())) {
      const Parameter* row = findParameter(op.parameters, key);
      if (row && !isGiven(*row)) values.emplace_back(key, number);
    }
  }

  // Points on an input become records of a list.
  for (const Parameter& row : op.parameters) {
    if (row.pointsInput.empty()) continue;
    const auto port = std::find_if(op.inputs.begin(), op.inputs.end(),
                                   [&](const Port& p) { return p.name == row.pointsInput; });
    HACKLE_ASSERT(port != op.inputs.end());
    const size_t index = static_cast<size_t>(port - op.inputs.begin());
    if (!inputs.has(index)) continue;
    Value::List records;
    const auto known =
        std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == row.name; });
    if (known != values.end() && known->second.isList()) records = known->second.asList();
    for (Value& record : recordsFromPoints(row, inputs.geometry(index))) records.push_back(std::move(record));
    if (known != values.end())
      known->second = std::move(records);
    else
      values.emplace_back(row.name, std::move(records));
  }

  Run run;
  run.parameters = checkedValues(op.parameters, values, op.id);
  for (const auto& [name, value] : given) {
    const Parameter* row = findParameter(op.parameters, name);
    if (row && !isEnabled(*row, run.parameters))
      context.warn(fmt::format("{} has no effect here: it is for {} = {}", row->name,
                               row->enabledWhen[0].parameter, fmt::join(row->enabledWhen[0].tokens, " or ")));
  }

  if (!op.keepsPacked)
    for (Item& item : inputs.items())
      if (Geometry* geometry = std::get_if<Geometry>(&item)) *geometry = unpacked(*geometry);
  checkInputs(op, inputs);

  const std::shared_ptr<void> options = op.makeOptions();
  for (const Parameter& row : op.parameters)
    row.store(options.get(), run.parameters[static_cast<size_t>(&row - op.parameters.data())].second);
  run.outputs = op.run(inputs, options.get(), context);
  HACKLE_ASSERT(run.outputs.items.size() == op.outputs.size());
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

}  // namespace hackle
