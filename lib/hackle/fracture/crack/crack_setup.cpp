#include <hackle/core/error.h>
#include <hackle/core/memory.h>
#include <hackle/fracture/crack/crack_setup.h>
#include <hackle/fracture/crack/start_meshes.h>
#include <hackle/fracture/surface_conditions.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/volume/painted_field.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// A field of the world in a frame with this origin.
ScalarField inFrame(const Vec3& origin, const ScalarField& field) {
  if (origin.isZero(0)) return field;
  return ScalarField([=](const Vec3& p) { return field.at(p + origin); },
                     [=](const Vec3& p, double step) { return field.sample(p + origin, step); });
}

CrackMaterial materialIn(const Box3& solid, const CrackMaterialOptions& options, const Vec3& origin,
                         const Context& context) {
  const auto field = [&](const std::string& name, double base, const PatternOptions& pattern) {
    const auto grid = [&](const std::string& vdb) {
      return namedGrid(options.fields.value_or(Geometry()), vdb.empty() ? name : vdb, "fields");
    };
    return inFrame(origin, patternField(name, base, pattern, solid, grid, context));
  };
  CrackMaterial material;
  material.elastic = options.elastic;
  material.compressionRatio = options.compressionRatio;
  material.strength = field("strength", options.strength, options.strengthPattern);
  material.toughness = field("toughness", options.toughness, options.toughnessPattern);
  return material;
}

/// Mean length of edges, m.
double meanEdge(const BemSurface& surface) {
  double sum = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    for (size_t k = 0; k < 3; ++k) sum += (surface.corner(t, (k + 1) % 3) - surface.corner(t, k)).norm();
  return sum / (3 * static_cast<double>(surface.triangleCount()));
}

double areaOf(const BemSurface& surface) {
  double area = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t) area += surface.area(t);
  return area;
}

/// m, how thick the body is where it is thin: below that is a fifth of its surface.
double thinWalls(const BemSurface& surface, const TriangleMesh& mesh, Context& context) {
  constexpr double kShare = 0.2;
  const TriangleBvh tree(mesh, context);
  std::vector<std::pair<double, double>> walls;  // thickness, area
  double area = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t) {
    walls.emplace_back(wallThickness(surface, tree, t), surface.area(t));
    area += surface.area(t);
  }
  std::sort(walls.begin(), walls.end());
  double sum = 0;
  for (const auto& [thickness, part] : walls)
    if ((sum += part) > kShare * area) return thickness;
  return std::numeric_limits<double>::infinity();
}

/// Said before anything is solved.
void warnOfThinWalls(const std::vector<SolveMesh>& meshes, Context& context) {
  constexpr double kStiff = 1.2;  // edges over thickness: a clamped plate has 0.89 of its stress there
  const SolveMesh all = joined(meshes, context);
  const BemSurface surface(all.solved);
  const double walls = thinWalls(surface, all.solved, context), edge = meanEdge(surface);
  if (edge <= kStiff * walls) return;
  context.warn(fmt::format(
      "walls of the solid are about {:.2g} m thick and the triangles to solve on {:.2g} m long: such walls "
      "come out too stiff where they bend, and cracks may stop in them. About {:.0f} triangles would resolve "
      "them; sheet, impact and cvd break thin shells without that",
      walls, edge, 1.6 * areaOf(surface) / (walls * walls)));
}

CrackOptions solverOptions(const CrackEngineOptions& options, const BemSurface& body,
                           const TriangleMesh& mesh, Context& context) {
  constexpr double kWalls = 2.0;  // coarse edges are at most this many times as long as walls are thick
  CrackOptions result;
  const double walls = thinWalls(body, mesh, context), edge = meanEdge(body);
  result.coarse = options.coarse ? *options.coarse : std::min(edge, kWalls * walls);
  Box3 box;
  for (const Vec3& p : mesh.points.span()) box.add(p);
  const Vec3 size = box.size();
  if (result.coarse > size.maxCoeff())
    throw Error(
        ErrorCode::Usage,
        fmt::format("coarse ({:.4g} m) is larger than the solid ({:.4g} m)", result.coarse, size.maxCoeff()),
        "make it smaller, or set it to 0");
  result.fine = options.fine.value_or(result.coarse / options.ratio);
  if (result.fine > result.coarse)
    throw Error(ErrorCode::Usage,
                fmt::format("fine ({:.4g} m) is larger than coarse ({:.4g} m)", result.fine, result.coarse),
                "make fine smaller, or set it to 0 and give a ratio");
  if (result.coarse / result.fine > 80.5)
    throw Error(ErrorCode::Usage,
                fmt::format("coarse ({:.4g} m) is {:.0f} times fine ({:.4g} m)", result.coarse,
                            result.coarse / result.fine, result.fine),
                "keep it within 80: more triangles or a smaller coarse");
  result.steps = options.steps;
  result.cracks = options.cracks;
  result.branching = options.branching;
  result.method = options.method;
  result.hybridElements = options.hybridElements;
  return result;
}

