#include <hackle/core/parallel.h>
#include <hackle/fracture/solve_mesh.h>
#include <hackle/geometry/bodies.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/repair/checked_solid.h>
#include <hackle/meshing/surface/bisect_edges.h>
#include <hackle/meshing/surface/coarse_surface.h>
#include <hackle/meshing/surface/remesh.h>
#include <hackle/meshing/surface/self_intersections.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

/// Edges longer than this many mean ones are split.
constexpr double kLongEdge = 1.5;
/// Triangles of one of several bodies, at least, unless fewer are asked for in all.
constexpr size_t kLeastTriangles = 300;

/// Stress cannot be solved on triangles without area. `faceOf(triangle)` is the face to name.
template <class FaceOf>
void checkAreas(const TriangleMesh& mesh, const FaceOf& faceOf) {
  const int32_t flat = flatTriangle(mesh);
  if (flat < 0) return;
  throw Error(ErrorCode::BadInput,
              fmt::format("face {} has a triangle without area", faceOf(static_cast<size_t>(flat))),
              "repair it with the operator repair and its parameter resurface");
}

/// Whether two triangles of a mesh still meet when both are a little smaller and farther inside: neighbours
/// that only rounding lets cross do not, nor do bodies that touch.
bool crossDeeply(const TriangleMesh& mesh, const std::array<int32_t, 2>& pair, Context& context) {
  constexpr double kSmaller = 1e-5, kInwards = 1e-7, kSliver = 1e-7;
  TriangleMesh two;
  for (const int32_t t : pair) {
    if (isFlat(mesh, static_cast<size_t>(t), kSliver)) return false;
    const Triangle& corners = mesh.triangles[t];
    const auto at = [&](size_t k) -> const Vec3& { return mesh.points[corners[k]]; };
    const Vec3 middle = middleOf(mesh, static_cast<size_t>(t));
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0));
    const Vec3 inwards = -kInwards * std::sqrt(normal.norm()) * normal.normalized();
    const int32_t first = static_cast<int32_t>(two.points.size());
    for (const int32_t p : corners)
      two.points.edit().push_back((1 - kSmaller) * mesh.points[p] + kSmaller * middle + inwards);
    two.triangles.edit().push_back({first, first + 1, first + 2});
  }
  return !selfIntersections(two, context).empty();
}

/// Pairs of triangles that cross by more than rounding.
std::vector<std::array<int32_t, 2>> crossingsOf(const TriangleMesh& mesh, Context& context) {
  std::vector<std::array<int32_t, 2>> crossings = selfIntersections(mesh, context);
  const auto shallow = std::remove_if(crossings.begin(), crossings.end(),
                                      [&](const auto& pair) { return !crossDeeply(mesh, pair, context); });
  crossings.erase(shallow, crossings.end());
  return crossings;
}

void checkCrossings(const TriangleMesh& mesh, const std::string& name, Context& context) {
  const std::vector<std::array<int32_t, 2>> crossings = crossingsOf(mesh, context);
  if (!crossings.empty())
    throw Error(
        ErrorCode::BadInput,
        fmt::format("{} crosses itself: {} pairs of faces, the first are {} and {}", name, crossings.size(),
                    mesh.primitives[crossings[0][0]], mesh.primitives[crossings[0][1]]),
        "repair it with the operator repair and its parameter resurface");
}

double areaOf(const TriangleMesh& mesh) {
  double area = 0;
  for (const Triangle& c : mesh.triangles) {
    const Vec3& a = mesh.points[c[0]];
    area += 0.5 * (mesh.points[c[1]] - a).cross(mesh.points[c[2]] - a).norm();
  }
  return area;
}

/// For each triangle that is solved on, the nearest one of the solid.
std::vector<int32_t> nearestTriangles(const SolveMesh& m, Context& context) {
  std::vector<int32_t> source(m.solved.triangles.size());
  const TriangleBvh& bvh = m.solid->bvh;
  parallelFor(context, source.size(), 64,
              [&](size_t t) { source[t] = bvh.closestPoint(middleOf(m.solved, t)).triangle; });
  return source;
}

