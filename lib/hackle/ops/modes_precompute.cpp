#include <hackle/ops/modes_precompute.h>

#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/meshing/repair/checked_solid.h>
#include <hackle/meshing/repair/repair.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace hackle {

namespace {

enum InputIndex : size_t { kSurface, kWeights, kDensities };

// The cage ------------------------------------------------------------------------------------------------

/// A cage of about the wanted number of tetrahedra: a guess, corrected by what it gives.
EnclosingLattice makeCage(const TriangleMesh& mesh, const ModesOptions& options, Context& context) {
  const Context::Stage stage(context, "cage", 0.1);
  EnclosingOptions cage;
  cage.cellSize = options.cellSize;
  if (options.cellSize) return enclosingLattice(mesh, cage, context);
  Box3 bounds;
  for (const Vec3& p : mesh.points) bounds.add(p);
  const Vec3 size = bounds.size().cwiseMax(Vec3::Constant(1e-2 * bounds.diagonal()));
  double cell = std::cbrt(12 * 0.4 * size.prod() / options.elements);
  double tooFine = 0, tooCoarse = std::numeric_limits<double>::infinity();
  EnclosingLattice best;
  double leastOff = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 7 && leastOff > 0.12; ++round) {
    cage.cellSize = cell;
    EnclosingLattice made = enclosingLattice(mesh, cage, context);
    const double ratio = static_cast<double>(made.lattice.tetrahedra.size()) / options.elements;
    (ratio > 1 ? tooFine : tooCoarse) = cell;
    double next = cell * std::clamp(std::pow(ratio, 1.0 / 2.7), 0.5, 2.0);
    if (!(next > tooFine && next < tooCoarse)) next = std::sqrt(tooFine * tooCoarse);
    cell = next;
    if (std::abs(std::log(ratio)) >= leastOff) continue;
    leastOff = std::abs(std::log(ratio));
    best = std::move(made);
  }
  return best;
}

// Paint -----------------------------------------------------------------------------------------------------

using Field = std::function<Vec3(const Vec3&)>;  // numbers come three times

struct Painted {
  Field field;  // empty if nothing is painted
  bool isVector = false;
};

/// A volume on an input, or a point attribute at the nearest place of the surface.
Painted paintedField(const Inputs& inputs, size_t port, const std::string& attribute,
                     const TriangleMesh& mesh, const char* what, Context& context) {
  if (inputs.has(port)) {
    const Geometry& volumes = inputs.geometry(port);
    for (size_t p = 0; p < volumes.primitiveCount(); ++p)
      if (volumes.primitiveType(p) == PrimitiveType::Volume) {
        const VolumePtr grid = volumes.volume(p);
        return {[grid](const Vec3& x) { return sampleVectorGrid(*grid, x); },
                grid->valueType().compare(0, 3, "vec") == 0};
      }
    throw Error(ErrorCode::BadInput, fmt::format("there is no VDB on the input of {}", what),
                "give a VDB file");
  }
  if (attribute.empty()) return {};
  const Attribute* values = inputs.geometry(kSurface).findAttribute(Owner::Point, attribute);
  if (!values || values->isString() || (values->tupleSize() != 1 && values->tupleSize() != 3))
    throw Error(ErrorCode::BadInput,
                fmt::format("the surface has no number or vector '{}' on its points", attribute),
                fmt::format("name a point attribute, or give a VDB on the input of {}", what));
  const auto bvh = std::make_shared<const TriangleBvh>(mesh, context);
  const bool isVector = values->tupleSize() == 3;
  return {[values, isVector, &mesh, bvh](const Vec3& x) {
            const ClosestPoint at = bvh->closestPoint(x);
            const Triangle& t = mesh.triangles[at.triangle];
            Vec3 sum = Vec3::Zero();
            for (int k = 0; k < 3; ++k)
              for (int c = 0; c < 3; ++c)
                sum[c] += at.barycentric[k] * values->number(static_cast<size_t>(t[k]), isVector ? c : 0);
            return sum;
          },
          isVector};
}

