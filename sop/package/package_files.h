// All files of the Houdini package that come from the registry: assets, help cards, icons, hackle.json.
#pragma once

#include <hackle/ops/operator.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hackle::houdini {

/// Files by their path in the package folder. The same registry gives the same bytes. `houdini` is the
/// version that the plug-in in the package was built with ("20.5.445"); empty for a package without one.
std::map<std::string, std::string> packageFiles(const std::vector<Operator>& operators,
                                                const std::string& houdini);

/// The package for Houdini without a compiler: the nodes as assets of Python, for every version from 19.5.
/// The program goes to hackle/bin. `scripts` has the text of the files in python/houdini by their names.
std::map<std::string, std::string> pythonPackageFiles(const std::vector<Operator>& operators,
                                                      const std::map<std::string, std::string>& scripts);

/// Writes them; folders of an earlier run (otls, help, config) are replaced.
void writePackage(const std::map<std::string, std::string>& files, const std::filesystem::path& folder);

}  // namespace hackle::houdini
