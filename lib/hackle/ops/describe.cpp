#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace hackle {

namespace {

std::string withUnit(const Parameter& parameter, const std::string& text) {
  const std::string unit = unitText(parameter);
  return text.empty() || unit.empty() ? text : text + " " + unit;
}

/// The hard range without its unit.
std::string hardBounds(const Parameter& p) {
  if (p.hardMin && p.hardMax) return fmt::format("{} to {}", numberText(*p.hardMin), numberText(*p.hardMax));
  if (p.hardMin) return "at least " + numberText(*p.hardMin);
  if (p.hardMax) return "at most " + numberText(*p.hardMax);
  return "";
}

std::string scalarText(const Value& value) {
  if (value.isBool()) return value.asBool() ? "on" : "off";
  if (value.isInt()) return std::to_string(value.asInt());
  if (value.isFloat()) return numberText(value.asNumber());
  if (value.isString()) return value.asString();
  return "";
}

std::string recordText(const Parameter& list, const Value& record) {
  std::vector<std::string> words;
  for (const Parameter& field : list.fields)
    if (const Value* value = record.find(field.name))
      words.push_back(field.name + "=" + valueText(field, *value));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string upperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

/// File name for a port in examples; the extension says what goes through it.
std::string exampleFile(const std::string& stem, const Port& port) {
  switch (port.type) {
    case PortType::Geometry:
      return stem + ".bgeo";
    case PortType::Image:
      return stem + ".png";
    case PortType::Blob:
      return stem + "." + port.name;
  }
  return stem;
}

}  // namespace

const char* portTypeName(PortType type) {
  static const char* kNames[] = {"geometry", "an image", "data"};
  return kNames[static_cast<int>(type)];
}

std::string numberText(double value) {
  const auto write = [&](std::chars_format format) {
    char buffer[512];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr);
  };
  const std::string plain = write(std::chars_format::fixed);
  std::string power = write(std::chars_format::scientific);
  const size_t exponent = power.find('e');
  if (exponent == std::string::npos) return plain;
  // "7e+09" reads better as "7e9".
  size_t digits = exponent + 2;
  while (digits + 1 < power.size() && power[digits] == '0') ++digits;
  power = power.substr(0, exponent + 1) + (power[exponent + 1] == '-' ? "-" : "") + power.substr(digits);
  const double size = std::abs(value);
  const bool everyday = size == 0 || (size >= 1e-4 && size < 1e7);
  return everyday || plain.size() <= power.size() ? plain : power;
}

std::string valueText(const Parameter& parameter, const Value& value) {
  if (!value.isList()) return scalarText(value);
  std::vector<std::string> parts;
  for (const Value& part : value.asList()) {
    if (parameter.type == ParameterType::List)
      parts.push_back(recordText(parameter, part));
    else if (parameter.type == ParameterType::Ramp)
      parts.push_back(scalarText(part.asList()[0]) + ":" + scalarText(part.asList()[1]));
    else
      parts.push_back(scalarText(part));
  }
  return fmt::format("{}", fmt::join(parts, parameter.type == ParameterType::List ? "; " : ","));
}

std::string defaultText(const Parameter& parameter) {
  const std::string text = valueText(parameter, parameter.defaultValue);
  return text.empty() ? "not set" : text;
}

std::string unitText(const Parameter& parameter) { return parameter.unit == "none" ? "" : parameter.unit; }

std::string hardRangeText(const Parameter& parameter) { return withUnit(parameter, hardBounds(parameter)); }

std::string rangeText(const Parameter& p) {
  std::string text = hardBounds(p);
  const bool softDiffers = p.softMin && p.softMax && (p.softMin != p.hardMin || p.softMax != p.hardMax);
  if (softDiffers)
    text += fmt::format("{}usually {} to {}", text.empty() ? "" : ", ", numberText(*p.softMin),
                        numberText(*p.softMax));
  return withUnit(p, text);
}

std::string menuText(const Parameter& parameter) {
  std::vector<std::string> tokens;
  for (const MenuItem& item : parameter.menu) tokens.push_back(item.token);
  return joinWords(tokens, " or ");
}