/// Refuses what cannot fit: the dense system, and the voxels of one crack through the body.
void checkMemory(const BemSurface& body, const BoundaryData& data, double crackArea, const Box3& bounds,
                 const CrackOptions& options) {
  // Bytes per squared unknown and per voxel of a crack's area in record and cut, as measured; and per column
  // of voxels across the box, estimated.
  constexpr double kPerEntry = 12, kPerVoxel = 10e3, kPerColumn = 200;
  double unknowns = 3 * static_cast<double>(body.nodeCount());
  for (const auto& fixed : data.fixed) unknowns += fixed[0] + fixed[1] + fixed[2];
  unknowns += 3 * crackArea / (0.5 * options.coarse * options.coarse);
  const double dense = kPerEntry * unknowns * unknowns;
  Vec3 size = bounds.max - bounds.min;
  std::sort(size.data(), size.data() + 3);
  // Across the longest side; of thin shells there is little in it.
  double volume = 0;
  for (size_t t = 0; t < body.triangleCount(); ++t)
    volume += body.corner(t, 0).dot(body.corner(t, 1).cross(body.corner(t, 2))) / 6;
  const double box = size[0] * size[1], section = std::min(box, 2 * volume / size[2]);
  const double voxels = (kPerVoxel * section + kPerColumn * box) / (options.fine * options.fine);
  const double limit = 0.9 * availableMemory();
  if (dense > limit)
    throw Error(ErrorCode::BadInput,
                fmt::format("{:.0f} unknowns would take about {:.0f} GB; this machine has {:.0f}", unknowns,
                            dense * 1e-9, availableMemory() * 1e-9),
                "use fewer triangles, a larger coarse, or smaller initial cracks");
  if (voxels > limit)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("a crack through the solid in voxels of {:.3g} m would take about {:.0f} GB; this "
                    "machine has {:.0f}",
                    options.fine, voxels * 1e-9, availableMemory() * 1e-9),
        fmt::format("make fine larger: {:.2g} m fits", options.fine * std::sqrt(voxels / limit) * 1.05));
}

/// Corners moved along the mean normal of the faces around, weighted by area.
BemSurface offsetBody(const BemSurface& body, double distance) {
  std::vector<Vec3> points, normals(body.nodeCount(), Vec3::Zero());
  std::vector<Triangle> triangles;
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    triangles.push_back(body.triangle(t));
    for (const int32_t n : triangles.back()) normals[n] += body.area(t) * body.normal(t);
  }
  for (size_t n = 0; n < body.nodeCount(); ++n)
    points.push_back(body.point(n) + distance * normals[n].stableNormalized());
  return BemSurface(points, triangles);
}

/// All initial cracks, within what fits into memory.
std::vector<InitialSheet> initialSheets(const Box3& bounds, const CrackEngineOptions& options,
                                        const CrackOptions& solver, const BemSurface& surface,
                                        const BoundaryData& data) {
  double area = 0;
  for (const InitialCrack& crack : options.initial)
    area += 4 * crack.radius * std::max(crack.across, crack.radius);
  checkMemory(surface, data, area, bounds, solver);
  std::vector<InitialSheet> sheets;
  for (size_t i = 0; i < options.initial.size(); ++i)
    sheets.push_back(sheetOf(options.initial[i], i + 1, solver.coarse));
  if (options.sheets)
    for (InitialSheet& sheet : sheetsOf(*options.sheets, solver.coarse)) {
      area += areaOf(sheet);
      sheets.push_back(std::move(sheet));
    }
  for (size_t i = 0; i < sheets.size(); ++i) sheets[i].number = i + 1;
  checkMemory(surface, data, area, bounds, solver);
  return sheets;
}

/// The part of the conditions that acts on nodes and triangles from these on.
BoundaryData sliceOf(const BoundaryData& data, size_t node, size_t nodes, size_t triangle, size_t triangles) {
  BoundaryData slice(nodes, triangles);
  for (size_t n = 0; n < nodes; ++n) slice.displacement[n] = data.displacement[node + n];
  for (size_t t = 0; t < triangles; ++t) {
    slice.fixed[t] = data.fixed[triangle + t];
    slice.traction[t] = data.traction[triangle + t];
  }
  return slice;
}

