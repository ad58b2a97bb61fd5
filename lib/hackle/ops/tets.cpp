#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/place_check.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/meshing/surface/surface_distance.h>
#include <hackle/ops/catalogue.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace hackle {

namespace {

enum class TetMode { Solid, Cage };

struct TetsOptions {
  TetMode mode = TetMode::Solid;
  int count = 50000;
  std::optional<double> cellSize;
  double grading = 1.0;
  std::string volume;
  std::string sizeVolume;
  std::string sizeAttribute;
  std::optional<double> offset;
  bool fillCavities = true;
};

/// What there is to fill, and what is known of it beforehand.
struct Task {
  SolidField solid;
  TriangleMesh mesh;             // empty for a volume
  std::optional<double> volume;  // m^3
  double area = 0;               // m^2, of the surface; 0 if not known
};

VolumePtr findVolume(const Geometry& geometry, const std::string& name) {
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) == PrimitiveType::Volume &&
        (name.empty() || geometry.volume(p)->name() == name))
      return geometry.volume(p);
  return nullptr;
}

void checkClosed(const Geometry& surface, Context& context) {
  const Topology topology = analyseTopology(surface, context);
  if (!topology.closed) {
    const std::vector<Edge> open = boundaryEdges(surface, context);
    const Vec3 at = open.empty() ? Vec3::Zero() : surface.position(static_cast<size_t>(open[0][0]));
    throw Error(ErrorCode::BadInput,
                fmt::format("{} open edges, the first at ({:.4g}, {:.4g}, {:.4g})", topology.boundaryEdges,
                            at.x(), at.y(), at.z()),
                "close the surface first, or use mode cage");
  }
  if (!topology.oriented)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("neighbouring faces disagree about outside at {} edges", topology.misorientedEdges),
        "make the orientation consistent first, or use mode cage");
}

Task taskOfSurface(const Geometry& input, const TetsOptions& options, Context& context) {
  Task task;
  task.mesh = triangleMesh(input, context);
  if (task.mesh.triangles.empty())
    throw Error(ErrorCode::BadInput, "the input has no polygons and no volume",
                "give a closed surface or a VDB");
  checkPlace(input.bounds());
  MassProperties mass = massProperties(task.mesh, context);
  task.area = mass.area;
  if (options.mode == TetMode::Cage) return task;
  checkClosed(input, context);
  if (mass.volume < 0) {
    context.warn("the surface is inside out; it was turned over");
    Geometry turned = input;
    turned.flipWinding();
    task.mesh = triangleMesh(turned, context);
    mass.volume = -mass.volume;
  }
  task.volume = mass.volume;
  task.solid = solidInside(task.mesh, context);
  return task;
}

Task taskOfVolume(const VolumePtr& grid, const TetsOptions& options) {
  if (options.mode == TetMode::Cage)
    throw Error(ErrorCode::BadInput, "a cage needs polygons to enclose, not a volume",
                "use mode solid, or turn the volume into polygons");
  if (grid->gridClass() == "fog volume")
    throw Error(ErrorCode::BadInput, fmt::format("the volume \"{}\" is a fog, not a level set", grid->name()),
                "turn it into a level set first");
  Task task;
  task.solid.value = [grid](const Vec3& p) { return sampleGrid(*grid, p); };
  task.solid.bounds = grid->bounds();
  return task;
}

/// Sizes from a volume, or from an attribute at the nearest point of the surface.
ImplicitFunction sizeField(const Inputs& inputs, const Task& task, const TetsOptions& options,
                           Context& context) {
  if (!options.sizeVolume.empty()) {
    VolumePtr grid = findVolume(inputs.geometry(0), options.sizeVolume);
    if (!grid)
      throw Error(ErrorCode::BadInput,
                  fmt::format("size_volume: the input has no volume \"{}\"", options.sizeVolume));
    return [grid](const Vec3& p) { return sampleGrid(*grid, p); };
  }
  if (options.sizeAttribute.empty()) return {};
  const Attribute* found = inputs.geometry(0).findAttribute(Owner::Point, options.sizeAttribute);
  if (!found || found->isString() || task.mesh.triangles.empty())
    throw Error(ErrorCode::BadInput,
                fmt::format("size_attribute: the input has no point attribute \"{}\" of numbers on a surface",
                            options.sizeAttribute));
  const auto tree = std::make_shared<const TriangleBvh>(task.mesh, context);
  return [tree, mesh = task.mesh, sizes = *found](const Vec3& p) {
    const ClosestPoint closest = tree->closestPoint(p);
    double size = 0;
    for (int c = 0; c < 3; ++c)
      size += closest.barycentric[c] * sizes.number(static_cast<size_t>(mesh.triangles[closest.triangle][c]));
    return size;
  };
}

/// The lattice for one cell size; a cage has its figures too.
struct Made {
  TetLattice lattice;
  double cellSize = 0;
  std::optional<EnclosingLattice> cage;  // its lattice is moved away
};

