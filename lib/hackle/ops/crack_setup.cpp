#include <hackle/ops/crack_setup.h>

#include <hackle/core/error.h>
#include <hackle/core/memo.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/geometry/topology.h>
#include <hackle/io/bytes.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <unistd.h>

namespace hackle {

namespace {

constexpr double kSizesAcross = 20;  // grains, layers and bumps along the solid unless a size is given

/// The VDB of this name on the input of fields.
VolumePtr namedGrid(const Inputs& inputs, const std::string& name) {
  std::vector<std::string> names;
  if (inputs.has(CrackInput::Fields)) {
    const Geometry& fields = inputs.geometry(CrackInput::Fields);
    for (size_t p = 0; p < fields.primitiveCount(); ++p) {
      if (fields.primitiveType(p) != PrimitiveType::Volume) continue;
      if (fields.volume(p)->name() == name) return fields.volume(p);
      names.push_back(fields.volume(p)->name());
    }
  }
  throw Error(ErrorCode::BadInput, fmt::format("there is no VDB {} on the input of fields", name),
              names.empty() ? "connect a VDB file to it"
                            : fmt::format("name one that is there: {}", fmt::join(names, ", ")));
}

/// A field of the material, above 0 where it is one value.
ScalarField fieldOf(const Inputs& inputs, const std::string& name, double base, PatternOptions pattern,
                    Context& context) {
  if (!(base > 0))
    throw Error(ErrorCode::Usage, fmt::format("{} is 0: everything would break", name),
                "give one above 0, or a preset");
  if (pattern.size <= 0) {
    const Box3 box = inputs.geometry(CrackInput::Solid).bounds();
    pattern.size = std::max((box.max - box.min).maxCoeff() / kSizesAcross, 1e-9);
  }
  const auto grid = [&](const std::string& vdb) { return namedGrid(inputs, vdb.empty() ? name : vdb); };
  return patternField(name, base, pattern, grid, context);
}

CrackMaterial materialOf(const Inputs& inputs, const CrackOperatorOptions& options, Context& context) {
  CrackMaterial material;
  material.elastic = {options.material.young, options.material.poisson, options.material.density};
  material.compressionRatio = options.compressionRatio;
  material.strength = fieldOf(inputs, "strength", options.material.strength, options.strength, context);
  material.toughness = fieldOf(inputs, "toughness", options.material.toughness, options.toughness, context);
  return material;
}

/// Mean length of edges, m.
double meanEdge(const BemSurface& surface) {
  double sum = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    for (size_t k = 0; k < 3; ++k) sum += (surface.corner(t, (k + 1) % 3) - surface.corner(t, k)).norm();
  return sum / (3 * static_cast<double>(surface.triangleCount()));
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

CrackOptions solverOptions(const CrackOperatorOptions& options, const BemSurface& body,
                           const TriangleMesh& mesh, Context& context) {
  constexpr double kWalls = 2.0;  // coarse edges may be so much longer than walls are thick
  CrackOptions result;
  result.coarse =
      options.coarse > 0 ? options.coarse : std::min(meanEdge(body), kWalls * thinWalls(body, mesh, context));
  Box3 box;
  for (const Vec3& p : mesh.points.span()) box.add(p);
  const Vec3 size = box.size();
  if (result.coarse > size.maxCoeff())
    throw Error(
        ErrorCode::Usage,
        fmt::format("coarse ({:.4g} m) is larger than the solid ({:.4g} m)", result.coarse, size.maxCoeff()),
        "make it smaller, or set it to 0");
  result.fine = options.fine > 0 ? options.fine : result.coarse / options.ratio;
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
  result.cracks = static_cast<size_t>(options.cracks);
  result.branching = options.branching;
  result.method = options.method;
  result.hybridElements = options.hybridElements;
  return result;
}

double physicalMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

/// Refuses what cannot fit: the dense system, and the voxels of one crack through the body.
void checkMemory(const BemSurface& body, const BoundaryData& data, double crackArea, const Box3& bounds,
                 const CrackOptions& options) {
  // Bytes a squared unknown and a voxel of a crack's area in record and cut, as measured; and a column of
  // voxels across the box, estimated.
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
  const double limit = 0.9 * physicalMemory();
  if (dense > limit)
    throw Error(ErrorCode::BadInput,
                fmt::format("{:.0f} unknowns would take about {:.0f} GB; this machine has {:.0f}", unknowns,
                            dense * 1e-9, physicalMemory() * 1e-9),
                "use fewer triangles, a larger coarse, or smaller initial cracks");
  if (voxels > limit)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("a crack through the solid in voxels of {:.3g} m would take about {:.0f} GB; this "
                    "machine has {:.0f}",
                    options.fine, voxels * 1e-9, physicalMemory() * 1e-9),
        fmt::format("make fine larger: {:.2g} m fits", options.fine * std::sqrt(voxels / limit) * 1.05));
}

InitialSheet sheetOf(const InitialCrackRecord& crack, size_t index, double edge) {
  const std::string name = fmt::format("initial crack {}", index + 1);
  if (crack.normal.isZero())
    throw Error(ErrorCode::Usage, name + " has no normal", "give one, such as 0,1,0");
  const double across = crack.shape == InitialShape::Disc ? crack.radius : crack.across;
  if (!(crack.radius > 0) || !(across > 0))
    throw Error(ErrorCode::Usage, name + " has no size", "give a radius (and across) above 0");
  // Smaller ones than the mesh's edges get a mesh of their own size.
  const double length = std::min(edge, std::min(crack.radius, across));
  if (crack.shape == InitialShape::Rectangle)
    return rectangleCrack(crack.at, crack.normal, crack.along, crack.radius, across, length);
  return ellipseCrack(crack.at, crack.normal, crack.along, crack.radius, across, length);
}

/// A flat sheet is meshed anew from its outline, others stay as they are.
InitialSheet remeshed(InitialSheet sheet, double edge) {
  const std::vector<Vec3> outline = singleRim(sheet);
  if (outline.size() < 3) return sheet;
  Vec3 normal = Vec3::Zero(), middle = Vec3::Zero();
  for (const Vec3& p : outline) middle += p / static_cast<double>(outline.size());
  for (size_t i = 0; i < outline.size(); ++i)
    normal += (outline[i] - middle).cross(outline[(i + 1) % outline.size()] - middle);
  if (normal.isZero()) return sheet;
  normal.normalize();
  for (const Vec3& p : sheet.points)
    if (std::abs((p - middle).dot(normal)) > 0.02 * edge) return sheet;
  return polygonCrack(outline, edge);
}

/// Connected parts of the polygons on the input of sheets.
std::vector<InitialSheet> givenSheets(const Inputs& inputs, double edge) {
  std::vector<InitialSheet> sheets;
  if (!inputs.has(CrackInput::Sheets)) return sheets;
  const Geometry& geometry = inputs.geometry(CrackInput::Sheets);
  const Components components = findComponents(geometry);
  const TriangleMesh mesh = triangleMesh(geometry);
  if (mesh.triangles.empty())
    throw Error(ErrorCode::BadInput, "there are no polygons on the input of sheets",
                "give open surfaces, one for each crack");
  sheets.resize(components.count);
  std::vector<int32_t> number(mesh.points.size(), -1);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    InitialSheet& sheet = sheets[components.ofPrimitive[mesh.primitives[t]]];
    Triangle corners = mesh.triangles[t];
    for (int32_t& c : corners) {
      int32_t& n = number[c];
      if (n < 0) {
        n = static_cast<int32_t>(sheet.points.size());
        sheet.points.push_back(mesh.points[c]);
      }
      c = n;
    }
    sheet.triangles.push_back(corners);
  }
  sheets.erase(
      std::remove_if(sheets.begin(), sheets.end(), [](const auto& s) { return s.triangles.empty(); }),
      sheets.end());
  for (InitialSheet& sheet : sheets) sheet = remeshed(std::move(sheet), edge);
  return sheets;
}

double areaOf(const InitialSheet& sheet) {
  double area = 0;
  for (const Triangle& t : sheet.triangles) {
    const Vec3& a = sheet.points[t[0]];
    area += 0.5 * (sheet.points[t[1]] - a).cross(sheet.points[t[2]] - a).norm();
  }
  return area;
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
std::vector<InitialSheet> initialSheets(const Inputs& inputs, const CrackOperatorOptions& options,
                                        const CrackOptions& solver, const BemSurface& surface,
                                        const BoundaryData& data) {
  double area = 0;
  for (const InitialCrackRecord& crack : options.initial)
    area += 4 * crack.radius * std::max(crack.across, crack.radius);
  const Box3 bounds = inputs.geometry(CrackInput::Solid).bounds();
  checkMemory(surface, data, area, bounds, solver);
  std::vector<InitialSheet> sheets;
  for (size_t i = 0; i < options.initial.size(); ++i)
    sheets.push_back(sheetOf(options.initial[i], i, solver.coarse));
  for (InitialSheet& sheet : givenSheets(inputs, solver.coarse)) {
    area += areaOf(sheet);
    sheets.push_back(std::move(sheet));
  }
  for (size_t i = 0; i < sheets.size(); ++i) sheets[i].number = i + 1;
  checkMemory(surface, data, area, bounds, solver);
  return sheets;
}

void addCracks(CrackSolver& solver, std::vector<InitialSheet> cracks, Context& context) {
  for (InitialSheet& crack : cracks) {
    try {
      solver.addCrack(std::move(crack.points), std::move(crack.triangles), context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::Failed) throw;
      throw Error(ErrorCode::BadInput,
                  fmt::format("initial crack {} leaves a part of the solid that nothing holds", crack.number),
                  "let it end inside of the solid instead of cutting it apart");
    }
  }
}

/// `cracks` are those that are given now; they are in the state if the run that it is of had them.
void resume(CrackSolver& solver, const std::string& file, const std::vector<InitialSheet>& cracks,
            Context& context) {
  const Context::Stage stage(context, "resume");
  const MappedFile bytes(file);
  try {
    resumeCracks(solver, bytes.bytes(), context);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    throw Error(e.code(), fmt::format("{}: {}", file, e.what()), e.remedy());
  }
  uint64_t given = 0;
  for (const InitialSheet& crack : cracks)
    given = CrackSolver::addedCrack(given, crack.points, crack.triangles);
  if (!cracks.empty() && given != solver.initialCracks())
    context.warn(
        fmt::format("{}: its run began with other initial cracks; those that are given are left out", file));
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

bool anything(const BoundaryData& data) {
  const std::array<uint8_t, 3> free{0, 0, 0};
  return std::any_of(data.fixed.begin(), data.fixed.end(), [&](const auto& f) { return f != free; }) ||
         std::any_of(data.traction.begin(), data.traction.end(), [](const Vec3& t) { return !t.isZero(0); });
}

/// The file of one of several bodies: its number before the numbers of a sequence, or before the extension.
std::string fileOfBody(const std::string& file, size_t body) {
  if (file.empty()) return file;
  size_t at = file.find_last_of('#');
  if (at != std::string::npos) {
    while (at > 0 && file[at - 1] == '#') --at;
    return fmt::format("{}body{}.{}", file.substr(0, at), body + 1, file.substr(at));
  }
  const std::filesystem::path path(file);
  return (path.parent_path() /
          fmt::format("{}.body{}{}", path.stem().string(), body + 1, path.extension().string()))
      .string();
}

/// The system of a body before cracks grow: its matrix and factor serve all loads on it.
struct FirstSystem {
  BemSystem system;
  size_t bytes() const { return system.bytes(); }
};

std::unique_ptr<BemSystem> firstSystem(BemSurface body, BoundaryData data, const ElasticMaterial& elastic,
                                       Context& context) {
  const Context::Stage stage(context, "assemble", 0.1);
  // Without a memo there would be a copy for nothing.
  if (!memoOf(context))
    return std::make_unique<BemSystem>(std::move(body), elastic, std::move(data), BemSystemOptions(),
                                       context);
  MemoKey key("crack.system");
  for (size_t n = 0; n < body.nodeCount(); ++n) key.add(Span<const Vec3>(&body.point(n), 1));
  for (size_t t = 0; t < body.triangleCount(); ++t) key.add(Span<const Triangle>(&body.triangle(t), 1));
  key.add(Span<const std::array<uint8_t, 3>>(data.fixed));
  key.add(elastic.young).add(elastic.poisson).add(elastic.density);
  bool made = false;
  const auto kept = remembered<FirstSystem>(context, key, [&] {
    made = true;
    return std::make_shared<const FirstSystem>(
        FirstSystem{BemSystem(std::move(body), elastic, data, BemSystemOptions(), context)});
  });
  auto system = std::make_unique<BemSystem>(kept->system);
  if (!made) system->setValues(std::move(data), context);
  return system;
}

/// A solver for one body, ready to step.
void makeSolver(CrackSetup& setup, BoundaryData data, std::vector<InitialSheet> cracks,
                const CrackMaterial& material, const CrackOperatorOptions& options, Context& context) {
  BemSurface body(setup.mesh.solved);
  if (setup.mesh.coarse && options.meshOffset != 0)
    body = offsetBody(body, options.meshOffset * setup.options.fine);
  if (!cracks.empty()) {
    const Context::Stage stage(context, "initial cracks");
    CrackedBody cracked = clipCracks(body, data, cracks, setup.options.coarse, context);
    body = std::move(cracked.body);
    data = std::move(cracked.data);
    cracks = std::move(cracked.cracks);
  }
  setup.solver = std::make_unique<CrackSolver>(
      setup.mesh.mesh, firstSystem(std::move(body), std::move(data), material.elastic, context), material,
      setup.options, context);
  if (options.resume && std::filesystem::exists(setup.state))
    resume(*setup.solver, setup.state, cracks, context);
  else
    addCracks(*setup.solver, std::move(cracks), context);
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

}  // namespace

std::vector<CrackSetup> setUpCracks(const Inputs& inputs, const CrackOperatorOptions& options,
                                    Context& context) {
  if (options.conditions.empty())
    throw Error(ErrorCode::Usage, "there is no condition",
                "give at least one, such as --condition kind=traction traction=0,1e6,0 group=top");
  std::vector<BoundaryCondition> conditions;
  for (const ConditionRecord& record : options.conditions) conditions.push_back(conditionOf(record));
  const CrackMaterial material = materialOf(inputs, options, context);

  const Geometry& solid = inputs.geometry(CrackInput::Solid);
  std::vector<SolveMesh> meshes =
      inputs.has(CrackInput::Mesh) ? solveMeshes(solid, inputs.geometry(CrackInput::Mesh), context)
                                   : solveMeshes(solid, SolveMeshOptions{options.triangles, true}, context);
  const SolveMesh all = joined(meshes);
  const BemSurface surface(all.solved);
  const BoundaryData data = boundaryDataOn(all, surface, conditions, context);
  const CrackOptions solver = solverOptions(options, surface, all.solved, context);
  std::vector<std::vector<InitialSheet>> cracks =
      cracksByBody(meshes, initialSheets(inputs, options, solver, surface, data), context);

  std::vector<CrackSetup> setups(meshes.size());
  size_t node = 0, triangle = 0;
  for (size_t b = 0; b < meshes.size(); ++b) {
    CrackSetup& setup = setups[b];
    setup.mesh = std::move(meshes[b]);
    setup.options = solver;
    const bool several = setups.size() > 1;
    if (several) setup.name = bodyName(setup.mesh.solid, b);
    setup.state = several ? fileOfBody(options.state, b) : options.state;
    setup.sequence = several ? fileOfBody(options.sequence, b) : options.sequence;
    const size_t nodes = setup.mesh.solved.points.size(), triangles = setup.mesh.solved.triangles.size();
    BoundaryData own = sliceOf(data, node, nodes, triangle, triangles);
    node += nodes;
    triangle += triangles;
    if (several && cracks[b].empty() && !anything(own)) continue;
    inBody(setup.name,
           [&] { makeSolver(setup, std::move(own), std::move(cracks[b]), material, options, context); });
  }
  return setups;
}

}  // namespace hackle
