// A digital asset as the expanded text of an asset library: the folder that Houdini installs without
// conversion. The format is not documented; its rules were counted over public assets.
#pragma once

#include <hackle/core/value.h>

#include <map>
#include <string>
#include <vector>

namespace hackle::houdini {

/// A row of parameter values of a node inside an asset.
struct AssetSetting {
  std::string name;
  std::vector<std::string> values;       // numbers, or text in quotes
  std::vector<std::string> channels;     // names of the components that follow an expression; may be empty
  std::vector<std::string> expressions;  // of those components
};

/// A node inside an asset.
struct AssetNode {
  std::string name, type;
  std::vector<std::string> inputs;  // names of nodes, "(0)" for inputs of the asset, "" for none
  std::vector<AssetSetting> settings;
  std::vector<std::string> links;  // parameters of records, with # for the number, that follow the asset's
};

struct Asset {
  std::string name;     // without namespace and version: "rbd_voronoi"
  std::string version;  // of the node type: "1.0"
  std::string table;    // "Sop"
  std::string label;
  std::string menuPath;  // in the Tab menu
  std::string iconSvg;
  std::string blocks;  // of the dialog script
  size_t requiredInputs = 0;
  std::vector<std::string> inputLabels, outputLabels;
  std::vector<AssetNode> nodes;
  std::string shownNode;  // has the display and render flags
  std::string state;      // viewer state of the Handles tool; empty: Houdini's own
  std::string release;    // of Hackle, kept with every node that the asset makes
  std::string typeName() const { return "hackle::" + name + "::" + version; }
  std::string path() const { return "hackle::" + table + "/" + name + "::" + version; }
};

/// Files of the library by their path in it.
std::map<std::string, std::string> libraryFiles(const Asset& asset);

/// The same asset for a script that makes it with Houdini's own calls (examples/houdini/make_assets.py).
Value assetDescription(const Asset& asset);

/// A row that follows the asset's parameters of the same names.
AssetSetting followingSetting(const std::string& name, const std::vector<std::string>& channels,
                              const std::vector<std::string>& values, bool isText);

}  // namespace hackle::houdini
