#include <hackle/ops/describe.h>
#include <sop/package/dialog_script.h>
#include <sop/package/node_layout.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle::houdini {

namespace {

/// One line of a block; blocks nest by indentation for those who read the script.
class Script {
 public:
  void open(const std::string& kind) {
    line(kind + " {");
    ++mDepth;
  }
  void close() {
    --mDepth;
    line("}");
  }
  void line(const std::string& text) {
    mText.append(static_cast<size_t>(mDepth) * 4, ' ');
    mText += text + "\n";
  }
  void row(const std::string& key, const std::string& value) { line(fmt::format("{:<12}{}", key, value)); }
  std::string take() { return std::move(mText); }

 private:
  std::string mText;
  int mDepth = 1;
};

/// A slider over many powers of ten is logarithmic.
bool isLogarithmic(const Parameter& p) {
  return p.softMin && p.softMax && *p.softMin > 0 && *p.softMax / *p.softMin >= 1e3;
}

std::string typeWord(const Parameter& p) {
  switch (p.type) {
    case ParameterType::Float:
      return isLogarithmic(p) ? "log" : "float";
    case ParameterType::Int:
      return "integer";
    case ParameterType::Toggle:
      return "toggle";
    case ParameterType::Menu:
      return "ordinal";
    case ParameterType::File:
      return "file";
    case ParameterType::Vector:
      return "vector";
    case ParameterType::Colour:
      return "color";
    case ParameterType::Ramp:
      return "ramp_flt";
    default:
      return "string";
  }
}

std::string defaultWords(const Parameter& p) {
  const Value& value = p.defaultValue;
  if (p.type == ParameterType::Toggle) return value.isNull() || !value.asBool() ? "\"0\"" : "\"1\"";
  if (p.type == ParameterType::Float || p.type == ParameterType::Int)
    return quoted(value.isNull() ? numberText(restingNumber(p)) : valueText(p, value));
  if (p.type == ParameterType::Vector || p.type == ParameterType::Colour) {
    std::vector<std::string> words;
    for (size_t c = 0; c < 3; ++c)
      words.push_back(quoted(numberText(value.isNull() ? 0.0 : value.asList()[c].asNumber())));
    return fmt::format("{}", fmt::join(words, " "));
  }
  if (value.isNull()) return "\"\"";
  return quoted(value.isString() ? value.asString() : valueText(p, value));
}

bool isNumeric(const Parameter& p) {
  return p.type == ParameterType::Float || p.type == ParameterType::Int || p.type == ParameterType::Vector ||
         p.type == ParameterType::Colour;
}

/// "{ 0! 10 }": the ends of the slider; "!" where values beyond are refused.
std::string rangeWords(const Parameter& p) {
  const std::optional<double> low = p.softMin ? p.softMin : p.hardMin;
  const std::optional<double> high = p.softMax ? p.softMax : p.hardMax;
  // Every number has a slider.
  if (!low && !high) {
    if (p.type == ParameterType::Vector) return "{ -1 1 }";
    return p.type == ParameterType::Int ? "{ 0 10 }" : "{ 0 1 }";
  }
  const double a = low.value_or(std::min(0.0, *high - 1)), b = high.value_or(std::max(10.0, a + 10));
  const bool lowHard = p.hardMin && *p.hardMin >= a, highHard = p.hardMax && *p.hardMax <= b;
  return fmt::format("{{ {}{} {}{} }}", numberText(a), lowHard ? "!" : "", numberText(b),
                     highHard ? "!" : "");
}

std::string tooltip(const Parameter& p) {
  std::string text = p.help;
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string range = rangeText(p), unit = unitText(p);
  if (!range.empty())
    text += fmt::format(" ({})", range);
  else if (!unit.empty())
    text += fmt::format(" ({})", unit);
  return text;
}

/// The condition under which `p` is disabled: groups in braces of which any holds.
std::string disableWords(const std::vector<Parameter>& table, const Parameter& p,
                         const std::function<std::string(const std::string&)>& nameOf) {
  std::vector<std::string> groups;
  for (const Condition& condition : p.enabledWhen) {
    const Parameter* other = findParameter(table, condition.parameter);
    std::string words;
    for (const std::string& token : condition.tokens) {
      const bool toggle = other && other->type == ParameterType::Toggle;
      words += fmt::format(" {} != {}", nameOf(condition.parameter),
                           !toggle         ? token
                           : token == "on" ? "1"
                                           : "0");
    }
    groups.push_back("{" + words + " }");
  }
  return fmt::format("{}", fmt::join(groups, " "));
}

void writeToggle(Script& out, const std::string& name, const std::string& label, const std::string& help,
                 const std::string& disable) {
  out.open("parm");
  out.row("name", quoted(name));
  out.row("label", quoted(label));
  out.row("type", "toggle");
  out.line("nolabel");
  out.line("joinnext");
  out.row("default", "{ \"0\" }");
  out.row("help", quoted(help));
  if (!disable.empty()) out.row("disablewhen", quoted(disable));
  out.close();
}

void writeMenu(Script& out, const std::vector<MenuItem>& items) {
  out.open("menu");
  for (const MenuItem& item : items) out.line(quoted(item.token) + " " + quoted(item.label));
  out.close();
}

/// Two knots or more as Houdini wants them: { "0pos ( 0 ) 0value ( 0 ) ..." }.
std::string rampWords(const Value& ramp) {
  std::string text;
  int number = 1;
  for (const Value& knot : ramp.asList()) {
    text += fmt::format("{}{}pos ( {} ) {}value ( {} ) {}interp ( linear )", text.empty() ? "" : " ", number,
                        numberText(knot.asList()[0].asNumber()), number,
                        numberText(knot.asList()[1].asNumber()), number);
    ++number;
  }
  return text;
}

/// A menu whose items a script of Python finds in the first input of the node.
void writeScriptMenu(Script& out, const char* kind, const std::vector<std::string>& lines) {
  out.open(kind);
  for (const std::string& line : lines) out.line("[ " + quoted(line) + " ]");
  out.line("language python");
  out.close();
}

void writeInputMenu(Script& out, ParameterType type) {
  if (type == ParameterType::Group)
    writeScriptMenu(out, "menutoggle",
                    {"kwargs['node'].generateInputGroupMenu(0, hou.geometryType.Primitives)"});
  if (type == ParameterType::Attribute)
    writeScriptMenu(out, "menureplace", {"kwargs['node'].generateInputAttribMenu(0, hou.attribType.Point)"});
  if (type == ParameterType::Volume)
    writeScriptMenu(
        out, "menureplace",
        {"inputs = kwargs['node'].inputs()", "geo = inputs[0].geometry() if inputs and inputs[0] else None",
         "named = geo is not None and geo.findPrimAttrib('name') is not None",
         "names = sorted(set(geo.primStringAttribValues('name'))) if named else []",
         "return [word for name in names for word in (name, name)]"});
}

/// The arrow beside a field of groups, which lets the user select in the viewport.
void writeSelectionArrow(Script& out) {
  const auto tag = [&](const char* key, const char* value) {
    out.row("parmtag", fmt::format("{{ {} {} }}", quoted(key), quoted(value)));
  };
  tag("script_action",
      "import soputils\nkwargs['geometrytype'] = (hou.geometryType.Primitives,)\nkwargs['inputindex'] = 0\n"
      "soputils.selectGroupParm(kwargs)");
  tag("script_action_help", "Select primitives in a viewport.");
  tag("script_action_icon", "BUTTONS_reselect");
}

/// Keys come in the order in which Houdini writes them.
void writeParameter(Script& out, const Parameter& p, const std::string& name, const std::string& disable,
                    bool menus) {
  const bool ramp = p.type == ParameterType::Ramp;
  out.open("parm");
  out.row("name", quoted(name));
  out.row("label", quoted(p.label));
  out.row("type", typeWord(p));
  if (p.type == ParameterType::Vector || p.type == ParameterType::Colour) out.row("size", "3");
  out.row("default",
          ramp ? fmt::format("{{ \"{}\" }}", p.defaultValue.asList().size()) : "{ " + defaultWords(p) + " }");
  out.row("help", quoted(tooltip(p)));
  if (!disable.empty()) out.row("disablewhen", quoted(disable));
  if (p.type == ParameterType::Menu) writeMenu(out, p.menu);
  if (menus) writeInputMenu(out, p.type);
  if (isNumeric(p)) out.row("range", rangeWords(p));
  if (ramp) {
    out.row("range", "{ 1! 10 }");
    out.row("parmtag", fmt::format("{{ \"rampfloatdefault\" {} }}", quoted(rampWords(p.defaultValue))));
  }
  if (p.type == ParameterType::Group) writeSelectionArrow(out);
  out.close();
}

/// A record's fields are numbered by #. What the list is for is on the help card: a multiparm has no tooltip.
void writeList(Script& out, const Parameter& list, bool menus) {
  out.open("multiparm");
  out.row("name", quoted(list.name));
  out.row("label", quoted(list.label));
  out.row("default", std::to_string(list.defaultValue.asList().size()));
  for (const Parameter& field : list.fields) {
    Parameter row = field;
    if (row.type == ParameterType::Ramp) row.type = ParameterType::String;
    const auto nameOf = [&](const std::string& other) { return fieldName(list, other); };
    std::string disable = disableWords(list.fields, row, nameOf);
    if (row.optional) {
      const std::string toggle = fieldName(list, toggleName(row));
      writeToggle(out, toggle, "Set " + row.label, "Off: not set.", disable);
      disable += fmt::format("{}{{ {} == 0 }}", disable.empty() ? "" : " ", toggle);
    }
    writeParameter(out, row, fieldName(list, row.name), disable, menus);
  }
  out.close();
}

void writeRow(Script& out, const Operator& op, const Parameter& p, bool menus) {
  if (p.type == ParameterType::List) return writeList(out, p, menus);
  const auto own = [](const std::string& name) { return name; };
  std::string disable = disableWords(op.parameters, p, own);
  const Parameter* preset = presetOf(op, p);
  if (p.optional || preset) {
    const std::string toggle = toggleName(p);
    std::string toggleDisable = disable;
    // With a preset that fills in nothing the value always counts.
    std::string empty;
    if (preset)
      for (const std::string& token : emptyPresets(*preset)) {
        empty += fmt::format(" {} != {}", preset->name, token);
        toggleDisable +=
            fmt::format("{}{{ {} == {} }}", toggleDisable.empty() ? "" : " ", preset->name, token);
      }
    writeToggle(out, toggle, "Set " + p.label,
                preset ? "On: this value counts, not the preset's." : "Off: not set.", toggleDisable);
    disable += fmt::format("{}{{{} {} == 0 }}", disable.empty() ? "" : " ", empty, toggle);
  }
  writeParameter(out, p, p.name, disable, menus);
}

void writeStreams(Script& out, const Operator& op, bool packed) {
  std::vector<MenuItem> items;
  for (const size_t port : streamPorts(op)) items.push_back({op.outputs[port].name, op.outputs[port].label});
  if (packed) items.push_back({kAllStreams, "All, Packed"});
  out.open("parm");
  out.row("name", quoted(kStreamParameter));
  out.row("label", quoted("Output"));
  out.row("type", "ordinal");
  out.row("default", "{ " + quoted(items[0].token) + " }");
  out.row("help",
          quoted(fmt::format("Which result this node gives. All: one packed primitive each, told apart by "
                             "the primitive attribute {}.",
                             kStreamAttribute)));
  writeMenu(out, items);
  out.close();
}

void writePictures(Script& out, const Operator& op) {
  for (const size_t i : picturePorts(op)) {
    const Port& port = op.outputs[i];
    out.open("parm");
    out.row("name", quoted(pictureParameter(port)));
    out.row("label", quoted(port.label));
    out.row("type", "file");
    out.row("default", "{ \"\" }");
    out.row("help", quoted(port.help + " Written at every cook; empty: nothing is drawn."));
    out.close();
  }
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\n') out += '\\';
    out += c == '\n' ? 'n' : c;
  }
  return out + "\"";
}

