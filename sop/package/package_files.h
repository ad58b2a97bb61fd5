// All files of the Houdini package that come from the registry: assets, help cards, icons, hackle.json.
#pragma once

#include <hackle/ops/operator.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hackle::houdini {

/// Files by their path in the package folder. The same registry gives the same bytes.
std::map<std::string, std::string> packageFiles(const std::vector<Operator>& operators);

/// Writes them; folders of an earlier run (otls, help, config) are replaced.
void writePackage(const std::vector<Operator>& operators, const std::filesystem::path& folder);

}  // namespace hackle::houdini