std::vector<Vec3> sampledAtElements(const Painted& painted, const TetLattice& lattice, const char* what,
                                    Context& context) {
  std::vector<Vec3> values(lattice.tetrahedra.size());
  parallelFor(context, values.size(), 256, [&](size_t e) {
    Vec3 centre = Vec3::Zero();
    for (const int32_t p : lattice.tetrahedra[e]) centre += lattice.points[p] / 4;
    values[e] = painted.field(centre);
  });
  for (const Vec3& v : values)
    if (!(v.minCoeff() > 0) || !v.allFinite())
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} must be above 0 everywhere; there is {:.6g}", what, v.minCoeff()),
                  "paint 1 where nothing is special; the background of a VDB counts too");
  return values;
}

ElementPaint elementPaint(const Inputs& inputs, const TriangleMesh& mesh, const TetLattice& lattice,
                          const ModesOptions& options, Context& context) {
  const Context::Stage stage(context, "paint", 0.05);
  ElementPaint paint;
  const size_t elements = lattice.tetrahedra.size();
  paint.density.assign(elements, options.material.density);
  const Painted density =
      paintedField(inputs, kDensities, options.densityAttribute, mesh, "densities", context);
  if (density.field) {
    const std::vector<Vec3> values = sampledAtElements(density, lattice, "densities", context);
    for (size_t e = 0; e < elements; ++e) paint.density[e] = values[e].x();
  }
  const bool grain = options.weight.maxCoeff() > options.weight.minCoeff();
  if (grain) paint.axisToughness.assign(elements, options.weight);
  const Painted weight = paintedField(inputs, kWeights, options.weightAttribute, mesh, "weights", context);
  if (!weight.field) return paint;
  const std::vector<Vec3> values = sampledAtElements(weight, lattice, "weights", context);
  if (weight.isVector) {
    paint.axisToughness.resize(elements);
    for (size_t e = 0; e < elements; ++e) paint.axisToughness[e] = values[e].cwiseProduct(options.weight);
  } else {
    for (const Vec3& v : values) paint.toughness.push_back(v.x());
  }
  return paint;
}

// Solve and cut
// -----------------------------------------------------------------------------------------------

void checkConnected(const ElementGraph& graph) {
  std::vector<int32_t> partOf;
  const size_t parts = elementParts(graph, &partOf);
  if (parts <= 1) return;
  std::vector<double> masses(parts, 0.0);
  double whole = 0;
  for (size_t e = 0; e < graph.size(); ++e) {
    masses[partOf[e]] += graph.masses[e];
    whole += graph.masses[e];
  }
  throw Error(
      ErrorCode::BadInput,
      fmt::format("the input consists of {} parts that do not touch; the largest has {:.0f} % of the mass",
                  parts, 100 * *std::max_element(masses.begin(), masses.end()) / whole),
      "break each part by itself, or use a larger cell_size if they are meant to be one body");
}

LatticeModes latticeModes(const ElementGraph& graph, const FractureModes& modes) {
  LatticeModes result;
  result.faces = graph.faces;
  result.masses = graph.masses;
  result.values = modes.values;
  int32_t ranks[8] = {};
  for (const FractureMode& mode : modes.modes)
    result.modes.push_back({mode.axes, ranks[mode.axes]++, mode.energy});
  return result;
}