/// A given mesh that is somewhere else is a mistake.
void checkFit(const SolveMesh& m) {
  const Box3 solid = m.solid->geometry.bounds(), given = m.given->bounds();
  const double off = std::max((solid.min - given.min).norm(), (solid.max - given.max).norm());
  if (off > 0.1 * solid.diagonal())
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the mesh to solve on is not that of the solid: its bounds are {:.3g} m off", off),
        "give a coarse copy of the same surface, at the same place");
}

/// A solid without a mesh to solve on.
SolveMesh withoutMesh(const SolidPtr& solid, bool crossings, Context& context) {
  if (!crossings) checkCrossings(solid->mesh, "the surface", context);
  SolveMesh m;
  m.solid = solid;
  return m;
}

/// Whether much of a mesh is made of triangles that are too flat to solve on well.
bool hasSlivers(const TriangleMesh& mesh) {
  constexpr double kSliver = 0.35, kShare = 0.02;
  double area = 0, flat = 0;
  for (const Triangle& c : mesh.triangles) {
    const Vec3 &p = mesh.points[c[0]], &q = mesh.points[c[1]], &r = mesh.points[c[2]];
    const double own = (q - p).cross(r - p).norm();
    area += own;
    if (triangleQuality(p, q, r) < kSliver) flat += own;
  }
  return flat > kShare * area;
}

void makeCoarse(SolveMesh& m, size_t triangles, Context& context, const EdgeLimit& limit = {}) {
  m.coarse = true;
  SolveSurface surface =
      solveSurface(m.solid->mesh, m.solid->bvh, triangles, context, limit, std::move(m.decimated));
  m.solved = std::move(surface.mesh);
  m.decimated = std::move(surface.decimated);
  m.source = nearestTriangles(m, context);
}

/// Adds a mesh to solve on.
void makeSolved(SolveMesh& m, const SolveMeshOptions& options, Context& context) {
  const TriangleMesh& mesh = m.solid->mesh;
  const size_t count = mesh.triangles.size();
  // A surface may have triangles without area, as pieces of a fracture do; what is solved on may not.
  const bool crossed = options.crossings && !crossingsOf(mesh, context).empty();
  m.coarse = crossed || count > options.triangles || flatTriangle(mesh) >= 0;
  if (crossed) {
    const TriangleMesh round = triangleMesh(coarseSurface(mesh, 2 * options.triangles, context), context);
    m.solved = solveSurface(round, TriangleBvh(round, context), options.triangles, context).mesh;
    m.source = nearestTriangles(m, context);
  } else if (m.coarse) {
    makeCoarse(m, options.triangles, context);
  } else if (options.refine) {
    // Edges of as many equilateral triangles, and some more.
    BisectedMesh fine =
        bisectEdges(mesh, kLongEdge * evenEdge(mesh, options.triangles), options.triangles, context);
    m.solved = std::move(fine.mesh);
    m.source = std::move(fine.source);
    if (hasSlivers(m.solved)) makeCoarse(m, options.triangles, context);
  } else {
    m.solved = mesh;
    m.source.resize(count);
    std::iota(m.source.begin(), m.source.end(), 0);
  }
  checkAreas(m.solved, [&](size_t t) { return mesh.primitives[m.source[t]]; });
}

SolveMesh makeSolveMesh(const SolidPtr& solid, const SolveMeshOptions& options, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  SolveMesh m = withoutMesh(solid, options.crossings, context);
  makeSolved(m, options, context);
  return m;
}

SolveMesh makeSolveMesh(const SolidPtr& solid, const Geometry& mesh, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  SolveMesh m = withoutMesh(solid, false, context);
  m.given = checkedSolid(mesh, context);
  m.solved = triangleMesh(*m.given, context);
  checkAreas(m.solved, [&](size_t t) { return m.solved.primitives[t]; });
  checkCrossings(m.solved, "the mesh to solve on", context);
  m.coarse = true;
  m.source = nearestTriangles(m, context);
  checkFit(m);
  return m;
}

/// Polygons of each body of a triangulated geometry.
std::vector<std::vector<int32_t>> polygonsOfBodies(const TriangleMesh& mesh) {
  std::vector<std::vector<int32_t>> polygons;
  for (const std::vector<int32_t>& body : findBodies(mesh.points, mesh.triangles)) {
    polygons.emplace_back();
    for (const int32_t t : body) {
      const int32_t p = mesh.primitives[t];
      if (polygons.back().empty() || polygons.back().back() != p) polygons.back().push_back(p);
    }
  }
  return polygons;
}

