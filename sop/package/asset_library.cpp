#include <sop/package/asset_library.h>
#include <sop/package/dialog_script.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace hackle::houdini {

namespace {

/// The oldest Houdini that we support: nodes inside assets have their values as it writes them.
const char* const kHoudini = "19.5.303";

/// The boundary has the form of Houdini's own; its four numbers come from the name of the asset.
std::string boundaryOf(const std::string& name) {
  std::string words;
  uint32_t hash = 2166136261u;
  for (int word = 0; word < 4; ++word) {
    for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
    words += fmt::format("{}0x{:08X}", word == 0 ? "" : "-", hash);
  }
  return fmt::format("HOUDINIMIMEBOUNDARY{}HOUDINIMIMEBOUNDARY", words);
}

class Mime {
 public:
  explicit Mime(const std::string& name) : mBoundary(boundaryOf(name)) {
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

/// Nodes that are assets themselves match their definition: they are stored without their content. A wrangle
/// marked otherwise would be read as unlocked and empty.
bool isAsset(const std::string& type) { return type == "attribwrangle" || type == "rbdbulletsolver"; }

std::string initText(const std::string& type, bool matches) {
  return fmt::format("type = {}\nmatchesdef = {}\n", type, matches ? 1 : 0);
}

std::string userDataText(const std::string& version) {
  return fmt::format("{{\n\t\"___Version___\":{{\n\t\t\"type\":\"string\",\n\t\t\"value\":\"{}\"\n\t}}\n}}\n",
                     version);
}

/// Ids of connectors are unique over a node: its inputs from 0, then its output.
size_t outputId(const AssetNode& node) { return node.inputs.size(); }

struct Wires {
  std::string outputs, named, plain;
  size_t nextId = 0;
};

Wires wiresOf(const AssetNode& node, const std::vector<AssetNode>& all) {
  Wires wires;
  wires.outputs = fmt::format("{} \"output1\"\n", outputId(node));
  wires.nextId = outputId(node) + 1;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& source = node.inputs[i];
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const AssetNode& other) { return other.name == source; });
    const std::string id = found == all.end() ? "\"\"" : std::to_string(outputId(*found));
    const std::string name = source.empty() ? "\"\"" : source;
    wires.named += fmt::format("{} \t{} {} 1 \"input{}\"\n", i, name, id, i + 1);
    wires.plain += fmt::format("{} \t{} 0 1\n", i, name);
  }
  return wires;
}

std::string definitionText(const Wires& wires, const std::string& position, bool shown) {
  const char* on = shown ? "on" : "off";
  return fmt::format(
      "sopflags sopflags = \ncomment \"\"\nposition {}\nconnectornextid {}\n"
      "flags =  lock off model off template off footprint off xray off bypass off display {} render {} "
      "highlight off unload off savedata off compress on colordefault on exposed on\n"
      "outputsNamed3\n{{\n{}}}\ninputsNamed3\n{{\n{}}}\ninputs\n{{\n{}}}\n"
      "stat\n{{\n  create -1\n  modify -1\n  author hackle@hackle\n  access 0777\n}}\n"
      "color UT_Color RGB 0.8 0.8 0.8 \ndelscript \"\"\nexprlanguage hscript\nend\n",
      position, wires.nextId, on, on, wires.outputs, wires.named, wires.plain);
}

std::string settingsText(const std::vector<AssetSetting>& settings) {
  std::string out = "{\nversion 0.8\n";
  for (const AssetSetting& s : settings) {
    out += fmt::format("{}\t[ 0\tlocks=0 ]\t(", s.name);
    for (size_t i = 0; i < s.values.size(); ++i)
      out += i < s.channels.size() ? fmt::format("\t[ {}\t{} ] ", s.channels[i], s.values[i])
                                   : fmt::format("\t{}", s.values[i]);
    out += "\t)\n";
  }
  return out + "}\n";
}

std::string channelsText(const std::vector<AssetSetting>& settings) {
  std::string out;
  for (const AssetSetting& s : settings)
    for (size_t i = 0; i < s.channels.size(); ++i) {
      // A default other than 0 is kept twice, as Houdini writes it.
      const bool plain = s.values[i] == "0" || s.values[i].front() == '"';
      out += fmt::format(
          "    channel {} {{\n      lefttype = extend\n      righttype = extend\n{}      flags = 0\n"
          "      segment {{ length = 0 {}expr = {} }}\n    }}\n",
          s.channels[i], plain ? "" : fmt::format("      default = {}\n", s.values[i]),
          plain ? "" : fmt::format("value = {0} {0} ", s.values[i]), s.expressions[i]);
    }
  return out.empty() ? out : "{\n" + out + "  }\n";
}

