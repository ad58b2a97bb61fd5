#include <sop/package/dialog_script.h>
#include <sop/package/digital_asset.h>
#include <sop/package/help_card.h>
#include <sop/package/icon.h>
#include <sop/package/node_layout.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::houdini {

namespace {

const char* const kStreams[] = {"geometry", "constraints", "proxies"};

/// A parameter of a node inside: text in quotes or words, and the expression it follows, if any.
struct Setting {
  std::string name;
  std::vector<std::string> values;
  std::vector<std::string> channels;     // names of components that follow an expression
  std::vector<std::string> expressions;  // of those
};

struct InnerNode {
  std::string name, type;
  std::vector<std::string> inputs;  // names of nodes, "(0)" for inputs of the asset, "" for none
  std::vector<Setting> settings;
  std::vector<std::string> links;  // parameters of records, with # for the number, that follow the asset's
};

class Mime {
 public:
  explicit Mime(const std::string& seed)
      : mBoundary(fmt::format("HOUDINIMIMEBOUNDARY-hackle-{}-HOUDINIMIMEBOUNDARY", seed)) {
    mText = fmt::format("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"{}\"\n\n", mBoundary);
  }
  void add(const std::string& file, const std::string& content) {
    mText += fmt::format(
        "--{}\nContent-Disposition: attachment; filename=\"{}\"\nContent-Type: text/plain\n\n{}\n", mBoundary,
        file, content);
  }
  std::string finish() { return mText + fmt::format("--{}--\n", mBoundary); }

 private:
  std::string mBoundary, mText;
};

std::string initText(const std::string& type) { return fmt::format("type = {}\nmatchesdef = 0\n", type); }

std::string definitionText(const InnerNode& node, double x, double y, bool shown) {
  std::string named, plain;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) continue;
    const bool outer = node.inputs[i][0] == '(';
    named += fmt::format("{} \t{} {} 1 \"input{}\"\n", i, node.inputs[i], outer ? "\"\"" : "1", i + 1);
    plain += fmt::format("{} \t{} 0 1\n", i, node.inputs[i]);
  }
  const char* on = shown ? "on" : "off";
  return fmt::format(
      "sopflags sopflags = \ncomment \"\"\nposition {} {}\nconnectornextid {}\nflags =  lock off model off "
      "template "
      "off footprint off xray off bypass off display {} render {} highlight off unload off savedata off "
      "compress on "
      "colordefault on exposed on\noutputsNamed3\n{{\n1 "
      "\"output1\"\n}}\ninputsNamed3\n{{\n{}}}\ninputs\n{{\n{}}}\n"
      "stat\n{{\n  create 0\n  modify 0\n  author hackle\n  access 0777\n}}\ncolor UT_Color RGB 0.8 0.8 0.8 "
      "\n"
      "delscript \"\"\nexprlanguage hscript\nend\n",
      x, y, node.inputs.size() + 1, on, on, named, plain);
}

std::string settingsText(const std::vector<Setting>& settings) {
  std::string out = "{\nversion 0.8\n";
  for (const Setting& s : settings) {
    out += fmt::format("{}\t[ {}\tlocks=0 ]\t(", s.name, s.channels.empty() ? 0 : 8);
    for (size_t i = 0; i < s.values.size(); ++i)
      out += i < s.channels.size() ? fmt::format("\t[ {}\t{} ] ", s.channels[i], s.values[i])
                                   : fmt::format("\t{}", s.values[i]);
    out += "\t)\n";
  }
  return out + "}\n";
}

std::string channelsText(const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& s : settings)
    for (size_t i = 0; i < s.channels.size(); ++i)
      out += fmt::format(
          "    channel {} {{\n      lefttype = extend\n      righttype = extend\n      flags = 0\n      "
          "segment {{ "
          "length = 0 expr = {} }}\n    }}\n",
          s.channels[i], s.expressions[i]);
  return out.empty() ? out : "{\n" + out + "  }\n";
}

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

/// The value of the asset's parameter of the same name. Of lists and ramps it is the number of records.
Setting follow(const std::string& name, const Parameter& p) {
  Setting s;
  s.name = name;
  s.channels = channelsOf(name, p);
  for (const std::string& channel : s.channels) {
    s.values.push_back(isText(p) ? "\"\"" : "0");
    s.expressions.push_back(fmt::format("{}(\\\"../{}\\\")", isText(p) ? "chs" : "ch", channel));
  }
  return s;
}

Parameter toggleParameter() {
  Parameter toggle;
  toggle.type = ParameterType::Toggle;
  return toggle;
}

