#include <hackle/geometry/bvh.h>
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
