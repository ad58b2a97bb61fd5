// Writes small files in every format that is written, as seeds: fuzz_seeds FOLDER makes FOLDER/<extension>/*.
#include <hackle/core/error.h>
#include <hackle/io/codec.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "vdb_seeds.h"

namespace {

using namespace hackle;

void addNumbers(Geometry& geometry, Owner owner, const char* name, int size) {
  Attribute& a = geometry.addAttribute(owner, Attribute(name, Storage::Float32, size));
  for (size_t e = 0; e < a.elementCount(); ++e)
    for (int c = 0; c < size; ++c) a.setNumber(e, c, 0.25 * static_cast<double>(e) + c);
}

/// Small, but with something of every kind.
Geometry sample(bool plain) {
  Geometry geometry;
  geometry.addPoints(5);
  geometry.editPositions() = {Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(1, 1, 0), Vec3(0, 1e-9, 1),
                              Vec3(-1, 0.3, 2)};
  geometry.addPolygon({0, 1, 2});
  geometry.addPolygon({0, 2, 3, 4});
  if (plain) return geometry;
  geometry.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1, 4});
  geometry.addPrimitive(PrimitiveType::Tetrahedron, std::vector<int32_t>{0, 1, 2, 3});
  addNumbers(geometry, Owner::Point, "Cd", 3);
  addNumbers(geometry, Owner::Vertex, "uv", 3);
  addNumbers(geometry, Owner::Vertex, "N", 3);
  addNumbers(geometry, Owner::Primitive, "area", 1);
  Attribute& name = geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  name.setString(0, "piece0");
  name.setString(1, "piece1");
  geometry.addAttribute(Owner::Primitive, Attribute("ref", Storage::Int32, 1)).setNumber(1, 0, 7);
  geometry.addGroup(Owner::Primitive, "inside").bits.edit()[1] = 1;
  const std::vector<float> values{1, 2, 0, 0, 3, 0.5f, 0, 4};
  geometry.addVolume(makeFloatGrid("density", {2, 2, 2}, values, 0, {}), Vec3::Zero());
  return geometry;
}

/// The modes of a small box, as coarse as they come.
void writeModesSeed(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Context context;
  const Geometry box =
      runOperator(findOperator("model"), Inputs(), {{"shape", "box"}}, context).outputs.geometry();
  const Run run =
      runOperator(findOperator("modes"), Inputs({box}), {{"modes", 2}, {"elements", 60}}, context);
  const Blob& blob = std::get<Blob>(run.outputs.items[0]);
  std::ofstream(folder / "box.modes", std::ios::binary)
      .write(reinterpret_cast<const char*>(blob.bytes.data()),
             static_cast<std::streamsize>(blob.bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const Codec& codec : codecs()) {
    if (!codec.read || !codec.write) continue;
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / codec.format.extensions.front();
    std::filesystem::create_directories(folder);
    for (const std::string& extension : codec.format.extensions)
      for (const bool plain : {false, true}) {
        Context context;
        try {
          const std::string bytes = codec.write(sample(plain), extension, context);
          std::ofstream(folder / ((plain ? "plain." : "full.") + extension), std::ios::binary) << bytes;
        } catch (const Error& e) {
          std::printf("%s: no seed: %s\n", extension.c_str(),
                      e.what());  // a format for other things than polygons
        }
      }
  }
  writeVdbSeeds(std::filesystem::path(argv[1]) / "vdb");
  writeModesSeed(std::filesystem::path(argv[1]) / "modes");
  return 0;
}
