#include <hackle/fracture/modes/modes_of_solid.h>

#include <hackle/core/error.h>
#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/modes/mirror_symmetry.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/meshing/repair/repair.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

// The cage ------------------------------------------------------------------------------------------------

/// A cage of about the wanted number of tetrahedra: a guess, corrected by what it gives.
EnclosingLattice makeCage(const TriangleMesh& mesh, const ModesOptions& options, Context& context) {
  const Context::Stage stage(context, "cage", 0.1);
  EnclosingOptions cage;
  cage.cellSize = options.cellSize;
  if (options.cellSize) return enclosingLattice(mesh, cage, context);
  return enclosingLatticeOfSize(mesh, static_cast<size_t>(options.elements), cage.fillCavities, context);
}

// Paint -----------------------------------------------------------------------------------------------------

/// The surface that has painted attributes: the solid, or what it was made from.
struct PaintedSurface {
  const Geometry& geometry;
  const TriangleMesh& mesh;
  const TriangleBvh& bvh;
};

/// The field at the middle of every element; empty if nothing is painted. `what` is for messages.
std::vector<Vec3> sampledAtElements(const PaintedField& field, const TetLattice& lattice, const char* what,
                                    Context& context) {
  if (!field) return {};
  std::vector<Vec3> values(lattice.tetrahedra.size());
  parallelFor(context, values.size(), 256, [&](size_t e) {
    Vec3 centre = Vec3::Zero();
    for (const int32_t p : lattice.tetrahedra[e]) centre += lattice.points[p] / 4;
    values[e] = field.vector(centre);
  });
  for (const Vec3& v : values)
    if (!(v.minCoeff() > 0) || !v.allFinite())
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} must be above 0 everywhere; there is {:.6g}", what, v.minCoeff()),
                  "paint 1 where nothing is special; the background of a VDB counts too");
  return values;
}

ElementPaint elementPaint(const PaintedSurface& surface, const TetLattice& lattice,
                          const ModesOptions& options, Context& context) {
  const Context::Stage stage(context, "paint", 0.05);
  const auto field = [&](const Paint& paint, const char* what) {
    return PaintedField(paint, surface.geometry, surface.mesh, surface.bvh, what);
  };
  ElementPaint paint;
  const size_t elements = lattice.tetrahedra.size();
  paint.density.assign(elements, options.density);
  const PaintedField density = field(options.densities, "densities");
  const std::vector<Vec3> densities = sampledAtElements(density, lattice, "densities", context);
  for (size_t e = 0; e < densities.size(); ++e) paint.density[e] = densities[e].x();

  const bool grain = options.weight.maxCoeff() > options.weight.minCoeff();
  if (grain) paint.axisToughness.assign(elements, options.weight);
  const PaintedField weight = field(options.weights, "weights");
  const std::vector<Vec3> weights = sampledAtElements(weight, lattice, "weights", context);
  if (weight && weight.isVector()) {
    paint.axisToughness.resize(elements);
    for (size_t e = 0; e < elements; ++e) paint.axisToughness[e] = weights[e].cwiseProduct(options.weight);
  } else {
    for (const Vec3& v : weights) paint.toughness.push_back(v.x());
  }
  return paint;
}

// Find and cut
// ------------------------------------------------------------------------------------------------

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

/// Modes on a cage around the solid.
struct FoundModes {
  EnclosingLattice cage;
  ElementGraph graph;
  FractureModes modes;
};

FoundModes findModes(const Solid& solid, const PaintedSurface& surface, const ModesOptions& options,
                     Context& context) {
  FoundModes found;
  found.cage = makeCage(solid.mesh, options, context);
  const TetLattice& lattice = found.cage.lattice;
  const ElementPaint paint = elementPaint(surface, lattice, options, context);
  found.graph = elementGraph(lattice.points, lattice.tetrahedra, paint, context);
  checkConnected(found.graph);
  const Context::Stage stage(context, "modes", 0.5);
  ModeOptions solver;
  solver.count = options.modes;
  solver.starts = options.starts;
  solver.mirrors = elementMirrors(solid.mesh, solid.bvh, lattice.points, lattice.tetrahedra, paint, context);
  if (solver.count >= found.graph.size())
    throw Error(ErrorCode::BadInput,
                fmt::format("{} modes are asked for, but the lattice has {} elements only", solver.count,
                            found.graph.size()),
                "ask for fewer modes or more elements");
  found.modes = fractureModes(found.graph, solver, context);
  for (size_t m = 0; m < found.modes.modes.size(); ++m)
    if (!found.modes.modes[m].converged)
      context.warn(fmt::format("mode {} did not converge; more starts or fewer elements may help", m));
  return found;
}