std::string linksText(const std::vector<std::string>& links) {
  std::string out = fmt::format("{}\n", links.size());
  for (const std::string& name : links) out += fmt::format("{} ../{}\n", name, name);
  return out;
}

void addNode(Mime& mime, const AssetNode& node, const Asset& asset, size_t row) {
  const std::string base = "hdaroot/" + node.name;
  const std::string position = row == 0 ? "0 0" : fmt::format("0 -{}", row);
  const bool ours = node.type.compare(0, 8, "hackle::") == 0;
  mime.add(base + ".init", initText(node.type, isAsset(node.type)));
  mime.add(base + ".def", definitionText(wiresOf(node, asset.nodes), position, node.name == asset.shownNode));
  if (!node.links.empty()) mime.add(base + ".multiparm", linksText(node.links));
  if (const std::string channels = channelsText(node.settings); !channels.empty())
    mime.add(base + ".chn", channels);
  mime.add(base + ".parm", settingsText(node.settings));
  mime.add(base + ".userdata", userDataText(ours ? asset.release : kHoudini));
}

std::string contents(const Asset& asset) {
  Mime mime(asset.name);
  mime.add("node_type", asset.table + "\n");
  mime.add("hdaroot.init", initText(asset.typeName(), false));
  mime.add("hdaroot.def", definitionText({}, "0 0", true));
  mime.add("hdaroot.userdata", userDataText(asset.release));
  std::string sockets = fmt::format("{}\n", asset.inputLabels.size());
  for (size_t i = 0; i < asset.inputLabels.size(); ++i)
    sockets += fmt::format("{} {} 4 2 0 __NO_OWNER_NETWORK_BOX__ \"FROMOUTPUT\"\n", i, 3 * i);
  mime.add("hdaroot.inp", sockets);
  std::string order = fmt::format("{}\n", asset.nodes.size());
  for (size_t i = 0; i < asset.nodes.size(); ++i) {
    addNode(mime, asset.nodes[i], asset, i);
    order += asset.nodes[i].name + "\n";
  }
  mime.add("hdaroot.order", order);
  mime.add("hdaroot.net", "1\n");
  return mime.finish();
}

std::string dialogText(const Asset& asset) {
  std::string labels;
  for (size_t i = 0; i < asset.inputLabels.size(); ++i)
    labels += fmt::format("    inputlabel  {} {}\n", i + 1, quoted(asset.inputLabels[i]));
  for (size_t i = 0; i < asset.outputLabels.size(); ++i)
    labels += fmt::format("    outputlabel {} {}\n", i + 1, quoted(asset.outputLabels[i]));
  return fmt::format(
      "# Dialog script for {0} automatically generated\n\n{{\n    name        {0}\n    script      {0}\n"
      "    label       {1}\n\n    help {{\n        \"\"\n    }}\n\n{2}\n{3}}}\n",
      asset.typeName(), quoted(asset.label), labels, asset.blocks);
}

std::string indexText(const Asset& asset) {
  // One output goes without saying.
  const size_t outputs = asset.outputLabels.size();
  return fmt::format(
      "Operator:     {}\nLabel:        {}\nPath:         oplib:/{}?{}\nIcon:         opdef:/{}?IconSVG\n"
      "Table:        {}\nLicense:      \nExtra:        \nUser:         \nInputs:       {} to {}\n{}"
      "Subnet:       true\nPython:       false\nEmpty:        false\nModified:     Thu Jan  1 00:00:00 "
      "1970\n\n",
      asset.typeName(), asset.label, asset.path(), asset.path(), asset.path(), asset.table,
      asset.requiredInputs, asset.inputLabels.size(),
      outputs == 1 ? "" : fmt::format("Outputs:      {}\n", outputs));
}

const char* const kShelf =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<shelfDocument>\n"
    "  <tool name=\"$HDA_DEFAULT_TOOL\" label=\"$HDA_LABEL\" icon=\"$HDA_ICON\">\n"
    "    <toolMenuContext name=\"viewer\">\n      <contextNetType>SOP</contextNetType>\n"
    "    </toolMenuContext>\n    <toolMenuContext name=\"network\">\n"
    "      <contextOpType>$HDA_TABLE_AND_NAME</contextOpType>\n    </toolMenuContext>\n"
    "    <toolSubmenu>{}</toolSubmenu>\n    <script scriptType=\"python\"><![CDATA[import soptoolutils\n\n"
    "soptoolutils.genericTool(kwargs, '$HDA_NAME')]]></script>\n  </tool>\n</shelfDocument>\n";

