#include <cli/arguments.h>
#include <cli/help.h>
#include <cli/terminal.h>
#include <hackle/core/version.h>
#include <hackle/io/file.h>
#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::cli {

namespace {

constexpr size_t kTextColumn = 30;  // where the right column of flags starts

/// "  left    right", the right part wrapped in its column; on the next line if the left part is too long.
std::string twoColumns(const std::string& left, const std::string& right, size_t column, int columns) {
  std::string line = "  " + left;
  if (line.size() + 2 > column) {
    line += "\n" + std::string(column, ' ');
  } else {
    line.resize(column, ' ');
  }
  return line + wrapped(right, columns, static_cast<int>(column)) + "\n";
}

std::string flagWithValue(const Parameter& p) {
  const std::string flag = flagText(p);
  if (p.type == ParameterType::Toggle) return fmt::format("--[no-]{}", flag.substr(2));
  return fmt::format("{} {}", flag, placeholderText(p));
}

std::string parameterHelp(const Parameter& p, int columns) {
  std::string text = p.help;
  if (p.type == ParameterType::List) {
    text += " May be repeated.";
    if (!p.pointsInput.empty()) text += fmt::format(" Points on the input {} are added.", p.pointsInput);
  }
  std::string out = twoColumns(flagWithValue(p), text + " " + detailText(p), kTextColumn, columns);
  const std::string inner(kTextColumn - 2, ' ');
  size_t width = 0;
  for (const MenuItem& item : p.menu) width = std::max(width, item.token.size());
  for (const Parameter& field : p.fields)
    width = std::max(width, field.name.size() + 1 + placeholderText(field).size());
  const size_t column = kTextColumn + 2 + width + 2;
  for (const MenuItem& item : p.menu)
    out += twoColumns(inner + "  " + item.token, item.label, column, columns);
  for (const Parameter& field : p.fields) {
    const std::string choices = field.menu.empty() ? "" : fmt::format(" {}.", menuText(field));
    out += twoColumns(fmt::format("{}  {}={}", inner, field.name, placeholderText(field)),
                      field.help + choices + " " + detailText(field), column, columns);
  }
  return out;
}

std::string portHelp(const std::vector<Port>& ports, const std::string& heading, int columns) {
  if (ports.empty()) return "";
  std::string out = "\n" + heading + "\n";
  for (const Port& port : ports) {
    std::string notes;
    if (port.type != PortType::Geometry)
      notes += port.type == PortType::Image ? " A PNG picture." : " Raw data.";
    if (port.optional) notes += " Optional.";
    if (port.repeats) notes += " Any number of further ones may follow.";
    out += twoColumns(port.name, port.help + notes, kTextColumn, columns);
  }
  return out;
}

bool hasGeometry(const std::vector<Port>& ports) {
  return std::any_of(ports.begin(), ports.end(),
                     [](const Port& port) { return port.type == PortType::Geometry; });
}

std::string extensions(bool forWriting) {
  std::vector<std::string> all;
  for (const FileFormat& format : fileFormats())
    if (forWriting ? format.writes : format.reads)
      for (const std::string& extension : format.extensions) all.push_back("." + extension);
  return joinWords(all, ", ");
}

std::string formatHelp(const Operator& op, int columns) {
  if (fileFormats().empty()) return "";
  std::string out;
  if (hasGeometry(op.inputs)) out += twoColumns("read", extensions(false), kTextColumn, columns);
  if (hasGeometry(op.outputs)) out += twoColumns("written", extensions(true), kTextColumn, columns);
  return out.empty() ? "" : "\nFormats of geometry\n" + out;
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> kVerbs{
      {"list", "list", "List the operators"},
      {"help", "help [OP]", "Show this text, or everything about an operator"},
      {"formats", "formats", "List the file formats"},
      {"completion", "completion bash|zsh", "Print a completion script for a shell"},
      {"docs", "docs FOLDER", "Write the reference, one Markdown page an operator"},
  };
  return kVerbs;
}

std::string detailText(const Parameter& p) {
  std::vector<std::string> parts;
  const std::string range = rangeText(p);
  if (!range.empty())
    parts.push_back(range);
  else if (!unitText(p).empty())
    parts.push_back(unitText(p));
  if (p.type != ParameterType::List) parts.push_back("default " + defaultText(p));
  if (!p.enabledWhen.empty()) parts.push_back("when " + enabledText(p));
  return parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, "; "));
}

