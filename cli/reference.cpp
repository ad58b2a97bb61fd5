#include <cli/reference.h>
#include <hackle/io/bytes.h>
#include <hackle/ops/describe.h>
#include <hackle/ops/scene_tables.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hackle::cli {

namespace {

const char* const kMark = "<!-- Made by `hackle docs`; do not edit. -->\n";

/// Text inside a cell of a table.
std::string cell(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') text.insert(i++, "\\");
    if (text[i] == '\n') text[i] = ' ';
  }
  return text;
}

std::string typeText(const Parameter& p) {
  const std::string range = rangeText(p);
  const std::string unit = unitText(p);
  std::string text = parameterTypeName(p.type);
  if (!range.empty())
    text += ", " + range;
  else if (!unit.empty())
    text += ", " + unit;
  return text;
}

std::string helpCell(const Parameter& p) {
  std::string text = p.help;
  for (size_t i = 0; i < p.menu.size(); ++i)
    text += fmt::format("{}`{}`: {}", i == 0 ? "<br>" : "; ", p.menu[i].token, p.menu[i].label);
  if (!p.enabledWhen.empty()) text += fmt::format("<br>Works when {}.", enabledText(p));
  if (!p.pointsInput.empty()) text += fmt::format("<br>Points on the input `{}` are added.", p.pointsInput);
  if (!p.aliases.empty()) text += fmt::format("<br>Older name: {}.", joinWords(p.aliases, ", "));
  return cell(text);
}

std::string parameterTable(const std::vector<const Parameter*>& rows, const std::string& firstHeading) {
  std::string out = fmt::format("| {} | Type | Default | |\n| --- | --- | --- | --- |\n", firstHeading);
  for (const Parameter* p : rows)
    out += fmt::format("| `{}`<br>{} | {} | {} | {} |\n", p->name, cell(p->label), cell(typeText(*p)),
                       cell(defaultText(*p)), helpCell(*p));
  return out;
}

std::string portTable(const std::vector<Port>& ports, const std::string& heading) {
  if (ports.empty()) return "";
  std::string out = fmt::format("\n## {}\n\n| Name | Kind | |\n| --- | --- | --- |\n", heading);
  for (const Port& port : ports) {
    std::string kind = portTypeName(port.type);
    if (port.optional) kind += ", optional";
    if (port.repeats) kind += ", any number";
    const std::string when =
        port.toggle.empty()
            ? ""
            : fmt::format("<br>Made when `{}` is on; by a command when a file is named for it.", port.toggle);
    out += fmt::format("| `{}` | {} | {}{} |\n", port.name, kind, cell(port.help), when);
  }
  return out;
}

std::string indexPage(const std::vector<Operator>& operators) {
  std::string out = fmt::format("{}# Operators\n", kMark);
  std::vector<std::string> categories;
  for (const Operator& op : operators)
    if (std::find(categories.begin(), categories.end(), op.category) == categories.end())
      categories.push_back(op.category);
  for (const std::string& category : categories) {
    out += fmt::format("\n## {}\n\n", category);
    for (const Operator& op : operators)
      if (op.category == category) out += fmt::format("- [{}]({}.md): {}\n", op.id, op.id, op.summary);
  }
  return out;
}

std::string scenePage() {
  std::string out = fmt::format(
      "{}# Scenes\n\nKeys of the TOML files that `hackle sim` takes; [../sim.md](../sim.md) has examples.\n",
      kMark);
  for (const SceneTable& table : sceneTables()) {
    out += fmt::format("\n## {}\n\n{}\n\n", table.name.empty() ? "Scene" : table.name, table.help);
    std::vector<const Parameter*> rows;
    for (const Parameter& row : table.parameters) rows.push_back(&row);
    out += parameterTable(rows, "Key");
    if (table.name == "[[body]]")
      out +=
          "\nTables of a body: `model`, parameters of the operator [model](model.md) (instead of `file`); "
          "`engine_options`, parameters of the operator that `engine` names.\n";
  }
  return out;
}

void writeText(const std::filesystem::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// True for a page that an earlier run wrote.
bool isOurs(const std::filesystem::path& path) {
  return path.extension() == ".md" &&
         FileBytes(path).bytes().substr(0, std::string_view(kMark).size()) == kMark;
}

}  // namespace

std::string referencePage(const Operator& op) {
  std::string out = fmt::format("{}# {}\n\n{}.\n\n```\n{}\n```\n\n{}\n", kMark, op.label, op.summary,
                                usageLine(op), op.help);
  out += portTable(op.inputs, "Inputs");
  out += portTable(op.outputs, "Outputs");
  for (const ParameterSection& section : parameterSections(op)) {
    out += fmt::format("\n## {}\n\n{}", section.heading, parameterTable(section.parameters, "Parameter"));
    for (const Parameter* p : section.parameters) {
      if (p->type != ParameterType::List) continue;
      std::vector<const Parameter*> fields;
      for (const Parameter& field : p->fields) fields.push_back(&field);
      out += fmt::format("\nFields of a record of `{}`:\n\n{}", p->name, parameterTable(fields, "Field"));
    }
  }
  out += "\n## Examples\n\n```\n";
  for (const std::string& example : exampleLines(op)) out += fmt::format("hackle {}\n", example);
  return out + "```\n";
}

void writeReference(const std::vector<Operator>& operators, const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw Error(ErrorCode::Io, fmt::format("cannot make {}: {}", folder.string(), failure.message()));
  std::set<std::string> written{"README.md"};
  writeText(folder / "README.md", indexPage(operators));
  writeText(folder / "scene.md", scenePage());
  written.insert("scene.md");
  for (const Operator& op : operators) {
    writeText(folder / (op.id + ".md"), referencePage(op));
    written.insert(op.id + ".md");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (!written.count(entry.path().filename().string()) && entry.is_regular_file() && isOurs(entry.path()))
      std::filesystem::remove(entry.path());
}

}  // namespace hackle::cli
