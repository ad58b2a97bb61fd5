#include <hackle/core/error.h>
#include <hackle/fracture/surface_conditions.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace hackle {

namespace {

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
    return trianglesIn(region, name, mesh.solid->geometry, mesh.solid->mesh, surface, mesh.source);
  } catch (const Error& e) {
    if (!mesh.coarse || e.code() != ErrorCode::BadInput) throw;
  }
  const TriangleMesh& artist = mesh.solid->mesh;
  // Faces of the solid itself, then those of the coarse mesh that are nearest to them.
  std::vector<int32_t> own(artist.triangles.size());
  std::iota(own.begin(), own.end(), 0);
  const std::vector<int32_t> faces =
      trianglesIn(region, name, mesh.solid->geometry, artist, BemSurface(artist), own);
  const TriangleBvh bvh(mesh.solved, context);
  std::vector<int32_t> list;
  for (const int32_t t : faces)
    list.push_back(bvh.closestPoint(middleOf(artist, static_cast<size_t>(t))).triangle);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  context.warn(fmt::format("{} is smaller than faces of the mesh to solve on: it acts on the nearest {}",
                           name, list.size()));
  return list;
}

}  // namespace

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

}  // namespace hackle
