// hackle_houdini_package FOLDER: writes what the registry makes of the Houdini package.
#include <hackle/core/error.h>
#include <hackle/ops/registry.h>
#include <sop/package/package_files.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: hackle_houdini_package FOLDER\n", stderr);
    return 2;
  }
  try {
    hackle::houdini::writePackage(hackle::operators(), argv[1]);
  } catch (const hackle::Error& e) {
    std::fprintf(stderr, "hackle_houdini_package: %s\n", e.what());
    return hackle::exitCode(e.code());
  }
  return 0;
}