ModesOfSolidPtr cutAlongModes(const SolidPtr& solid, FoundModes found, uint64_t fingerprint,
                              const ModesOptions& options, Context& context) {
  const Context::Stage stage(context, "prefracture", 0.3);
  PrefractureOptions cut;
  cut.sigma = options.minJump;
  cut.smoothing = options.smoothing * found.cage.cellSize;
  cut.impulse.filter = options.filter;
  cut.impulse.length = options.spread.value_or(0.1 * solid->geometry.bounds().diagonal());
  cut.cut = options.cut;
  auto result = std::make_shared<ModesOfSolid>();
  Prefracture broken =
      prefracture(*solid, found.cage.lattice, latticeModes(found.graph, found.modes), cut, context);
  broken.cache.cellSize = found.cage.cellSize;
  broken.cache.fingerprint = fingerprint;
  result->state = std::make_shared<const ModesState>(std::move(broken.cache), context);
  result->solid = solid;
  result->lattice = std::move(found.cage.lattice);
  result->modes = std::move(found.modes);
  result->pieces = std::move(broken.pieces);
  return result;
}

/// A closed copy of a surface that is no solid. Throws what says why it is none if there is none either.
SolidPtr closedCopy(const Geometry& surface, const Error& why, Context& context) {
  RepairOptions options;
  options.resurface = true;
  Geometry copy;
  try {
    copy = repairSolid(surface, options, context).geometry;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    throw why;
  }
  context.warn(
      fmt::format("the surface is no solid ({}): a closed copy of it, made anew, is broken", why.what()));
  return std::make_shared<const Solid>(copy, context);
}

ModesOfSolidPtr modesOfCopy(const Geometry& surface, const TriangleMesh& mesh, const TriangleBvh& bvh,
                            const Error& why, const ModesOptions& options, Context& context) {
  const SolidPtr copy = closedCopy(surface, why, context);
  return cutAlongModes(copy, findModes(*copy, {surface, mesh, bvh}, options, context),
                       geometryFingerprint(surface), options, context);
}

void addToKey(MemoKey& key, const ModesOptions& options, const Geometry& surface) {
  const DetailOptions& d = options.cut.detail;
  const PieceOptions& p = options.cut.pieces;
  key.add(options.modes).add(options.starts).add(options.elements).add(options.cellSize.value_or(0));
  hackle::addToKey(key, options.weight);
  hackle::addToKey(key, options.weights, surface);
  hackle::addToKey(key, options.densities, surface);
  key.add(options.density).add(options.minJump).add(options.smoothing).add(options.filter);
  key.add(options.spread.value_or(0)).add(options.resurface).add(options.cut.minVolumeShare);
  key.add(p.prefix).add(p.insideGroup).add(p.outsideGroup).add(p.triangulate).add(p.uvScale);
  key.add(p.cuspAngle).add(p.minVolume);
  key.add(d.size).add(d.amount).add(d.scale).add(d.roughness).add(d.seed);
}

}  // namespace

size_t ModesOfSolid::bytes() const {
  return state->bytes() + solid->bytes() + bytesOf(lattice.points) + bytesOf(lattice.tetrahedra) +
         static_cast<size_t>(modes.values.size() + pieces.values.size()) * sizeof(double) +
         bytesOf(pieces.pieceOf);
}

ModesOfSolidPtr modesOfSolid(const SolidPtr& solid, const ModesOptions& options, Context& context) {
  MemoKey key("modes");
  addToKey(key, solid->geometry);
  addToKey(key, options, solid->geometry);
  return remembered<ModesOfSolid>(context, key, [&]() -> ModesOfSolidPtr {
    FoundModes found = findModes(*solid, {solid->geometry, solid->mesh, solid->bvh}, options, context);
    try {
      return cutAlongModes(solid, std::move(found), geometryFingerprint(solid->geometry), options, context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::BadInput || !options.resurface) throw;
      return modesOfCopy(solid->geometry, solid->mesh, solid->bvh, e, options, context);
    }
  });
}

ModesOfSolidPtr modesOfSurface(const Geometry& surface, const ModesOptions& options, Context& context) {
  if (surface.countOf(PrimitiveType::Polygon) == 0)
    throw Error(ErrorCode::BadInput, "the input has no polygons", "give a surface");
  SolidPtr solid;
  try {
    solid = solidOf(surface, context);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput || !options.resurface) throw;
    MemoKey key("modes.copy");
    addToKey(key, surface);
    addToKey(key, options, surface);
    return remembered<ModesOfSolid>(context, key, [&] {
      const TriangleMesh mesh = triangleMesh(surface, context);
      return modesOfCopy(surface, mesh, TriangleBvh(mesh, context), e, options, context);
    });
  }
  return modesOfSolid(solid, options, context);
}

}  // namespace hackle