/// By body, the initial cracks that are in it or reach into it.
std::vector<std::vector<InitialSheet>> cracksByBody(const std::vector<SolveMesh>& meshes,
                                                    const std::vector<InitialSheet>& sheets,
                                                    Context& context) {
  std::vector<std::vector<InitialSheet>> result(meshes.size());
  std::vector<uint8_t> met(sheets.size(), 0);
  for (size_t b = 0; b < meshes.size() && !sheets.empty(); ++b) {
    const BemSurface body(meshes[b].solved);
    for (size_t i = 0; i < sheets.size(); ++i) {
      if (meshes.size() > 1 && !reachesInto(body, sheets[i], context)) continue;
      result[b].push_back(sheets[i]);
      met[i] = 1;
    }
  }
  for (size_t i = 0; i < sheets.size(); ++i)
    if (!met[i])
      throw Error(ErrorCode::BadInput, fmt::format("initial crack {} is outside of the solid", i + 1),
                  "move it so that it reaches inside");
  return result;
}

/// Whether a displacement or a load is given anywhere.
bool isConditioned(const BoundaryData& data) {
  const std::array<uint8_t, 3> free{0, 0, 0};
  return std::any_of(data.fixed.begin(), data.fixed.end(), [&](const auto& f) { return f != free; }) ||
         std::any_of(data.traction.begin(), data.traction.end(), [](const Vec3& t) { return !t.isZero(0); });
}

/// Solids much larger or smaller than things of their material are mostly in other units.
void warnOfUnits(const Box3& bounds, const CrackMaterialOptions& material, Context& context) {
  constexpr double kLargest = 8e4, kSmallest = 0.5;  // over the material's own length
  constexpr double kLarge = 25.0, kSmall = 0.005;    // m
  const double ratio = material.toughness / material.strength, own = ratio * ratio / 3.14159265358979323846;
  const double size = bounds.diagonal();
  const bool large = size > kLargest * own && size > kLarge, small = size < kSmallest * own && size < kSmall;
  if (!large && !small) return;
  context.warn(fmt::format(
      "the solid is {:.3g} m across, {} for a material whose cracks start at {:.2g} m: if its units "
      "are not metres, scale it with the operator transform",
      size, large ? "very large" : "very small", own));
}

/// Opens the body's boundary elements along its initial cracks.
void openAlongCracks(CrackBody& body, std::vector<InitialSheet> cracks, Context& context) {
  if (cracks.empty()) return;
  const Context::Stage stage(context, "initial cracks");
  checkSheetsApart(cracks, body.options.coarse, context);
  CrackedBody cracked = clipCracks(body.surface, body.data, cracks, body.options.coarse, context);
  body.surface = std::move(cracked.body);
  body.data = std::move(cracked.data);
  body.cracks = std::move(cracked.cracks);
}

/// Whether boundary elements are still those of the mesh to solve on: cracks that reach the surface open it.
bool isOf(const BemSurface& surface, const TriangleMesh& mesh) {
  if (surface.nodeCount() != mesh.points.size() || surface.triangleCount() != mesh.triangles.size())
    return false;
  for (size_t n = 0; n < surface.nodeCount(); ++n)
    if (surface.point(n) != mesh.points[n]) return false;
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    if (surface.triangle(t) != mesh.triangles[t]) return false;
  return true;
}

/// Meshes of bodies that conditions load, finer where these start cracks. Loads that come later, such as
/// impacts, act on patches of the mesh's own resolution and do not count. Gives back the systems of meshes
/// that were solved on and are fine enough.
CrackSystems resolveStarts(std::vector<SolveMesh>& meshes, const CrackEngineOptions& options,
                           Context& context) {
  const SolveMesh all = joined(meshes, context);
  const CrackMaterial material =
      materialIn(all.solid->geometry.bounds(), options.material, options.origin, context);
  const BemSurface surface(all.solved);
  const SurfaceConditions conditions = conditionsOn(all, surface, options.conditions, context);
  const BoundaryData& data = conditions.data;
  const double area = areaOf(surface);
  CrackSystems systems(meshes.size());
  size_t node = 0, triangle = 0;
  for (size_t b = 0; b < meshes.size(); ++b) {
    SolveMesh& mesh = meshes[b];
    const BemSurface own(mesh.solved);
    const BoundaryData slice = sliceOf(data, node, own.nodeCount(), triangle, own.triangleCount());
    node += own.nodeCount();
    triangle += own.triangleCount();
    if (!carriesLoad(slice)) continue;
    const double share = static_cast<double>(options.triangles) * areaOf(own) / area;
    inBody(meshes.size() > 1 ? bodyName(mesh.solid->geometry, b) : "", [&] {
      StartMesh resolved =
          resolvingStarts(mesh, slice, conditions.borders, material, static_cast<size_t>(share), context);
      mesh = std::move(resolved.mesh);
      systems[b] = std::move(resolved.system);
    });
  }
  return systems;
}

}  // namespace