/// The bodies of a solid, without meshes to solve on.
std::vector<SolveMesh> bodiesOf(const SolveMesh& whole, Context& context) {
  std::vector<SolveMesh> bodies;
  for (const SolidPtr& solid : bodySolids(whole.solid, context)) bodies.emplace_back().solid = solid;
  return bodies;
}

struct SolveMeshList {
  std::vector<SolveMesh> bodies;
  size_t bytes() const {
    size_t sum = 0;
    for (const SolveMesh& body : bodies) sum += body.bytes();
    return sum;
  }
};

SolveMeshList makeSolveMeshes(const SolidPtr& solid, const SolveMeshOptions& options, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  const SolveMesh whole = withoutMesh(solid, options.crossings, context);
  const double area = areaOf(solid->mesh);
  SolveMeshList list{bodiesOf(whole, context)};
  for (SolveMesh& body : list.bodies) {
    const double share = static_cast<double>(options.triangles) * areaOf(body.solid->mesh) / area;
    makeSolved(body,
               {std::max(std::min(kLeastTriangles, options.triangles), static_cast<size_t>(share)),
                options.refine, options.crossings},
               context);
  }
  return list;
}

SolveMeshList makeSolveMeshes(const SolidPtr& solid, const Geometry& mesh, Context& context) {
  const SolveMesh whole = makeSolveMesh(solid, mesh, context);
  SolveMeshList list{bodiesOf(whole, context)};
  const auto given = polygonsOfBodies(whole.solved);
  const auto refuse = [&] {
    throw Error(ErrorCode::BadInput,
                fmt::format("the mesh to solve on has {} bodies that do not fit to the solid's {}",
                            given.size(), list.bodies.size()),
                "give one coarse copy of each body");
  };
  if (given.size() != list.bodies.size()) refuse();
  for (const std::vector<int32_t>& polygons : given) {
    Geometry part = whole.given->extract(polygons);
    size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t b = 0; b < list.bodies.size(); ++b) {
      double sum = 0;
      for (size_t p = 0; p < part.pointCount(); ++p)
        sum += std::sqrt(list.bodies[b].solid->bvh.closestPoint(part.position(p)).squaredDistance);
      if (sum >= least) continue;
      least = sum;
      best = b;
    }
    SolveMesh& body = list.bodies[best];
    if (body.given) refuse();
    body.solved = triangleMesh(part, context);
    body.given = std::move(part);
    body.coarse = true;
    body.source = nearestTriangles(body, context);
  }
  return list;
}

void append(TriangleMesh& mesh, const TriangleMesh& other, size_t primitives) {
  const auto points = static_cast<int32_t>(mesh.points.size());
  mesh.points.edit().insert(mesh.points.edit().end(), other.points.begin(), other.points.end());
  for (const Triangle& t : other.triangles)
    mesh.triangles.edit().push_back({t[0] + points, t[1] + points, t[2] + points});
  for (const int32_t p : other.primitives)
    mesh.primitives.edit().push_back(p + static_cast<int32_t>(primitives));
}

}  // namespace

SolveMesh refinedMesh(const SolveMesh& mesh, size_t triangles, const EdgeLimit& limit, Context& context) {
  const Context::Stage stage(context, "mesh", 0.2);
  SolveMesh refined;
  refined.solid = mesh.solid;
  refined.decimated = mesh.decimated;
  makeCoarse(refined, triangles, context, limit);
  checkAreas(refined.solved, [&](size_t t) { return mesh.solid->mesh.primitives[refined.source[t]]; });
  return refined;
}

std::vector<SolidPtr> bodySolids(const SolidPtr& solid, Context& context) {
  const std::vector<std::vector<int32_t>> parts = polygonsOfBodies(solid->mesh);
  if (parts.size() == 1) return {solid};
  std::vector<SolidPtr> bodies;
  for (const std::vector<int32_t>& polygons : parts)
    bodies.push_back(Solid::ofChecked(solid->geometry.extract(polygons), context));
  return bodies;
}

double evenEdge(const TriangleMesh& mesh, size_t triangles) {
  return std::sqrt(areaOf(mesh) / static_cast<double>(triangles) * 4 / std::sqrt(3.0));
}

