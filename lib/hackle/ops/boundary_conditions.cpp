#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/meshing/coarse_surface.h>
#include <hackle/meshing/self_intersections.h>
#include <hackle/meshing/solid_input.h>
#include <hackle/ops/boundary_conditions.h>

#include <fmt/format.h>

#include <algorithm>

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

SolveMesh makeSolveMesh(const Geometry& input, size_t triangles, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  SolveMesh m;
  m.solid = checkedSolid(input, context);
  m.mesh = triangleMesh(m.solid, context);
  checkAreas(m.mesh);
  const auto crossings = selfIntersections(m.mesh, context);
  if (!crossings.empty())
    throw Error(ErrorCode::BadInput,
                fmt::format("the surface crosses itself: {} pairs of faces, the first are {} and {}",
                            crossings.size(), m.mesh.primitives[static_cast<size_t>(crossings[0][0])],
                            m.mesh.primitives[static_cast<size_t>(crossings[0][1])]),
                "repair it with the operator repair and its parameter resurface");
  m.coarse = m.mesh.triangles.size() > triangles;
  m.solved = m.coarse ? triangleMesh(coarseSurface(m.mesh, triangles, context), context) : m.mesh;
  m.source.resize(m.solved.triangles.size());
  if (m.coarse) {
    const TriangleBvh bvh(m.mesh, context);
    parallelFor(context, m.source.size(), 64, [&](size_t t) {
      const Triangle& c = m.solved.triangles[t];
      const Vec3 middle =
          (m.solved.points[static_cast<size_t>(c[0])] + m.solved.points[static_cast<size_t>(c[1])] +
           m.solved.points[static_cast<size_t>(c[2])]) /
          3;
      m.source[t] = bvh.closestPoint(middle).triangle;
    });
  } else {
    for (size_t t = 0; t < m.source.size(); ++t) m.source[t] = static_cast<int32_t>(t);
  }
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

size_t SolveMesh::bytes() const { return bytesOf(solid) + bytesOf(mesh) + bytesOf(solved) + bytesOf(source); }

SolveMesh solveMesh(const Geometry& input, size_t triangles, Context& context) {
  MemoKey key("solve_mesh");
  addToKey(key, input);
  key.add(triangles);
  return *remembered<SolveMesh>(context, key, [&] {
    return std::make_shared<const SolveMesh>(makeSolveMesh(input, triangles, context));
  });
}

BoundaryData boundaryDataOn(const SolveMesh& mesh, const BemSurface& surface,
                            const std::vector<BoundaryCondition>& conditions) {
  std::vector<std::vector<int32_t>> regions;
  for (size_t i = 0; i < conditions.size(); ++i)
    regions.push_back(trianglesIn(conditions[i].region, conditionName(conditions[i], i), mesh.solid,
                                  mesh.mesh, surface, mesh.source));
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