/// `surfaceAtFault` tells, if there is an Error(BadInput), whether it is about the surface of the solid.
ComputedModes computeFor(const Geometry& solid, const Inputs& inputs, const ModesOptions& options,
                         const FractureOutputOptions& output, bool& surfaceAtFault, Context& context) {
  surfaceAtFault = false;
  ComputedModes result;
  result.solid = solid;
  const TriangleMesh mesh = triangleMesh(solid, context);
  EnclosingLattice cage = makeCage(mesh, options, context);
  result.lattice = std::move(cage.lattice);
  const TriangleMesh surface = triangleMesh(inputs.geometry(kSurface), context);
  const ElementGraph graph =
      elementGraph(result.lattice.points, result.lattice.tetrahedra,
                   elementPaint(inputs, surface, result.lattice, options, context), context);
  checkConnected(graph);
  {
    const Context::Stage stage(context, "modes", 0.5);
    ModeOptions solver;
    solver.count = static_cast<size_t>(options.modes);
    solver.starts = static_cast<size_t>(options.starts);
    if (solver.count >= graph.size())
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} modes are asked for, but the lattice has {} elements only", solver.count,
                              graph.size()),
                  "ask for fewer modes or more elements");
    result.modes = fractureModes(graph, solver, context);
  }
  for (size_t m = 0; m < result.modes.modes.size(); ++m)
    if (!result.modes.modes[m].converged)
      context.warn(fmt::format("mode {} did not converge; more starts or fewer elements may help", m));

  const Context::Stage stage(context, "prefracture", 0.3);
  PrefractureOptions cut;
  cut.sigma = options.sigma;
  cut.smoothing = options.smoothing * cage.cellSize;
  cut.impulse.filter = options.filter;
  cut.impulse.length = options.spread.value_or(0.1 * solid.bounds().diagonal());
  double volume = massProperties(mesh, context).volume;
  cut.pieces = output.cut.pieces;
  cut.pieces.minVolume = output.cut.minVolumeShare * volume;
  cut.detail = output.cut.detail;
  surfaceAtFault = true;
  Prefracture broken = prefracture(solid, result.lattice, latticeModes(graph, result.modes), cut, context);
  result.cache = std::move(broken.cache);
  result.pieces = std::move(broken.pieces);
  result.cache.cellSize = cage.cellSize;
  result.cache.fingerprint = geometryFingerprint(inputs.geometry(kSurface));
  return result;
}

Geometry resurfaced(const Geometry& input, const Error& why, Context& context) {
  RepairOptions options;
  options.resurface = true;
  try {
    Geometry copy = repairSolid(input, options, context).geometry;
    context.warn(
        fmt::format("the surface is no solid ({}): a closed copy of it, made anew, is broken", why.what()));
    return copy;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    throw why;
  }
}

}  // namespace

ComputedModes computeModes(const Inputs& inputs, const ModesOptions& options,
                           const FractureOutputOptions& output, Context& context) {
  const Geometry& input = inputs.geometry(kSurface);
  if (input.countOf(PrimitiveType::Polygon) == 0)
    throw Error(ErrorCode::BadInput, "the input has no polygons", "give a surface");
  bool surfaceAtFault = true;
  try {
    const Geometry solid = checkedSolid(input, context);
    return computeFor(solid, inputs, options, output, surfaceAtFault, context);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput || !options.resurface || !surfaceAtFault) throw;
    const Geometry copy = resurfaced(input, e, context);
    return computeFor(copy, inputs, options, output, surfaceAtFault, context);
  }
}

void addModeFigures(Value& result, const ComputedModes& computed) {
  result.set("elements", computed.lattice.tetrahedra.size());
  result.set("cell_size", computed.cache.cellSize);
  result.set("lattice_pieces", computed.pieces.count());
  result.set("mass", computed.cache.density * computed.cache.volume);
  Value::List modes;
  for (const FractureMode& mode : computed.modes.modes)
    modes.push_back(Value::Map{{"axes", static_cast<int>(mode.axes)},
                               {"energy", mode.energy},
                               {"gap", mode.gap},
                               {"pieces", mode.pieces},
                               {"iterations", mode.iterations},
                               {"converged", mode.converged}});
  result.set("modes", std::move(modes));
}

namespace {

/// Tells caches apart whose parts differ.
std::string modesId(const ModesCache& cache) {
  const auto view = [](const double* data, size_t count) {
    return std::string_view(reinterpret_cast<const char*>(data), count * sizeof(double));
  };
  uint64_t sum =
      checksum64(view(cache.values.data(), static_cast<size_t>(cache.values.size())), cache.fingerprint);
  sum = checksum64(view(cache.parts.volume.data(), cache.parts.volume.size()), sum);
  return fmt::format("{:016x}", sum);
}

}  // namespace

LoadedModes::LoadedModes(ModesCache read, Context& context)
    : cache(std::move(read)), projector(cache, context), id(modesId(cache)) {}