Vec3 middleOf(const TriangleMesh& mesh, size_t triangle) {
  const Triangle& c = mesh.triangles[triangle];
  return (mesh.points[c[0]] + mesh.points[c[1]] + mesh.points[c[2]]) / 3;
}

size_t SolveMesh::bytes() const {
  return solid->bytes() + bytesOf(solved) + bytesOf(source) + (given ? bytesOf(*given) : 0) +
         (decimated ? bytesOf(*decimated) : 0);
}

SolveMesh solveMesh(const SolidPtr& solid, const SolveMeshOptions& options, Context& context) {
  context.checkCancel();
  MemoKey key("solve_mesh");
  addToKey(key, solid->geometry);
  key.add(options.triangles).add(options.refine).add(options.crossings);
  return *remembered<SolveMesh>(context, key, [&] {
    return std::make_shared<const SolveMesh>(makeSolveMesh(solid, options, context));
  });
}

SolveMesh solveMesh(const SolidPtr& solid, const Geometry& mesh, Context& context) {
  MemoKey key("solve_mesh_given");
  addToKey(key, solid->geometry);
  addToKey(key, mesh);
  return *remembered<SolveMesh>(
      context, key, [&] { return std::make_shared<const SolveMesh>(makeSolveMesh(solid, mesh, context)); });
}

SolveMesh meshOn(const SolidPtr& solid, const TriangleMesh& solved, Context& context) {
  SolveMesh m;
  m.solid = solid;
  m.solved = solved;
  m.coarse = true;
  m.source = nearestTriangles(m, context);
  return m;
}

std::vector<SolveMesh> solveMeshes(const SolidPtr& solid, const SolveMeshOptions& options, Context& context) {
  context.checkCancel();
  if (findComponents(solid->geometry).count < 2) return {solveMesh(solid, options, context)};
  MemoKey key("solve_meshes");
  addToKey(key, solid->geometry);
  key.add(options.triangles).add(options.refine).add(options.crossings);
  return remembered<SolveMeshList>(
             context, key,
             [&] { return std::make_shared<const SolveMeshList>(makeSolveMeshes(solid, options, context)); })
      ->bodies;
}

std::vector<SolveMesh> solveMeshes(const SolidPtr& solid, const Geometry& mesh, Context& context) {
  if (findComponents(solid->geometry).count < 2) return {solveMesh(solid, mesh, context)};
  MemoKey key("solve_meshes_given");
  addToKey(key, solid->geometry);
  addToKey(key, mesh);
  return remembered<SolveMeshList>(
             context, key,
             [&] { return std::make_shared<const SolveMeshList>(makeSolveMeshes(solid, mesh, context)); })
      ->bodies;
}

SolveMesh joined(const std::vector<SolveMesh>& bodies, Context& context) {
  if (bodies.size() == 1) return bodies[0];
  SolveMesh all;
  std::vector<Geometry> solids, given;
  size_t triangles = 0, givenPolygons = 0;
  for (const SolveMesh& body : bodies) {
    for (const int32_t t : body.source) all.source.push_back(t + static_cast<int32_t>(triangles));
    triangles += body.solid->mesh.triangles.size();
    append(all.solved, body.solved, givenPolygons);
    all.coarse = all.coarse || body.coarse;
    solids.push_back(body.solid->geometry);
    if (body.given) {
      given.push_back(*body.given);
      givenPolygons += body.given->primitiveCount();
    }
  }
  all.solid = Solid::ofChecked(merged(solids), context);
  if (!given.empty()) all.given = merged(given);
  return all;
}

std::string bodyName(const Geometry& body, size_t index) {
  std::string name = fmt::format("body {}", index + 1);
  const Attribute* names = body.findAttribute(Owner::Primitive, "name");
  if (!names || !names->isString()) return name;
  for (size_t p = 0; p < body.primitiveCount(); ++p)
    if (names->string(p) != names->string(0)) return name;
  return fmt::format("{} ({})", name, names->string(0));
}

void inBody(const std::string& name, const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& e) {
    if (name.empty() || e.code() != ErrorCode::BadInput) throw;
    throw Error(e.code(), fmt::format("{}: {}", name, e.what()), e.remedy());
  }
}

}  // namespace hackle
