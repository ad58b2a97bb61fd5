#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/meshing/bisect_edges.h>
#include <hackle/meshing/coarse_surface.h>
#include <hackle/meshing/self_intersections.h>
#include <hackle/meshing/solid_input.h>
#include <hackle/ops/boundary_conditions.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace hackle {

namespace {

ParameterTable<SurfaceRegion> regionTable() {
  using O = SurfaceRegion;
  ParameterTable<O> table;
  table.add(&O::group, "group", "Group")
      .as(ParameterType::Group)
      .help("Primitive or point groups that the region lies in, separated by blanks.");
  table.add(&O::attribute, "attribute", "Attribute")
      .as(ParameterType::Attribute)
      .help("Attribute of primitives or points, integers or strings, that marks the region.");
  table.add(&O::value, "match", "Value").help("Value of that attribute in the region.");
  table.add(&O::low, "low", "Box From")
      .unit("m")
      .soft(-10, 10)
      .help("Lower corner of a box that holds the region's faces; far away for a half-space.");
  table.add(&O::high, "high", "Box To").unit("m").soft(-10, 10).help("Upper corner of that box.");
  table.add(&O::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Centre of a ball that holds the middles of the region's faces.");
  table.add(&O::radius, "radius", "Radius")
      .unit("m")
      .hard(-1, 1e6)
      .soft(0, 1)
      .help("Of that ball; with 0 the nearest face alone, negative for no ball.");
  return table;
}

void checkAreas(const TriangleMesh& mesh) {
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3& a = mesh.points[static_cast<size_t>(c[0])];
    const Vec3 e = mesh.points[static_cast<size_t>(c[1])] - a, f = mesh.points[static_cast<size_t>(c[2])] - a;
    const double longest = std::max({e.squaredNorm(), f.squaredNorm(), (e - f).squaredNorm()});
    if (e.cross(f).norm() > 1e-12 * longest) continue;
    throw Error(ErrorCode::BadInput, fmt::format("face {} has a triangle without area", mesh.primitives[t]),
                "repair it with the operator repair and its parameter resurface");
  }
}

/// Edges longer than this many mean ones are split.
constexpr double kLongEdge = 1.5;

TriangleMesh checkedMesh(const Geometry& solid, const std::string& name, Context& context) {
  TriangleMesh mesh = triangleMesh(solid, context);
  checkAreas(mesh);
  const auto crossings = selfIntersections(mesh, context);
  if (!crossings.empty())
    throw Error(ErrorCode::BadInput,
                fmt::format("{} crosses itself: {} pairs of faces, the first are {} and {}", name,
                            crossings.size(), mesh.primitives[static_cast<size_t>(crossings[0][0])],
                            mesh.primitives[static_cast<size_t>(crossings[0][1])]),
                "repair it with the operator repair and its parameter resurface");
  return mesh;
}

Vec3 middleOf(const TriangleMesh& mesh, size_t triangle) {
  const Triangle& c = mesh.triangles[triangle];
  return (mesh.points[static_cast<size_t>(c[0])] + mesh.points[static_cast<size_t>(c[1])] +
          mesh.points[static_cast<size_t>(c[2])]) /
         3;
}

double areaOf(const TriangleMesh& mesh) {
  double area = 0;
  for (const Triangle& c : mesh.triangles) {
    const Vec3& a = mesh.points[static_cast<size_t>(c[0])];
    area +=
        0.5 *
        (mesh.points[static_cast<size_t>(c[1])] - a).cross(mesh.points[static_cast<size_t>(c[2])] - a).norm();
  }
  return area;
}

/// For each triangle that is solved on, the nearest one of the solid.
std::vector<int32_t> nearestTriangles(const SolveMesh& m, Context& context) {
  std::vector<int32_t> source(m.solved.triangles.size());
  const TriangleBvh bvh(m.mesh, context);
  parallelFor(context, source.size(), 64,
              [&](size_t t) { source[t] = bvh.closestPoint(middleOf(m.solved, t)).triangle; });
  return source;
}

/// A given mesh that is somewhere else is a mistake.
void checkFit(const SolveMesh& m) {
  const Box3 solid = m.solid.bounds(), given = m.given->bounds();
  const double off = std::max((solid.min - given.min).norm(), (solid.max - given.max).norm());
  if (off > 0.1 * solid.diagonal())
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the mesh to solve on is not that of the solid: its bounds are {:.3g} m off", off),
        "give a coarse copy of the same surface, at the same place");
}

