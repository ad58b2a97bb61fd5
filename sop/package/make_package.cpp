// hackle_houdini_package FOLDER [HOUDINI_VERSION]: writes what the registry makes of the Houdini package, for
// the release that the plug-in was built with. hackle_houdini_package FOLDER --python SCRIPTS: the package
// without a plug-in, with the scripts of that folder (python/houdini).
#include <hackle/core/error.h>
#include <hackle/io/bytes.h>
#include <hackle/ops/registry.h>
#include <sop/package/package_files.h>

#include <cstdio>

namespace {

std::map<std::string, std::string> readScripts(const std::filesystem::path& folder) {
  std::map<std::string, std::string> scripts;
  for (const char* name : {"hackle_nodes.py", "hackle_tools.py", "hackle_place.py", "hackle.shelf"})
    scripts[name] = hackle::FileBytes(folder / name).bytes();
  return scripts;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hackle;
  const std::string third = argc > 2 ? argv[2] : "";
  if (argc < 2 || argc > 4 || (argc == 4) != (third == "--python")) {
    std::fputs("usage: hackle_houdini_package FOLDER [HOUDINI_VERSION | --python SCRIPTS]\n", stderr);
    return 2;
  }
  try {
    if (argc == 4)
      houdini::writePackage(houdini::pythonPackageFiles(scriptedNodeOperators(), readScripts(argv[3])),
                            argv[1]);
    else
      houdini::writePackage(houdini::packageFiles(nodeOperators(), third), argv[1]);
  } catch (const Error& e) {
    std::fprintf(stderr, "hackle_houdini_package: %s\n", e.what());
    return exitCode(e.code());
  }
  return 0;
}
