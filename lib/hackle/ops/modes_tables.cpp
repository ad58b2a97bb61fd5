#include <hackle/ops/modes_tables.h>

#include <hackle/core/error.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/meshing/repair/checked_solid.h>

#include <fmt/format.h>

namespace hackle {

namespace {

void addSearchRows(ParameterTable<ModesOptions>& table) {
  table.section("Modes");
  table.add(&ModesOptions::modes, "modes", "Modes")
      .unit("none")
      .hard(1, 1000)
      .soft(1, 50)
      .help(
          "How many ways of breaking to find, the easiest first. Each is a pattern of pieces that can move "
          "in any direction; with weights per axis, this many are found for each axis. A solid that is its own "
          "mirror image gets the images of its modes as well, which may be some more than asked for.");
  table.add(&ModesOptions::starts, "starts", "Starts")
      .unit("none")
      .hard(1, 1000)
      .soft(1, 20)
      .help(
          "Initial guesses tried for each mode; the best one is taken. More of them find easier breaks and "
          "take longer.");
}

void addLatticeRows(ParameterTable<ModesOptions>& table) {
  table.section("Lattice");
  table.add(&ModesOptions::elements, "elements", "Elements")
      .unit("none")
      .hard(50, 10000000)
      .soft(2000, 50000)
      .help(
          "Approximate number of tetrahedra of the cage in which modes are found. A finer cage finds finer "
          "pieces. Not used if a cell size is given.");
  table.add(&ModesOptions::cellSize, "cell_size", "Cell Size")
      .unit("m")
      .hard(1e-12, 1e12)
      .soft(0.001, 1)
      .help("Edge length of the cage's cubes.");
  table.add(&ModesOptions::smoothing, "smoothing", "Smoothing")
      .unit("none")
      .hard(0, 100)
      .soft(0, 4)
      .help("How far faults are smoothed, in cells; with 0 they show the cage's tetrahedra.");
  table.add(&ModesOptions::minJump, "min_jump", "Minimum Jump")
      .unit("none")
      .hard(0, 1)
      .soft(0, 0.1)
      .help("A mode does not cut where it jumps by less than this fraction of its largest jump.");
}

ParameterTable<Paint> attributeRow(const char* name, const char* label, const char* help) {
  ParameterTable<Paint> table;
  table.section("Paint");
  table.add(&Paint::attribute, name, label).as(ParameterType::Attribute).help(help);
  return table;
}

void addPaintRows(ParameterTable<ModesOptions>& table) {
  table.section("Paint");
  table.add(&ModesOptions::weight, "weight", "Weight Per Axis")
      .unit("none")
      .hard(1e-6, 1e6)
      .soft(0.1, 10)
      .help(
          "How hard pieces are to separate along x, y and z, relative to each other: 10,10,1 breaks along z "
          "most easily. Equal weights are isotropic.");
  table.include(&ModesOptions::weights,
                attributeRow("weight_attribute", "Weight Attribute",
                             "Point attribute of the surface, a number or a vector (per axis): how hard it "
                             "is to break at the nearest place inside; 1 is neutral, 1000 does not break. A "
                             "VDB on the input weights takes precedence."));
  table.include(&ModesOptions::densities,
                attributeRow("density_attribute", "Density Attribute",
                             "Point attribute of the surface: density in kg/m^3 at the nearest place inside. "
                             "A VDB on the input densities takes precedence."));
}

/// The faces of parts that are no faces between them.
Geometry commonSurface(const ModesCache& cache) {
  std::vector<int32_t> faces;
  for (size_t f = 0; f < cache.twins.size(); ++f)
    if (cache.twins[f] < 0) faces.push_back(static_cast<int32_t>(f));
  return cache.parts.geometry.extract(faces);
}

/// True also for a surface that needs repair, which is repaired before its modes are found.
bool isSurfaceOf(const ModesCache& cache, const Geometry& mesh, Context& context) {
  if (geometryFingerprint(mesh) == cache.fingerprint) return true;
  try {
    return geometryFingerprint(checkedSolid(mesh, context)) == cache.fingerprint;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    return false;
  }
}

}  // namespace

ParameterTable<ModesOptions> modesTable() {
  ParameterTable<ModesOptions> table;
  addSearchRows(table);
  addLatticeRows(table);
  addPaintRows(table);
  return table;
}

ParameterTable<ModesOptions> modesImpulseTable() {
  ParameterTable<ModesOptions> table;
  table.section("Impact");
  table.add(&ModesOptions::filter, "filter", "Filter")
      .menu({{"shock", "Shock Wave"}, {"gaussian", "Gaussian"}})
      .help(
          "How an impulse spreads before anything breaks: as a shock through the solid, or by distance "
          "through the air.");
  table.add(&ModesOptions::spread, "spread", "Spread")
      .unit("m")
      .hard(1e-12, 1e12)
      .soft(0.01, 1)
      .help(
          "How far an impulse spreads: the speed of sound times the duration of the contact. Not given: a "
          "tenth of the diagonal of the bounding box.");
  table.section("Repair");
  table.add(&ModesOptions::resurface, "resurface", "Resurface")
      .help(
          "Break a closed copy, made anew from the winding number, of a surface that is open or crosses "
          "itself and cannot be repaired with certainty. Otherwise such surfaces are refused.");
  return table;
}

ParameterTable<ModesBreaking> breakingTable(ModesRow modes) {
  ParameterTable<ModesBreaking> table;
  table.section("Breaking");
  table.add(&ModesBreaking::projection, "projection", "Projection")
      .menu({{"modes", "Modes"}, {"parts", "Parts"}})
      .help(
          "Modes: parts move as the modes allow, so one impact may open faults of the same mode far away. "
          "Parts: each part moves by itself, so that only what is near breaks.");
  if (modes == ModesRow::Used)
    table.add(&ModesBreaking::modes, "modes", "Modes")
        .unit("none")
        .hard(0, 1000)
        .soft(1, 50)
        .enabledWhen("projection", {"modes"})
        .help("Use the first modes only, this many of each axis. Not given: all in the file.");
  table.add(&ModesBreaking::sigma, "sigma", "Sigma")
      .unit("none")
      .hard(0, 1e9)
      .soft(0.1, 10)
      .help("Multiplies what the material withstands. Raising it never adds pieces.");
  table.add(&ModesBreaking::threshold, "threshold", "Threshold")
      .unit("m/s")
      .hard(0, 1e9)
      .soft(0, 10)
      .help(
          "Difference in velocity at which neighbouring parts separate, instead of the one that follows from "
          "the material.");
  return table;
}

ModesBreaking breakingOf(ModesBreaking breaking, const MaterialOptions& material) {
  breaking.young = material.young;
  breaking.poisson = material.poisson;
  breaking.strength = material.strength;
  breaking.toughness = material.toughness;
  return breaking;
}

LoadedModes::LoadedModes(ModesStatePtr read, Context& context)
    : state(std::move(read)),
      surface(triangleMesh(commonSurface(state->cache), context)),
      bvh(surface, context) {}

std::shared_ptr<const LoadedModes> loadedModes(const Blob& blob, const Geometry* mesh, Context& context) {
  const Context::Stage stage(context, "load");
  const auto modes = blob.memo->get<LoadedModes>([&] {
    try {
      ModesStatePtr state =
          readModesState({reinterpret_cast<const char*>(blob.bytes.data()), blob.bytes.size()}, context);
      return std::make_shared<const LoadedModes>(std::move(state), context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::BadInput) throw;
      throw Error(e.code(), fmt::format("input cache: {}", e.what()), e.remedy());
    }
  });
  if (mesh && !isSurfaceOf(modes->state->cache, *mesh, context))
    throw Error(ErrorCode::BadInput,
                "the modes were computed for another mesh than the one on the input geometry",
                "compute them anew for this mesh, or disconnect the mesh");
  return modes;
}

}  // namespace hackle