std::shared_ptr<const LoadedModes> loadedModes(const Blob& blob, const Geometry* mesh, Context& context) {
  const Context::Stage stage(context, "load");
  const auto modes = blob.memo->get<LoadedModes>([&] {
    try {
      ModesCache cache =
          readModes({reinterpret_cast<const char*>(blob.bytes.data()), blob.bytes.size()}, context);
      return std::make_shared<const LoadedModes>(std::move(cache), context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::BadInput) throw;
      throw Error(e.code(), fmt::format("input cache: {}", e.what()), e.remedy());
    }
  });
  if (mesh && geometryFingerprint(*mesh) != modes->cache.fingerprint)
    throw Error(ErrorCode::BadInput,
                "the modes were computed for another mesh than the one on the input geometry",
                "compute them anew for this mesh, or leave the mesh away");
  return modes;
}

ParameterTable<ModesOptions> modesTable() {
  ParameterTable<ModesOptions> table;
  table.section("Modes");
  table.add(&ModesOptions::modes, "modes", "Modes")
      .unit("none")
      .hard(1, 1000)
      .soft(1, 50)
      .help(
          "How many ways of breaking to find, the easiest first. Each is a pattern of pieces that can move "
          "in "
          "any direction; with weights per axis there are so many for each axis.");
  table.add(&ModesOptions::starts, "starts", "Starts")
      .unit("none")
      .hard(1, 1000)
      .soft(1, 20)
      .help("Initial guesses tried for each mode; the best wins. More find easier breaks and take longer.");
  table.section("Lattice");
  table.add(&ModesOptions::elements, "elements", "Elements")
      .unit("none")
      .hard(50, 10000000)
      .soft(2000, 50000)
      .help(
          "About how many tetrahedra the cage has in which modes are found. Finer cages find finer pieces. "
          "Not used if a cell size is given.");
  table.add(&ModesOptions::cellSize, "cell_size", "Cell Size")
      .unit("m")
      .hard(1e-12, 1e12)
      .soft(0.001, 1)
      .help("Edge of the cage's cubes.");
  table.add(&ModesOptions::smoothing, "smoothing", "Smoothing")
      .unit("none")
      .hard(0, 100)
      .soft(0, 4)
      .help("How far faults are smoothed, in cells; 0 shows the cage's tetrahedra.");
  table.add(&ModesOptions::sigma, "min_jump", "Minimum Jump")
      .unit("none")
      .hard(0, 1)
      .soft(0, 0.1)
      .help("A mode does not cut where it jumps by less than this share of its largest jump.");
  table.section("Paint");
  table.add(&ModesOptions::weight, "weight", "Weight Per Axis")
      .unit("none")
      .hard(1e-6, 1e6)
      .soft(0.1, 10)
      .help(
          "How hard pieces are to part along x, y and z, relative to each other: 10,10,1 breaks along z most "
          "easily. Equal weights are isotropic.");
  table.add(&ModesOptions::weightAttribute, "weight_attribute", "Weight Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the surface, a number or a vector (per axis): how hard it is to break at the "
          "nearest place inside; 1 is neutral, 1000 does not break. A VDB on the input of weights goes "
          "first.");
  table.add(&ModesOptions::densityAttribute, "density_attribute", "Density Attribute")
      .as(ParameterType::Attribute)
      .help("Point attribute of the surface: kg/m^3 nearby. A VDB on the input of densities goes first.");
  table.include(&ModesOptions::material, densityTable());
  table.section("Impact");
  table.add(&ModesOptions::filter, "filter", "Filter")
      .menu({{"shock", "Shock Wave"}, {"gaussian", "Gaussian"}})
      .help(
          "How an impulse spreads before anything breaks: as a shock through the solid, or by distance "
          "through "
          "the air.");
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
          "itself "
          "and cannot be repaired with certainty. Otherwise such surfaces are refused.");
  return table;
}

std::vector<Port> modesInputPorts() {
  return {{"geometry", "Solid",
           "A closed surface. What is open or dirty is repaired, or broken as a closed copy."},
          {"weights", "Weights", "A VDB with weights, of numbers or of vectors (per axis).",
           PortType::Geometry, true},
          {"densities", "Densities", "A VDB with densities, kg/m^3.", PortType::Geometry, true}};
}

}  // namespace hackle
