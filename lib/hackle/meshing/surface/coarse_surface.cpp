#include <hackle/meshing/surface/coarse_surface.h>

#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/decimate.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <hackle/meshing/surface/self_intersections.h>

#include <cmath>

namespace hackle {

namespace {

// Triangles of the level set's surface over those asked for.
constexpr double kSurplus = 2.0;
// Triangles of a level set's surface are about half a voxel's square, a little less where it is oblique.
constexpr double kTrianglesPerVoxelArea = 2.6;
constexpr double kVolumeLoss = 0.1;

size_t shells(const TriangleMesh& mesh) {
  Geometry g;
  g.addPoints(mesh.points.size());
  std::vector<int32_t> corners;
  corners.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  g.addPrimitives(PrimitiveType::Polygon, mesh.triangles.size(), 3, corners);
  return findComponents(g).count;
}

}  // namespace

Geometry coarseSurface(const TriangleMesh& mesh, size_t triangles, Context& context) {
  const MassProperties mass = massProperties(mesh, context);
  DecimateOptions options;
  options.triangles = triangles;
  LevelSetOptions levelSet;
  levelSet.voxelSize =
      std::sqrt(kTrianglesPerVoxelArea * mass.area / (kSurplus * static_cast<double>(triangles)));
  const Geometry fine = levelSetSurface(*signedDistance(mesh, levelSet, context), context);
  if (!fine.empty()) {
    const DecimateResult coarse = decimate(triangleMesh(fine, context), options, context);
    const TriangleMesh result = triangleMesh(coarse.surface, context);
    const double volume = massProperties(result, context).volume;
    if (std::abs(volume - mass.volume) <= kVolumeLoss * mass.volume && shells(result) == shells(mesh) &&
        selfIntersections(result, context).empty())
      return coarse.surface;
  }
  context.warn(
      "the solid has parts too thin for a level set of so few triangles; its own faces are decimated "
      "instead");
  return decimate(mesh, options, context).surface;
}

}  // namespace hackle