/// Whether a geometry has the groups and attributes that a region names.
bool knows(const Geometry& geometry, const SurfaceRegion& region) {
  std::istringstream names(region.group);
  for (std::string name; names >> name;)
    if (!geometry.findGroup(Owner::Primitive, name) && !geometry.findGroup(Owner::Point, name)) return false;
  return region.attribute.empty() || geometry.findAttribute(Owner::Primitive, region.attribute) ||
         geometry.findAttribute(Owner::Point, region.attribute);
}

/// A region of the solid on the mesh that is solved on.
std::vector<int32_t> regionOn(const SolveMesh& mesh, const BemSurface& surface, const SurfaceRegion& region,
                              const std::string& name, Context& context) {
  try {
    return trianglesIn(region, name, mesh.solid, mesh.mesh, surface, mesh.source);
  } catch (const Error& e) {
    if (!mesh.coarse || e.code() != ErrorCode::BadInput) throw;
  }
  // Faces of the solid itself, then those of the coarse mesh that are nearest to them.
  std::vector<int32_t> own(mesh.mesh.triangles.size());
  std::iota(own.begin(), own.end(), 0);
  const std::vector<int32_t> faces =
      trianglesIn(region, name, mesh.solid, mesh.mesh, BemSurface(mesh.mesh), own);
  const TriangleBvh bvh(mesh.solved, context);
  std::vector<int32_t> list;
  for (const int32_t t : faces)
    list.push_back(bvh.closestPoint(middleOf(mesh.mesh, static_cast<size_t>(t))).triangle);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  context.warn(fmt::format("{} is smaller than faces of the mesh to solve on: it acts on the nearest {}",
                           name, list.size()));
  return list;
}

SolveMesh makeSolveMesh(const Geometry& input, const SolveMeshOptions& options, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  SolveMesh m;
  m.solid = checkedSolid(input, context);
  m.mesh = checkedMesh(m.solid, "the surface", context);
  const size_t count = m.mesh.triangles.size();
  m.coarse = count > options.triangles;
  if (m.coarse) {
    m.solved = triangleMesh(coarseSurface(m.mesh, options.triangles, context), context);
    m.source = nearestTriangles(m, context);
  } else if (options.refine) {
    // Edges of as many equilateral triangles, and some more.
    const double edge =
        std::sqrt(areaOf(m.mesh) / static_cast<double>(options.triangles) * 4 / std::sqrt(3.0));
    BisectedMesh fine = bisectEdges(m.mesh, kLongEdge * edge, options.triangles, context);
    m.solved = std::move(fine.mesh);
    m.source = std::move(fine.source);
  } else {
    m.solved = m.mesh;
    m.source.resize(count);
    std::iota(m.source.begin(), m.source.end(), 0);
  }
  return m;
}

SolveMesh makeSolveMesh(const Geometry& input, const Geometry& mesh, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  SolveMesh m;
  m.solid = checkedSolid(input, context);
  m.mesh = checkedMesh(m.solid, "the surface", context);
  m.given = checkedSolid(mesh, context);
  m.solved = checkedMesh(*m.given, "the mesh to solve on", context);
  m.coarse = true;
  m.source = nearestTriangles(m, context);
  checkFit(m);
  return m;
}

}  // namespace

