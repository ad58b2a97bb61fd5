#include <hackle/ops/describe.h>
#include <sop/package/digital_asset.h>
#include <sop/package/help_card.h>
#include <sop/package/node_layout.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

bool isMarkup(char c) { return c == '_' || c == '*' || c == '[' || c == ']'; }

/// Text with every word in backticks that the markup would take for a link or for emphasis. It has no
/// escapes.
std::string plain(const std::string& text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\n') {
      out += ' ';
      ++at;
      continue;
    }
    // A word ends at a space; brackets stay together with what is in them.
    size_t end = at;
    for (int depth = 0; end < text.size() && (depth > 0 || (text[end] != ' ' && text[end] != '\n')); ++end)
      depth += (text[end] == '[') - (text[end] == ']' && depth > 0);
    std::string word = text.substr(at, end - at);
    at = end;
    std::replace(word.begin(), word.end(), '\n', ' ');
    if (std::none_of(word.begin(), word.end(), isMarkup) || word.find('`') != std::string::npos) {
      out += word;
      continue;
    }
    // Punctuation around the word stays outside.
    const size_t first = word.find_first_not_of("(\""), last = word.find_last_not_of(".,;:)\"");
    out += word.substr(0, first) + "`" + word.substr(first, last + 1 - first) + "`" + word.substr(last + 1);
  }
  return out;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find("\n\n", begin);
    if (end == std::string::npos) end = text.size();
    out += plain(text.substr(begin, end - begin)) + "\n\n";
    begin = end + 2;
  }
  return out;
}

std::string parameterHelp(const Parameter& p, const std::string& id, int depth) {
  const std::string indent(static_cast<size_t>(depth) * 4, ' ');
  std::string out = fmt::format("{}{}:\n{}    #id: {}\n\n", indent, plain(p.label), indent, id);
  std::string text = plain(p.help);
  if (const std::string range = rangeText(p); !range.empty()) text += fmt::format(" ({})", plain(range));
  out += fmt::format("{}    {}\n\n", indent, text);
  for (const MenuItem& item : p.menu)
    out += fmt::format("{}    {}:\n{}        `{}`\n\n", indent, plain(item.label), indent, item.token);
  if (!p.pointsInput.empty())
    out += fmt::format("{}    Points on the input {} are added.\n\n", indent, plain(p.pointsInput));
  for (const Parameter& field : p.fields) out += parameterHelp(field, fieldName(p, field.name), depth + 1);
  return out;
}

std::string ports(const std::vector<Port>& list, const std::string& heading) {
  std::string out;
  for (const Port& port : list)
    out += fmt::format("{}:\n    {}{}\n\n", plain(port.label), plain(port.help),
                       port.optional ? " Optional." : "");
  return out.empty() ? out : fmt::format("@{}\n\n{}", heading, out);
}

std::string head(const std::string& title, const std::string& name, const std::string& icon,
                 const Operator& op) {
  return fmt::format(
      "= {} =\n\n#type: node\n#context: sop\n#internal: hackle::{}\n#version: {}\n#icon: {}\n#tags: hackle, "
      "fracture, destruction\n\n"
      "\"\"\"{}.\"\"\"\n\n",
      title, name, kNodeVersion, icon, plain(op.summary));
}

std::string parameters(const Operator& op) {
  std::string out;
  for (const ParameterSection& section : parameterSections(op)) {
    out += fmt::format("== {} ==\n\n", plain(section.heading));
    for (const Parameter* p : section.parameters) out += parameterHelp(*p, p->name, 0);
  }
  return out.empty() ? out : "@parameters\n\n" + out;
}

}  // namespace

std::string helpCard(const Operator& op) {
  std::string out = head("Hackle " + op.label, op.id, iconName(op), op) + paragraphs(op.help);
  if (streamPorts(op).size() > 1)
    out += "The parameter Output chooses among the outputs below; All gives each as a packed primitive.\n\n";
  out += parameters(op) + ports(op.inputs, "inputs") + ports(op.outputs, "outputs");
  if (hasAsset(op)) out += fmt::format("@related\n\n- [Node:sop/{}]\n", helpPath(assetName(op)));
  return out;
}

std::string simulationCard(const Operator& op) {
  return fmt::format(
             "= Hackle {} =\n\n#type: node\n#context: dop\n#internal: {}\n#icon: {}\n#tags: hackle, "
             "fracture, "
             "destruction\n\n\"\"\"{}.\"\"\"\n\n",
             op.label, op.id, op.id, plain(op.summary)) +
         paragraphs(op.help) + parameters(op);
}

std::string assetHelpCard(const Operator& op) {
  std::string out = head("Hackle RBD " + op.label, assetName(op), iconName(op), op) + paragraphs(op.help);
  out +=
      "Inputs and outputs are those of Houdini's RBD nodes: geometry, constraints, proxies. Constraints that "
      "come in "
      "are wired to the new pieces, proxies of what was broken are replaced, others pass through.\n\n";
  out += parameters(op);
  std::vector<Port> inputs = assetInputs(op);
  out += ports(inputs, "inputs") + ports(op.outputs, "outputs");
  return out + fmt::format("@related\n\n- [Node:sop/{}]\n", helpPath(op.id));
}

}  // namespace hackle::houdini