size_t CrackBody::bytes() const {
  // Nodes and triangles of boundary elements with their shapes.
  constexpr size_t kPerTriangle = 400;
  return mesh.bytes() + surface.triangleCount() * kPerTriangle + (system ? system->bytes() : 0);
}

bool carriesLoad(const BoundaryData& data) {
  const auto nonzero = [](const Vec3& v) { return !v.isZero(0); };
  return !data.force.isZero() || std::any_of(data.traction.begin(), data.traction.end(), nonzero) ||
         std::any_of(data.displacement.begin(), data.displacement.end(), nonzero);
}

CrackBodies crackBodies(std::vector<SolveMesh> meshes, const CrackSystems& systems,
                        const CrackEngineOptions& options, Context& context) {
  const SolveMesh all = joined(meshes, context);
  const Box3 bounds = all.solid->geometry.bounds();
  const CrackMaterial material = materialIn(bounds, options.material, options.origin, context);
  const BemSurface surface(all.solved);
  SurfaceConditions conditions = conditionsOn(all, surface, options.conditions, context);
  warnOfSupports(conditions.applied, context);
  const BoundaryData& data = conditions.data;
  const CrackOptions solver = solverOptions(options, surface, all.solved, context);
  checkMemory(surface, data, 0.0, bounds, solver);
  std::vector<std::vector<InitialSheet>> cracks = onInitialCracks(
      [&] { return cracksByBody(meshes, initialSheets(bounds, options, solver, surface, data), context); });

  CrackBodies result;
  result.applied = std::move(conditions.applied);
  std::vector<CrackBody>& bodies = result.bodies;
  bodies.resize(meshes.size());
  const bool several = bodies.size() > 1;
  size_t node = 0, triangle = 0;
  for (size_t b = 0; b < meshes.size(); ++b) {
    CrackBody& body = bodies[b];
    body.mesh = std::move(meshes[b]);
    body.options = solver;
    body.material = material;
    body.origin = options.origin;
    body.toughness = options.material.toughness;
    if (several) body.name = bodyName(body.mesh.solid->geometry, b);
    const size_t nodes = body.mesh.solved.points.size(), triangles = body.mesh.solved.triangles.size();
    body.data = sliceOf(data, node, nodes, triangle, triangles);
    node += nodes;
    triangle += triangles;
    body.conditioned = !cracks[b].empty() || isConditioned(body.data);
    inBody(body.name, [&] {
      body.surface = BemSurface(body.mesh.solved);
      if (body.mesh.coarse && options.meshOffset != 0)
        body.surface = offsetBody(body.surface, options.meshOffset * body.options.fine);
      onInitialCracks([&] { openAlongCracks(body, std::move(cracks[b]), context); });
      const bool known = systems[b] && systems[b]->system.data().fixed == body.data.fixed;
      if (known && isOf(body.surface, body.mesh.solved))
        body.system = systems[b];
      else if (!several || body.conditioned)
        body.system = firstSystem(body.surface, material.elastic, body.data, context);
    });
  }
  return result;
}

CrackBodies crackBodies(std::vector<SolveMesh> meshes, const CrackEngineOptions& options, Context& context) {
  warnOfThinWalls(meshes, context);
  const CrackSystems none(meshes.size());
  return crackBodies(std::move(meshes), none, options, context);
}

CrackBodies crackBodies(const SolidPtr& solid, const CrackEngineOptions& options, Context& context) {
  materialIn(solid->geometry.bounds(), options.material, options.origin, context);
  if (!options.piece) warnOfUnits(solid->geometry.bounds(), options.material, context);
  context.checkCancel();
  checkConditions(*solid, options.mesh ? &*options.mesh : nullptr, options.conditions,
                  evenEdge(solid->mesh, options.triangles), context);
  if (options.mesh) return crackBodies(solveMeshes(solid, *options.mesh, context), options, context);
  std::vector<SolveMesh> meshes =
      solveMeshes(solid, SolveMeshOptions{options.triangles, true, options.piece}, context);
  const bool starts = options.cracks > 0 && options.initial.empty() && !options.sheets;
  if (options.loading != CrackLoading::Rising || !starts)
    return crackBodies(std::move(meshes), options, context);
  warnOfThinWalls(meshes, context);
  const CrackSystems systems = resolveStarts(meshes, options, context);
  return crackBodies(std::move(meshes), systems, options, context);
}

}  // namespace hackle