double restingNumber(const Parameter& p) {
  const double low = p.softMin.value_or(p.hardMin.value_or(0.0));
  const double high = p.softMax.value_or(p.hardMax.value_or(low + 1.0));
  const double middle = low > 0 ? std::sqrt(low * high) : 0.5 * (low + high);
  return p.type == ParameterType::Int ? std::round(middle) : middle;
}

std::string parameterBlocks(const Operator& op, const DialogScriptOptions& options) {
  Script out;
  if (options.streams && streamPorts(op).size() > 1) writeStreams(out, op, options.packed);
  writePictures(out, op);
  const std::vector<ParameterSection> sections = parameterSections(op);
  int folder = 0;
  for (const ParameterSection& section : sections) {
    const bool tab = sections.size() > 1;
    if (tab) {
      out.open("group");
      out.row("name", quoted(folder == 0 ? "folder0" : fmt::format("folder0_{}", folder)));
      ++folder;
      out.row("label", quoted(section.heading));
    }
    for (const Parameter* p : section.parameters) writeRow(out, op, *p, options.menus);
    if (tab) out.close();
  }
  return out.take();
}

std::string dialogScript(const Operator& op, const std::string& name) {
  return fmt::format("{{\n    name        {}\n\n{}}}\n", name, parameterBlocks(op));
}

}  // namespace hackle::houdini
