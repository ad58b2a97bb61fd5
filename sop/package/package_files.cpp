#include <hackle/core/error.h>
#include <hackle/core/version.h>
#include <hackle/io/bytes.h>
#include <sop/package/digital_asset.h>
#include <sop/package/help_card.h>
#include <sop/package/icon.h>
#include <sop/package/node_layout.h>
#include <sop/package/package_files.h>

#include <fmt/format.h>

namespace hackle::houdini {

namespace {

/// What a user puts into (or points HOUDINI_PACKAGE_DIR at the folder of): Houdini finds dso, otls, help,
/// config and pythonX.Ylibs under hpath by itself.
const char* const kPackage =
    "{\n"
    "    \"name\": \"hackle\",\n"
    "    \"enable\": \"houdini_version >= '19.5'\",\n"
    "    \"load_package_once\": true,\n"
    "    \"env\": [\n"
    "        { \"HACKLE\": \"$HOUDINI_PACKAGE_PATH/hackle\" }\n"
    "    ],\n"
    "    \"hpath\": \"$HACKLE\"\n"
    "}\n";

}  // namespace

std::map<std::string, std::string> packageFiles(const std::vector<Operator>& operators) {
  std::map<std::string, std::string> files;
  files["hackle.json"] = kPackage;
  for (const Operator& op : operators) {
    files[fmt::format("hackle/help/nodes/sop/{}.txt", helpPath(op.id))] = helpCard(op);
    files[fmt::format("hackle/config/Icons/{}.svg", iconName(op))] = iconSvg(op);
    if (!hasAsset(op)) continue;
    files[fmt::format("hackle/help/nodes/sop/{}.txt", helpPath(assetName(op)))] = assetHelpCard(op);
    for (const auto& [path, text] : assetFiles(op, version()))
      files[fmt::format("hackle/otls/{}.hda/{}", assetName(op), path)] = text;
  }
  return files;
}

void writePackage(const std::vector<Operator>& operators, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code failure;
  for (const char* made : {"otls", "help", "config"}) fs::remove_all(folder / "hackle" / made, failure);
  for (const auto& [path, text] : packageFiles(operators)) {
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