const char* const kTypeProperties =
    "CheckExternal := 1;\nContentsCompressionType := 1;\nForbidOutsideParms := 1;\nGzipContents := 1;\n"
    "LockContents := 1;\nMakeDefault := 1;\nParmsFromVfl := 0;\nPrefixDroppedParmLabel := 0;\n"
    "PrefixDroppedParmName := 0;\nSaveCachedCode := 0;\nSaveIcon := 1;\nSaveSpareParms := 0;\n"
    "UnlockOnCreate := 0;\nUseDSParms := 1;\n";

const char* const kInternalOptions =
    "{\n\t\"nodeconntype\":{\n\t\t\"type\":\"bool\",\n\t\t\"value\":false\n\t},\n"
    "\t\"nodeparmtype\":{\n\t\t\"type\":\"bool\",\n\t\t\"value\":false\n\t}\n}\n";

std::string createScript(const Asset& asset) {
  return fmt::format(
      "# Automatically generated script\n\\set noalias = 1\n#\n#  Creation script for {} operator\n#\n\n"
      "if ( \"$arg1\" == \"\" ) then\n    echo This script is intended as a creation script\n    "
      "exit\nendif\n\n"
      "# Node $arg1 ({})\nopexprlanguage -s hscript $arg1\nopuserdata -n '___Version___' -v '{}' $arg1\n",
      asset.typeName(), asset.path(), asset.release);
}

}  // namespace

AssetSetting followingSetting(const std::string& name, const std::vector<std::string>& channels,
                              const std::vector<std::string>& values, bool isText) {
  AssetSetting setting{name, values, channels, {}};
  for (const std::string& channel : channels)
    setting.expressions.push_back(fmt::format("{}(\\\"../{}\\\")", isText ? "chs" : "ch", channel));
  return setting;
}

std::map<std::string, std::string> libraryFiles(const Asset& asset) {
  // In names of folders an underscore doubles, ":" is _8 and "/" is _1.
  std::string folder;
  for (const char c : asset.path())
    folder += c == '_' ? "__" : c == ':' ? "_8" : c == '/' ? "_1" : std::string(1, c);
  std::map<std::string, std::string> files;
  files["INDEX__SECTION"] = indexText(asset);
  files["houdini.hdalibrary"] = "";
  files["Sections.list"] =
      fmt::format("\"\"\nINDEX__SECTION\tINDEX_SECTION\nhoudini.hdalibrary\thoudini.hdalibrary\n{}\t{}\n",
                  folder, asset.path());
  std::string sections = "\"\"\n";
  const auto add = [&](const std::string& name, const std::string& text) {
    files[folder + "/" + name] = text;
    sections += fmt::format("{0}\t{0}\n", name);
  };
  add("DialogScript", dialogText(asset));
  add("CreateScript", createScript(asset));
  add("TypePropertiesOptions", kTypeProperties);
  add("Help", "");  // the card is in the help folder
  add("Tools.shelf", fmt::format(kShelf, asset.menuPath));
  add("InternalFileOptions", kInternalOptions);
  // The list names the content as it is in a file that is not expanded.
  sections += "Contents.gz\tContents.gz\n";
  files[folder + "/Contents.dir/Contents.mime"] = contents(asset);
  files[folder + "/Contents.dir/Sections.list"] = "\"\"\nContents.mime\tContents.mime\n";
  add("IconSVG", asset.iconSvg);
  if (!asset.state.empty()) add("DefaultState", asset.state);
  add("ExtraFileOptions", "{\n}\n");
  files[folder + "/Sections.list"] = sections;
  return files;
}

Value assetDescription(const Asset& asset) {
  const auto words = [](const std::vector<std::string>& list) {
    return Value::List(list.begin(), list.end());
  };
  Value::List nodes;
  for (const AssetNode& node : asset.nodes) {
    Value::List settings;
    for (const AssetSetting& s : node.settings)
      settings.push_back(
          Value::Map{{"name", s.name}, {"values", words(s.values)}, {"follows", words(s.channels)}});
    nodes.push_back(Value::Map{{"name", node.name},
                               {"type", node.type},
                               {"inputs", words(node.inputs)},
                               {"settings", std::move(settings)},
                               {"links", words(node.links)}});
  }
  return Value::Map{{"name", asset.name},
                    {"type", asset.typeName()},
                    {"label", asset.label},
                    {"menu", asset.menuPath},
                    {"icon", asset.iconSvg},
                    {"required_inputs", static_cast<int64_t>(asset.requiredInputs)},
                    {"inputs", words(asset.inputLabels)},
                    {"outputs", words(asset.outputLabels)},
                    {"dialog_script", dialogText(asset)},
                    {"shown", asset.shownNode},
                    {"state", asset.state},
                    {"nodes", std::move(nodes)}};
}

}  // namespace hackle::houdini