Made make(const Task& task, const ImplicitFunction& sizes, const TetsOptions& options, double cellSize,
          Context& context) {
  Made made;
  made.cellSize = cellSize;
  const bool graded = options.grading > 1.0;
  if (options.mode == TetMode::Cage) {
    EnclosingOptions cage;
    cage.cellSize = cellSize;
    if (graded) cage.interiorSize = cellSize * options.grading;
    cage.offset = options.offset;
    cage.fillCavities = options.fillCavities;
    made.cage = enclosingLattice(task.mesh, cage, context);
    made.lattice = std::move(made.cage->lattice);
    return made;
  }
  LatticeOptions lattice;
  lattice.cellSize = cellSize;
  if (graded) lattice.interiorSize = cellSize * options.grading;
  lattice.sizeField = sizes;
  made.lattice = stuffLattice(task.solid, lattice, context);
  return made;
}

/// The cell size at which a uniform lattice of that volume and surface has about this many tetrahedra: twelve
/// per cube, and those that the surface adds.
double cellSizeFor(double count, double volume, double area) {
  double size = std::cbrt(12.0 * volume / count);
  for (int step = 0; step < 20; ++step) size = std::cbrt((12.0 * volume + 1.7 * area * size) / count);
  return size;
}

/// Refuses solids that fall through between the vertices of any lattice with about that many tetrahedra.
void checkThickness(const Task& task, const TetsOptions& options, double cellSize) {
  constexpr double kThinnest = 1e-3;  // of a cell
  if (!task.volume || options.mode == TetMode::Cage || !(task.area > 0)) return;
  const double thickness = 2 * *task.volume / task.area;
  if (thickness < kThinnest * cellSize)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the solid is {:.3g} m thick on average; {} tetrahedra in it would be {:.3g} m large",
                    thickness, options.count, cellSize),
        "make it thicker, or use mode cage; sheet breaks thin sheets");
}

Made makeCount(const Task& task, const ImplicitFunction& sizes, const TetsOptions& options,
               Context& context) {
  if (options.cellSize) return make(task, sizes, options, *options.cellSize, context);
  // A guess, corrected by what it gives: the number goes with size^-3, of graded lattices nearer to size^-2.
  Box3 bounds = task.solid.bounds;
  for (const Vec3& p : task.mesh.points) bounds.add(p);
  const double volume = task.volume.value_or(0.4 * bounds.size().prod());
  double size =
      cellSizeFor(options.count, std::max(volume, 1e-3 * std::pow(bounds.diagonal(), 3)), task.area);
  checkThickness(task, options, size);
  const double exponent = options.grading > 1.0 ? 2.2 : 3.0;
  double tooFine = 0, tooCoarse = std::numeric_limits<double>::infinity();
  Made best;
  double leastOff = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 6 && leastOff > 0.1; ++round) {
    Made made = make(task, sizes, options, size, context);
    const double ratio = std::max(static_cast<double>(made.lattice.tetrahedra.size()), 1.0) / options.count;
    (ratio > 1 ? tooFine : tooCoarse) = size;
    double next = size * std::clamp(std::pow(ratio, 1.0 / exponent), 0.6, 2.0);
    // Thin solids appear all at once: stay between the sizes known on either side.
    if (!(next > tooFine && next < tooCoarse)) next = std::sqrt(tooFine * tooCoarse);
    size = next;
    if (std::abs(std::log(ratio)) >= leastOff) continue;
    leastOff = std::abs(std::log(ratio));
    best = std::move(made);
  }
  if (leastOff > 0.5)
    context.warn(fmt::format("{} tetrahedra are the nearest to {} that was found; give a cell size instead",
                             best.lattice.tetrahedra.size(), options.count));
  return best;
}

Value report(const Task& task, const Made& made, Context& context) {
  const TetLattice& lattice = made.lattice;
  const TetQuality quality = tetQuality(lattice.points, lattice.tetrahedra, context);
  const Topology boundary = analyseTopology(latticeBoundary(lattice), context);
  Value result = Value::Map();
  result.set("tetrahedra", lattice.tetrahedra.size());
  result.set("points", lattice.points.size());
  result.set("boundary_faces", lattice.boundary.size());
  result.set("parts", boundary.components);
  result.set("closed", boundary.closed);
  result.set("manifold", boundary.manifold && boundary.oriented);
  result.set("cell_size", made.cellSize);
  result.set("min_dihedral", quality.minDihedral);
  result.set("max_dihedral", quality.maxDihedral);
  result.set("worst_shape", quality.worstShape);
  result.set("volume", quality.volume);
  if (task.volume) {
    const double error = *task.volume > 0 ? std::abs(quality.volume - *task.volume) / *task.volume : 0.0;
    result.set("volume_in", *task.volume);
    result.set("volume_error", error);
    if (error > 0.1)
      context.warn(fmt::format(
          "the lattice's volume differs from the surface's by {:.0f} %; use smaller cells", 100 * error));
  }
  result.set("clamped_points", lattice.clampedPoints);
  if (made.cage) {
    result.set("offset", made.cage->offset);
    result.set("clearance", made.cage->clearance);
    result.set("rounds", made.cage->rounds);
  }
  return result;
}

