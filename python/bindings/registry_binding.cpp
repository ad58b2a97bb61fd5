// The operators: what they are, and the one way to run them.
#include "bindings.h"
#include "items.h"
#include "watched_run.h"

#include <hackle/core/memo.h>
#include <hackle/core/wanted_outputs.h>
#include <hackle/ops/describe.h>
#include <hackle/ops/material.h>
#include <hackle/ops/registry.h>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

namespace hackle::python {

namespace {

using namespace py::literals;

py::list describePorts(const std::vector<Port>& ports) {
  static const char* kTypes[] = {"geometry", "image", "blob"};
  py::list list;
  for (const Port& port : ports)
    list.append(py::dict("name"_a = port.name, "label"_a = port.label, "help"_a = port.help,
                         "type"_a = kTypes[static_cast<int>(port.type)], "optional"_a = port.optional,
                         "repeats"_a = port.repeats));
  return list;
}

py::list describeParameters(const std::vector<Parameter>& parameters) {
  py::list list;
  for (const Parameter& p : parameters) {
    py::list menu;
    for (const MenuItem& item : p.menu) menu.append(py::make_tuple(item.token, item.label));
    py::dict row("name"_a = p.name, "label"_a = p.label, "help"_a = p.help, "section"_a = p.section);
    row["type"] = parameterTypeName(p.type);
    row["default"] = objectFrom(p.defaultValue);
    row["optional"] = p.optional;
    row["unit"] = unitText(p);
    row["hard_range"] = py::make_tuple(p.hardMin, p.hardMax);
    row["soft_range"] = py::make_tuple(p.softMin, p.softMax);
    row["range_text"] = rangeText(p);
    row["menu"] = menu;
    row["enabled_when"] = enabledText(p);
    row["aliases"] = p.aliases;
    row["fields"] = describeParameters(p.fields);
    row["points_input"] = p.pointsInput;
    list.append(row);
  }
  return list;
}

py::list describeOperators() {
  py::list list;
  for (const Operator& op : operators()) {
    py::dict entry("id"_a = op.id, "label"_a = op.label, "summary"_a = op.summary, "help"_a = op.help);
    entry["category"] = op.category;
    entry["inputs"] = describePorts(op.inputs);
    entry["outputs"] = describePorts(op.outputs);
    entry["parameters"] = describeParameters(op.parameters);
    const Parameter* positional = positionalParameter(op);
    entry["positional"] = positional ? py::object(py::str(positional->name)) : py::object(py::none());
    list.append(entry);
  }
  return list;
}

py::dict materials() {
  py::dict table;
  for (const MaterialPreset& preset : materialPresets()) {
    py::dict entry = py::cast<py::dict>(objectFrom(Value(presetValues(preset.name))));
    entry["source"] = preset.source;
    table[py::str(preset.name)] = entry;
  }
  return table;
}

Item inputFrom(const Operator& op, size_t index, py::handle object) {
  const size_t port = std::min(index, op.inputs.size() - 1);
  return itemFrom(object,
                  op.inputs.empty() ? op.id : fmt::format("{}: input {}", op.id, op.inputs[port].name));
}

/// wanted[i] for each output: whether its name is given. TypeError or Error(Usage) for other names.
std::vector<bool> wantedOutputs(const Operator& op, const py::sequence& names) {
  std::vector<bool> wanted(op.outputs.size(), false);
  for (const py::handle name : names) {
    const std::string text = name.cast<std::string>();
    const auto port = std::find_if(op.outputs.begin(), op.outputs.end(),
                                   [&](const Port& output) { return output.name == text; });
    if (port == op.outputs.end())
      throw Error(ErrorCode::Usage, fmt::format("{} has no output {}", op.id, text));
    wanted[static_cast<size_t>(port - op.outputs.begin())] = true;
  }
  return wanted;
}

/// Runs an operator; the list of its outputs and the report. `outputs` names those to compute; None: all.
py::tuple run(const std::string& id, const py::sequence& inputs, const py::dict& parameters, int threads,
              const py::object& progress, Memo* memo, const py::object& outputs, int stackLevel) {
  const Operator& op = findOperator(id);
  std::vector<Item> items;
  for (const py::handle input : inputs) items.push_back(inputFrom(op, items.size(), input));
  const Value::Map given = mapFrom(parameters);

  Context context;
  context.setThreads(threads);
  setMemo(context, memo);
  if (!outputs.is_none()) setWantedOutputs(context, wantedOutputs(op, outputs));
  Run result;
  runWithWarnings(context, progress, stackLevel,
                  [&] { result = runOperator(op, Inputs(std::move(items)), given, context); });

  const py::object report = objectFrom(makeReport(op, result, context));
  py::list made;
  for (Item& item : result.outputs.items) made.append(objectFrom(std::move(item)));
  return py::make_tuple(made, report);
}

}  // namespace

void bindRegistry(py::module_& module) {
  py::class_<Memo>(
      module, "Memo",
      "Precomputation kept between calls: given as memo= to operators that are called again and again "
      "with the same solid, it spares them what did not change. Results are the same. `limit` is in "
      "bytes; what was not used for longest is dropped first.")
      .def(py::init<size_t>(), py::arg("limit") = size_t{2} << 30)
      .def("clear", &Memo::clear, "Lets go of everything.")
      .def_property_readonly("count", &Memo::count, "Number of values that are kept.")
      .def_property_readonly("bytes", &Memo::bytes, "Their memory, about.");
  module.def("describe_operators", &describeOperators);
  module.def("materials", &materials, "The material presets by name: their values (SI units) and source.");
  module.def("run", &run, py::arg("id"), py::arg("inputs"), py::arg("parameters"), py::arg("threads"),
             py::arg("progress"), py::arg("memo").none(true), py::arg("outputs"), py::arg("stack_level"));
  py::list types;
  for (int t = 0; t <= static_cast<int>(PrimitiveType::Packed); ++t)
    types.append(primitiveTypeName(static_cast<PrimitiveType>(t)));
  module.attr("PRIMITIVE_TYPES") = py::tuple(types);
}

}  // namespace hackle::python