std::string enabledText(const Parameter& parameter) {
  std::vector<std::string> parts;
  for (const Condition& condition : parameter.enabledWhen)
    parts.push_back(condition.parameter + " is " + joinWords(condition.tokens, " or "));
  return joinWords(parts, " and ");
}

std::string placeholderText(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Float:
      return "NUMBER";
    case ParameterType::Int:
      return "INTEGER";
    case ParameterType::Toggle:
      return "on|off";
    case ParameterType::Menu:
      return "CHOICE";
    case ParameterType::String:
      return "TEXT";
    case ParameterType::File:
      return "FILE";
    case ParameterType::Vector:
      return "X,Y,Z";
    case ParameterType::Colour:
      return "R,G,B";
    case ParameterType::Ramp:
      return "POSITION:VALUE,...";
    case ParameterType::Group:
      return "GROUP";
    case ParameterType::Attribute:
    case ParameterType::Volume:
      return "NAME";
    case ParameterType::List:
      return "FIELD=VALUE...";
  }
  return "VALUE";
}

std::vector<ParameterSection> parameterSections(const Operator& op) {
  std::vector<ParameterSection> sections;
  const auto rowsUnder = [&](const std::string& heading) -> ParameterSection& {
    for (ParameterSection& section : sections)
      if (section.heading == heading) return section;
    return sections.emplace_back(ParameterSection{heading, {}});
  };
  for (const Parameter& p : op.parameters)
    if (p.section.empty()) rowsUnder("Parameters").parameters.push_back(&p);
  for (const Parameter& p : op.parameters)
    if (!p.section.empty()) rowsUnder(p.section).parameters.push_back(&p);
  return sections;
}

std::string flagText(const Parameter& parameter) {
  std::string flag = "--" + parameter.name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

const Parameter* positionalParameter(const Operator& op) {
  const bool first =
      op.inputs.empty() && !op.parameters.empty() &&
      (op.parameters[0].type == ParameterType::Menu || op.parameters[0].type == ParameterType::File);
  return first ? &op.parameters[0] : nullptr;
}

const Parameter* folderParameter(const Operator& op) {
  const Parameter* folder = op.outputs.empty() ? findParameter(op.parameters, "folder") : nullptr;
  return folder && folder->type == ParameterType::File ? folder : nullptr;
}

std::string usageLine(const Operator& op) {
  std::string line = "hackle " + op.id;
  if (const Parameter* positional = positionalParameter(op)) line += " [" + upperCase(positional->name) + "]";
  for (const Port& port : op.inputs) {
    const std::string word = upperCase(port.name) + (port.repeats ? "..." : "");
    line += port.optional ? " [" + word + "]" : " " + word;
  }
  std::string outputs;
  bool needed = false;
  for (const Port& port : op.outputs) {
    const bool first = outputs.empty();
    outputs += first ? " " + upperCase(port.name) : " [" + upperCase(port.name) + "]";
    needed = needed || !port.optional;
  }
  if (folderParameter(op)) line += " -o FOLDER";
  if (!outputs.empty()) line += needed ? " -o" + outputs : " [-o" + outputs + "]";
  return line + (op.parameters.empty() ? "" : " [--parameter value ...]");
}

std::vector<std::string> exampleLines(const Operator& op) {
  if (!op.examples.empty()) return op.examples;
  std::string line = op.id;
  if (const Parameter* positional = positionalParameter(op))
    line += " " + (positional->menu.empty() ? upperCase(positional->name) : positional->menu[0].token);
  for (const Port& port : op.inputs)
    if (!port.optional) line += " " + exampleFile(op.inputs.size() == 1 ? "in" : port.name, port);
  if (!op.outputs.empty() && !op.outputs[0].optional) line += " -o " + exampleFile("out", op.outputs[0]);
  return {line};
}

const std::vector<std::string>& reservedNames() {
  static const std::vector<std::string> kNames{"help",  "output",   "json",   "threads",
                                               "quiet", "progress", "version"};
  return kNames;
}

std::string joinWords(const std::vector<std::string>& words, const std::string& lastSeparator) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? lastSeparator : ", ") + words[i];
  return text;
}

}  // namespace hackle
