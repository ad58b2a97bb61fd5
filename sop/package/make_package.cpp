// hackle_houdini_package FOLDER [HOUDINI_VERSION]: writes what the registry makes of the Houdini package, for
// the release that the plug-in was built with. hackle_houdini_package FOLDER --python MODULE: the package
// without a plug-in.
#include <hackle/core/error.h>
#include <hackle/io/bytes.h>
#include <hackle/ops/registry.h>
#include <sop/package/package_files.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace hackle;
  const std::string third = argc > 2 ? argv[2] : "";
  if (argc < 2 || argc > 4 || (argc == 4) != (third == "--python")) {
    std::fputs("usage: hackle_houdini_package FOLDER [HOUDINI_VERSION | --python MODULE]\n", stderr);
    return 2;
  }
  try {
    if (argc == 4)
      houdini::writePackage(
          houdini::pythonPackageFiles(nodeOperators(), std::string(MappedFile(argv[3]).bytes())), argv[1]);
    else
      houdini::writePackage(houdini::packageFiles(nodeOperators(), third), argv[1]);
  } catch (const Error& e) {
    std::fprintf(stderr, "hackle_houdini_package: %s\n", e.what());
    return exitCode(e.code());
  }
  return 0;
}