Outputs tetrahedralize(const Inputs& inputs, const TetsOptions& options, Context& context) {
  const Geometry& input = inputs.geometry(0);
  const bool hasPolygons = input.countOf(PrimitiveType::Polygon) > 0;
  const VolumePtr grid = options.volume.empty() && hasPolygons ? nullptr : findVolume(input, options.volume);
  if (!grid && !options.volume.empty())
    throw Error(ErrorCode::BadInput, fmt::format("volume: the input has no volume \"{}\"", options.volume));
  const Task task = grid ? taskOfVolume(grid, options) : taskOfSurface(input, options, context);
  const ImplicitFunction sizes = sizeField(inputs, task, options, context);
  if (sizes && options.grading <= 1.0)
    context.warn("sizes have no effect in a uniform lattice; raise grading");

  Made made = makeCount(task, sizes, options, context);
  if (made.lattice.tetrahedra.empty())
    throw Error(ErrorCode::Failed, fmt::format("no vertex of a lattice of {:.4g} m is inside", made.cellSize),
                "use smaller cells, or mode cage");
  Value figures = report(task, made, context);
  return Outputs({latticeGeometry(made.lattice), latticeBoundary(made.lattice)}, std::move(figures));
}

}  // namespace

Operator tetsOperator() {
  Operator op;
  op.id = "tets";
  op.label = "Lattice Tetrahedra";
  op.summary = "Fill a solid with tetrahedra, or enclose a surface in a cage of them";
  op.help =
      "Cuts a body-centred cubic lattice along the surface (isosurface stuffing): all angles between faces "
      "of tetrahedra lie between 10.7 and 164.8 degrees, and the boundary is closed and manifold. Sharp "
      "edges are cut off by a part of a cell, and parts thinner than a cell may be lost: the report has the "
      "volume error.\n\n"
      "Mode solid fills a closed surface or a level set. Mode cage makes a coarse lattice that strictly "
      "encloses any polygons, open, crossing or doubled ones too; every run proves it and reports the "
      "clearance.\n\n"
      "Points of the boundary are in the point group surface.";
  op.category = "Geometry";
  op.examples = {"tets bunny.obj --count 200000 -o bunny.bgeo",
                 "tets bunny.obj --cell-size 0.02 --grading 8 -o bunny.bgeo",
                 "tets scan.obj --mode cage --count 5000 -o cage.bgeo"};
  op.inputs = {{"geometry", "Surface", "A closed surface or a level set; for a cage any polygons."}};
  op.outputs = {{"geometry", "Tetrahedra", "Tetrahedra with the point group surface."},
                {"boundary", "Boundary", "The boundary as triangles.", PortType::Geometry, true}};

  ParameterTable<TetsOptions> table;
  table.section("Lattice");
  table.add(&TetsOptions::mode, "mode", "Mode")
      .menu({{"solid", "Solid"}, {"cage", "Cage"}})
      .help("Fill a solid, or enclose a surface that need not be closed or clean.");
  table.add(&TetsOptions::count, "count", "Count")
      .unit("none")
      .hard(1, 100000000)
      .soft(1000, 1000000)
      .help("About how many tetrahedra to make; found by a few tries. Not used if a cell size is given.");
  table.add(&TetsOptions::cellSize, "cell_size", "Cell Size")
      .unit("m")
      .hard(1e-12, 1e12)
      .soft(0.001, 1)
      .help("Edge of the lattice's cubes along the surface, each of which holds twelve tetrahedra.");
  table.add(&TetsOptions::grading, "grading", "Grading")
      .unit("none")
      .hard(1, 1024)
      .soft(1, 16)
      .help(
          "How many times larger than along the surface cubes may be inside, in powers of two; 1 is "
          "uniform.");
  table.add(&TetsOptions::sizeVolume, "size_volume", "Size Volume")
      .as(ParameterType::Volume)
      .help("A VDB on the input whose values are the largest cubes inside, in metres. Needs grading.");
  table.add(&TetsOptions::sizeAttribute, "size_attribute", "Size Attribute")
      .as(ParameterType::Attribute)
      .help("A point attribute of the surface that says the same for the places nearest to it.");
  table.add(&TetsOptions::volume, "volume", "Level Set")
      .as(ParameterType::Volume)
      .enabledWhen("mode", {"solid"})
      .help("The VDB to fill; by default the first one of an input without polygons.");
  table.section("Cage");
  table.add(&TetsOptions::offset, "offset", "Offset")
      .unit("m")
      .hard(1e-12, 1e12)
      .soft(0.001, 1)
      .enabledWhen("mode", {"cage"})
      .help(
          "Distance of the cage from the surface to begin with, a quarter of a cell if not given. It grows "
          "as far as needed, to 1.4 cells at most.");
  table.add(&TetsOptions::fillCavities, "fill_cavities", "Fill Cavities")
      .enabledWhen("mode", {"cage"})
      .help("Leave no hollows that cannot be reached from outside.");
  op.bind(table, tetrahedralize);
  return op;
}

}  // namespace hackle