BoundaryCondition conditionOf(const ConditionRecord& record) {
  BoundaryCondition condition;
  condition.kind = record.kind;
  condition.region = record.region;
  switch (record.kind) {
    case ConditionKind::Displacement: {
      const std::string_view axes[] = {"xyz", "x", "y", "z", "xy", "yz", "xz"};
      const std::string_view chosen = axes[static_cast<size_t>(record.axes)];
      condition.value = record.displacement;
      for (size_t c = 0; c < 3; ++c) condition.axes[c] = chosen.find("xyz"[c]) != std::string_view::npos;
      break;
    }
    case ConditionKind::Traction:
      condition.value = record.traction;
      break;
    case ConditionKind::Force:
      condition.value = record.force;
      break;
    case ConditionKind::Pressure:
      condition.value = Vec3(record.pressure, 0, 0);
      break;
  }
  return condition;
}

size_t SolveMesh::bytes() const {
  return bytesOf(solid) + bytesOf(mesh) + bytesOf(solved) + bytesOf(source) + (given ? bytesOf(*given) : 0);
}

SolveMesh solveMesh(const Geometry& input, const SolveMeshOptions& options, Context& context) {
  MemoKey key("solve_mesh");
  addToKey(key, input);
  key.add(options.triangles).add(options.refine);
  return *remembered<SolveMesh>(context, key, [&] {
    return std::make_shared<const SolveMesh>(makeSolveMesh(input, options, context));
  });
}

SolveMesh solveMesh(const Geometry& input, const Geometry& mesh, Context& context) {
  MemoKey key("solve_mesh_given");
  addToKey(key, input);
  addToKey(key, mesh);
  return *remembered<SolveMesh>(
      context, key, [&] { return std::make_shared<const SolveMesh>(makeSolveMesh(input, mesh, context)); });
}

BoundaryData boundaryDataOn(const SolveMesh& mesh, const BemSurface& surface,
                            const std::vector<BoundaryCondition>& conditions, Context& context) {
  std::vector<std::vector<int32_t>> regions;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const SurfaceRegion& region = conditions[i].region;
    const std::string name = conditionName(conditions[i], i);
    if (mesh.given && knows(*mesh.given, region)) {
      std::vector<int32_t> own(surface.triangleCount());
      std::iota(own.begin(), own.end(), 0);
      regions.push_back(trianglesIn(region, name, *mesh.given, mesh.solved, surface, own));
    } else {
      regions.push_back(regionOn(mesh, surface, region, name, context));
    }
  }
  return boundaryData(surface, conditions, regions);
}

ParameterTable<ConditionRecord> conditionTable() {
  using O = ConditionRecord;
  ParameterTable<O> table;
  table.add(&O::kind, "kind", "Kind")
      .menu({{"displacement", "Displacement"},
             {"traction", "Traction"},
             {"force", "Force"},
             {"pressure", "Pressure"}})
      .help("What is given on the region. Faces without condition are free.");
  table.add(&O::displacement, "displacement", "Displacement")
      .unit("m")
      .soft(-0.1, 0.1)
      .enabledWhen("kind", {"displacement"})
      .help("How far the region is moved.");
  table.add(&O::axes, "axes", "Axes")
      .menu({{"xyz", "All"},
             {"x", "X"},
             {"y", "Y"},
             {"z", "Z"},
             {"xy", "X and Y"},
             {"yz", "Y and Z"},
             {"xz", "X and Z"}})
      .enabledWhen("kind", {"displacement"})
      .help("Components of the displacement that are given; along the others the region slides freely.");
  table.add(&O::traction, "traction", "Traction")
      .unit("Pa")
      .soft(-1e6, 1e6)
      .enabledWhen("kind", {"traction"})
      .help("Force per area.");
  table.add(&O::force, "force", "Force")
      .unit("N")
      .soft(-1e4, 1e4)
      .enabledWhen("kind", {"force"})
      .help("Total force, spread evenly over the region.");
  table.add(&O::pressure, "pressure", "Pressure")
      .unit("Pa")
      .soft(-1e6, 1e6)
      .enabledWhen("kind", {"pressure"})
      .help("Presses against the faces where positive.");
  table.include(&O::region, regionTable());
  return table;
}

}  // namespace hackle