/// All parameters follow those outside.
std::vector<Setting> followAll(const Operator& op) {
  std::vector<Setting> settings{{kStreamParameter, {fmt::format("\"{}\"", kAllStreams)}, {}, {}}};
  for (const Parameter& p : op.parameters) {
    if (p.type != ParameterType::List && (p.optional || presetOf(op, p)))
      settings.push_back(follow(toggleName(p), toggleParameter()));
    settings.push_back(follow(p.name, p));
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

std::string linksText(const std::vector<std::string>& links) {
  std::string out = fmt::format("{}\n", links.size());
  for (const std::string& name : links) out += fmt::format("{} ../{}\n", name, name);
  return out;
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

std::vector<InnerNode> innerNodes(const Operator& op) {
  std::vector<InnerNode> nodes;
  InnerNode fracture{"fracture", nodeTypeName(op), {"(0)"}, followAll(op), recordLinks(op)};
  for (size_t i = 1; i < op.inputs.size(); ++i) fracture.inputs.push_back(fmt::format("({})", i + 2));
  nodes.push_back(fracture);
  for (const char* stream : kStreams) {
    nodes.push_back({fmt::format("take_{}", stream),
                     "blast",
                     {"fracture"},
                     {{"group", {fmt::format("\"@{}={}\"", kStreamAttribute, stream)}, {}, {}},
                      {"grouptype", {"\"prims\""}, {}, {}},
                      {"negate", {"\"on\""}, {}, {}}},
                     {}});
    nodes.push_back({fmt::format("unpack_{}", stream), "unpack", {fmt::format("take_{}", stream)}, {}, {}});
  }
  nodes.push_back({"rewire",
                   "attribwrangle",
                   {"(1)", "unpack_geometry"},
                   {{"class", {"\"point\""}, {}, {}}, {"snippet", {fmt::format("\"{}\"", kRewire)}, {}, {}}},
                   {}});
  nodes.push_back({"all_constraints", "merge", {"rewire", "unpack_constraints"}, {}, {}});
  nodes.push_back(
      {"keep_proxies",
       "attribwrangle",
       {"(2)", "(0)"},
       {{"class", {"\"primitive\""}, {}, {}}, {"snippet", {fmt::format("\"{}\"", kKeepProxies)}, {}, {}}},
       {}});
  nodes.push_back({"all_proxies", "merge", {"keep_proxies", "unpack_proxies"}, {}, {}});
  const char* results[] = {"unpack_geometry", "all_constraints", "all_proxies"};
  for (size_t i = 0; i < 3; ++i)
    nodes.push_back({fmt::format("output{}", i),
                     "output",
                     {results[i]},
                     {{"outputidx", {std::to_string(i)}, {}, {}}},
                     {}});
  return nodes;
}

std::string contents(const Operator& op) {
  Mime mime(op.id);
  mime.add("node_type", "Sop\n");
  mime.add("hdaroot.init", initText(assetTypeName(op)));
  mime.add("hdaroot.def", definitionText({"hdaroot", assetTypeName(op), {}, {}, {}}, 0, 0, true));
  const std::vector<Port> inputs = assetInputs(op);
  std::string sockets = fmt::format("{}\n", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    sockets += fmt::format("{} {} 4 2 0 __NO_OWNER_NETWORK_BOX__ \"FROMOUTPUT\"\n", i, 3 * i);
  mime.add("hdaroot.inp", sockets);
  const std::vector<InnerNode> nodes = innerNodes(op);
  std::string order = fmt::format("{}\n", nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string base = "hdaroot/" + nodes[i].name;
    mime.add(base + ".init", initText(nodes[i].type));
    mime.add(base + ".def", definitionText(nodes[i], 0, -static_cast<double>(i), nodes[i].name == "output0"));
    if (!nodes[i].links.empty()) mime.add(base + ".multiparm", linksText(nodes[i].links));
    if (const std::string channels = channelsText(nodes[i].settings); !channels.empty())
      mime.add(base + ".chn", channels);
    mime.add(base + ".parm", settingsText(nodes[i].settings));
    order += nodes[i].name + "\n";
  }
  mime.add("hdaroot.order", order);
  mime.add("hdaroot.net", "1\n");
  return mime.finish();
}

std::string script(const Operator& op) {
  std::string labels;
  const std::vector<Port> inputs = assetInputs(op);
  for (size_t i = 0; i < inputs.size(); ++i)
    labels += fmt::format("    inputlabel  {} {}\n", i + 1, quoted(inputs[i].label));
  for (size_t i = 0; i < 3; ++i)
    labels += fmt::format("    outputlabel {} {}\n", i + 1, quoted(op.outputs[i].label));
  return fmt::format(
      "# Dialog script for {} automatically generated\n\n{{\n    name        {}\n    script      {}\n    "
      "label       {}\n\n{}\n{}}}\n",
      assetTypeName(op), assetTypeName(op), assetName(op), quoted("Hackle RBD " + op.label), labels,
      parameterBlocks(op, {false}));
}

std::string indexText(const Operator& op) {
  const std::string path = "hackle::Sop/" + assetName(op);
  return fmt::format(
      "Operator:     {}\nLabel:        Hackle RBD {}\nPath:         oplib:/{}?{}\nIcon:         {}\nTable:   "
      "     "
      "Sop\nLicense:      \nExtra:        \nUser:         \nInputs:       1 to {}\nSubnet:       "
      "true\nPython:       "
      "false\nEmpty:        false\nModified:     Thu Jan  1 00:00:00 1970\n\n",
      assetTypeName(op), op.label, path, path, iconName(op), assetInputs(op).size());
}

const char* const kShelf =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<shelfDocument>\n  <tool name=\"$HDA_DEFAULT_TOOL\" "
    "label=\"$HDA_LABEL\" icon=\"$HDA_ICON\">\n    <toolMenuContext name=\"network\">\n      "
    "<contextOpType>$HDA_TABLE_AND_NAME</contextOpType>\n    </toolMenuContext>\n    "
    "<toolSubmenu>{}</toolSubmenu>\n    <script scriptType=\"python\"><![CDATA[import soptoolutils\n\n"
    "soptoolutils.genericTool(kwargs, '$HDA_NAME')]]></script>\n  </tool>\n</shelfDocument>\n";

}  // namespace

bool hasAsset(const Operator& op) {
  if (op.outputs.size() < 3) return false;
  for (size_t i = 0; i < 3; ++i)
    if (op.outputs[i].name != kStreams[i] || op.outputs[i].type != PortType::Geometry) return false;
  return !op.inputs.empty() && !op.inputs.back().repeats;
}

std::string assetName(const Operator& op) { return "rbd_" + op.id; }
std::string assetTypeName(const Operator& op) { return "hackle::" + assetName(op); }
std::string helpPath(const std::string& name) { return "hackle--" + name; }

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

std::map<std::string, std::string> assetFiles(const Operator& op, const std::string& version) {
  // An underscore doubles, : is _8 and / is _1 in the names of folders.
  std::string folder = "hackle_8_8Sop_1";
  for (const char c : assetName(op)) folder += c == '_' ? std::string("__") : std::string(1, c);
  std::map<std::string, std::string> files;
  files["INDEX__SECTION"] = indexText(op);
  files["houdini.hdalibrary"] = "";
  files["Sections.list"] = fmt::format(
      "\"\"\nINDEX__SECTION\tINDEX_SECTION\nhoudini.hdalibrary\thoudini.hdalibrary\n{}\thackle::Sop/{}\n",
      folder, assetName(op));
  const auto add = [&](const std::string& name, const std::string& text) {
    files[folder + "/" + name] = text;
  };
  add("Sections.list",
      "\"\"\nDialogScript\tDialogScript\nCreateScript\tCreateScript\nTypePropertiesOptions\tTypePropertiesOpt"
      "ions\n"
      "Help\tHelp\nTools.shelf\tTools.shelf\nContents.gz\tContents.gz\nIconSVG\tIconSVG\n");
  add("DialogScript", script(op));
  add("CreateScript",
      fmt::format(
          "# Automatically generated script\n\\set noalias = 1\n\nif ( \"$arg1\" == \"\" ) then\n    echo "
          "This "
          "script is intended as a creation script\n    exit\nendif\n\n# Node $arg1 (hackle::Sop/{})\n"
          "opexprlanguage -s hscript $arg1\nopuserdata -n '___Version___' -v '{}' $arg1\n",
          assetName(op), version));
  add("TypePropertiesOptions",
      "CheckExternal := 1;\nContentsCompressionType := 1;\nForbidOutsideParms := 1;\nGzipContents := 1;\n"
      "LockContents := 1;\nMakeDefault := 1;\nParmsFromVfl := 0;\nPrefixDroppedParmLabel := 0;\n"
      "PrefixDroppedParmName := 0;\nSaveCachedCode := 0;\nSaveIcon := 1;\nSaveSpareParms := "
      "0;\nUnlockOnCreate := 0;\n"
      "UseDSParms := 1;\n");
  add("Help", assetHelpCard(op));
  add("Tools.shelf", fmt::format(kShelf, tabMenuPath(op)));
  add("IconSVG", iconSvg(op));
  add("Contents.dir/Contents.mime", contents(op));
  return files;
}

}  // namespace hackle::houdini