std::string programHelp(int columns) {
  std::string out = fmt::format(
      "Hackle {}: brittle fracture for visual effects\n\n"
      "usage: hackle OP [inputs...] -o OUT [--parameter value ...]\n\nVerbs\n",
      version());
  for (const Verb& verb : verbs())
    out += twoColumns("hackle " + verb.usage, verb.summary + ".", kTextColumn, columns);
  out += twoColumns("hackle --version", "Print the version.", kTextColumn, columns);
  out += "\nFlags of every operator\n";
  for (const GeneralFlag& flag : generalFlags()) {
    std::string left = flag.shortFlag.empty() ? flag.flag : flag.shortFlag + ", " + flag.flag;
    if (!flag.placeholder.empty()) left += " " + flag.placeholder;
    out += twoColumns(left, flag.help, kTextColumn, columns);
  }
  out += "\nValues\n";
  out += twoColumns("--name value, --name=value", "Hyphens and underscores in names are alike.", kTextColumn,
                    columns);
  out += twoColumns("--name, --no-name", "A toggle on or off; --name on|off too.", kTextColumn, columns);
  out += twoColumns("--name 0,1,0", "A vector; negative numbers need no quotes.", kTextColumn, columns);
  out += twoColumns("--name field=value ...", "A record of a list; repeat the flag for the next one.",
                    kTextColumn, columns);
  out += twoColumns("-", "Instead of a file: an optional input left open, an output not wanted.", kTextColumn,
                    columns);
  out += "\nExit codes: 0 done, 2 usage, 3 bad input, 4 failed, 5 file trouble, 130 cancelled.\n";
  return out;
}

std::string operatorList(const std::vector<Operator>& operators) {
  std::vector<std::string> categories;
  size_t width = 0;
  for (const Operator& op : operators) {
    width = std::max(width, op.id.size());
    if (std::find(categories.begin(), categories.end(), op.category) == categories.end())
      categories.push_back(op.category);
  }
  std::string out;
  for (const std::string& category : categories) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", category);
    for (const Operator& op : operators)
      if (op.category == category) out += fmt::format("  {:<{}}  {}\n", op.id, width, op.summary);
  }
  return out;
}

std::string operatorHelp(const Operator& op, int columns) {
  std::string out = fmt::format("{}: {}\n\nusage: {}\n\n{}\n", op.label, op.summary, usageLine(op),
                                wrapped(op.help, columns, 0));
  out += portHelp(op.inputs, "Inputs", columns);
  out += portHelp(op.outputs, "Outputs", columns);
  for (const ParameterSection& section : parameterSections(op)) {
    out += "\n" + section.heading + "\n";
    for (const Parameter* p : section.parameters) out += parameterHelp(*p, columns);
  }
  out += formatHelp(op, columns);
  out += "\nExamples\n";
  for (const std::string& example : exampleLines(op)) out += fmt::format("  hackle {}\n", example);
  out += "\nhackle help shows the flags that every operator has (-o, --json, --threads, --quiet).\n";
  return out;
}

std::string formatList() {
  size_t nameWidth = 6;
  size_t extensionWidth = 10;
  std::vector<std::string> extensionTexts;
  for (const FileFormat& format : fileFormats()) {
    std::vector<std::string> dotted;
    for (const std::string& extension : format.extensions) dotted.push_back("." + extension);
    extensionTexts.push_back(fmt::format("{}", fmt::join(dotted, " ")));
    nameWidth = std::max(nameWidth, format.name.size());
    extensionWidth = std::max(extensionWidth, extensionTexts.back().size());
  }
  std::string out =
      fmt::format("{:<{}}  {:<{}}  {}\n", "format", nameWidth, "extensions", extensionWidth, "read, written");
  for (size_t i = 0; i < fileFormats().size(); ++i) {
    const FileFormat& format = fileFormats()[i];
    const char* use = format.reads && format.writes ? "read, written" : format.reads ? "read" : "written";
    out +=
        fmt::format("{:<{}}  {:<{}}  {}\n", format.name, nameWidth, extensionTexts[i], extensionWidth, use);
  }
  return out;
}

}  // namespace hackle::cli
