#include <dop/package/fracture_node.h>
#include <hackle/core/error.h>
#include <hackle/core/version.h>
#include <hackle/io/bytes.h>
#include <sop/package/dialog_script.h>
#include <sop/package/digital_asset.h>
#include <sop/package/help_card.h>
#include <sop/package/icon.h>
#include <sop/package/node_layout.h>
#include <sop/package/package_files.h>
#include <sop/package/python_asset.h>

#include <fmt/format.h>

namespace hackle::houdini {

namespace {

/// What a user puts into (or points HOUDINI_PACKAGE_DIR at the folder of): Houdini finds dso, otls, help,
/// config and pythonX.Ylibs under hpath by itself. A plug-in fits the release that it was built with and no
/// other.
std::string packageText(const std::string& houdini) {
  std::string enable = "houdini_version >= '19.5'";
  if (!houdini.empty()) {
    const size_t dot = houdini.find('.'), end = houdini.find('.', dot + 1);
    const std::string major = houdini.substr(0, dot), minor = houdini.substr(dot + 1, end - dot - 1);
    enable = fmt::format("houdini_version >= '{}.{}' and houdini_version < '{}.{}'", major, minor, major,
                         std::stoi(minor) + 1);
  }
  return fmt::format(
      "{{\n"
      "    \"enable\": \"{}\",\n"
      "    \"load_package_once\": true,\n"
      "    \"env\": [\n"
      "        {{ \"HACKLE\": \"$HOUDINI_PACKAGE_PATH/hackle\" }}\n"
      "    ],\n"
      "    \"hpath\": \"$HACKLE\"\n"
      "}}\n",
      enable);
}

/// rbd_hackle: the parameters of the DOP. Only Houdini's own calls make what is inside
/// (python/houdini/hackle_tools.py).
Asset simulationAsset() {
  Asset asset;
  asset.name = "rbd_hackle";
  asset.version = kNodeVersion;
  asset.table = "Sop";
  asset.label = "Hackle RBD Simulation";
  asset.menuPath = tabMenuPath(fractureNode());
  asset.iconSvg = iconSvg(fractureNode());
  asset.blocks = parameterBlocks(fractureNode());
  asset.requiredInputs = 1;
  asset.inputLabels = {"Geometry", "Render Geometry"};
  asset.outputLabels = {"Pieces"};
  asset.release = version();
  return asset;
}

}  // namespace

std::map<std::string, std::string> packageFiles(const std::vector<Operator>& operators,
                                                const std::string& houdini) {
  std::map<std::string, std::string> files;
  files["hackle.json"] = packageText(houdini);
  Value::List assets;
  for (const Operator& op : operators) {
    files[fmt::format("hackle/help/nodes/sop/{}.txt", helpPath(op.id))] = helpCard(op);
    for (const char* folder : {"config/Icons", "help/icons"})
      files[fmt::format("hackle/{}/{}.svg", folder, iconName(op))] = iconSvg(op);
    if (!hasAsset(op)) continue;
    files[fmt::format("hackle/help/nodes/sop/{}.txt", helpPath(assetName(op)))] = assetHelpCard(op);
    const Asset asset = fractureAsset(op, version());
    for (const auto& [path, text] : libraryFiles(asset))
      files[fmt::format("hackle/otls/{}.hda/{}", asset.name, path)] = text;
    assets.push_back(assetDescription(asset));
  }
  files[fmt::format("hackle/help/nodes/dop/{}.txt", kFractureNodeName)] = fractureNodeCard();
  for (const char* folder : {"config/Icons", "help/icons"})
    files[fmt::format("hackle/{}/{}.svg", folder, kFractureNodeName)] = iconSvg(fractureNode());
  files["hackle/assets.json"] = Value(std::move(assets)).toJson(2) + "\n";
  files["hackle/simulation.json"] = assetDescription(simulationAsset()).toJson(2) + "\n";
  return files;
}

std::map<std::string, std::string> pythonPackageFiles(const std::vector<Operator>& operators,
                                                      const std::map<std::string, std::string>& scripts) {
  std::map<std::string, std::string> files;
  files["hackle.json"] = packageText("");
  std::vector<Operator> supported;
  for (const Operator& op : operators)
    if (hasPythonAsset(op)) supported.push_back(op);
  for (const Operator& op : supported) {
    files[fmt::format("hackle/help/nodes/sop/{}.txt", helpPath(op.id))] = helpCard(op);
    files[fmt::format("hackle/config/Icons/{}.svg", iconName(op))] = iconSvg(op);
    for (const auto& [path, text] : libraryFiles(pythonAsset(op, version())))
      files[fmt::format("hackle/otls/{}.hda/{}", op.id, path)] = text;
  }
  files["hackle/simulation.json"] = assetDescription(simulationAsset()).toJson(2) + "\n";
  files["hackle/operators.json"] = operatorDescriptions(supported).toJson(2) + "\n";
  // Of 19.5, 20.0, 20.5 and 21.
  for (const char* python : {"3.9", "3.10", "3.11"})
    for (const char* module : {"hackle_nodes.py", "hackle_tools.py"})
      files[fmt::format("hackle/python{}libs/{}", python, module)] = scripts.at(module);
  files["hackle/viewer_states/hackle_place.py"] = scripts.at("hackle_place.py");
  files["hackle/toolbar/hackle.shelf"] = scripts.at("hackle.shelf");
  return files;
}

void writePackage(const std::map<std::string, std::string>& files, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code failure;
  for (const char* made : {"otls", "help", "config"}) fs::remove_all(folder / "hackle" / made, failure);
  for (const auto& [path, text] : files) {
    fs::create_directories((folder / path).parent_path(), failure);
    if (failure)
      throw Error(ErrorCode::Io, fmt::format("cannot make {}: {}", (folder / path).parent_path().string(),
                                             failure.message()));
    AtomicFile file(folder / path);
    file.write(text);
    file.commit();
  }
}

}  // namespace hackle::houdini
