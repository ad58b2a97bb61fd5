#include <hackle/meshing/repair/resurface.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/level_set_surface.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

Geometry resurface(const TriangleMesh& soup, double voxelSize, Context& context) {
  if (!(voxelSize > 0) || !std::isfinite(voxelSize))
    throw Error(ErrorCode::Usage, fmt::format("resurface: the voxel size {} is not positive", voxelSize));
  Box3 box;
  for (const Vec3& p : soup.points)
    if (p.allFinite()) box.add(p);
  if (box.empty() || soup.triangles.empty())
    throw Error(ErrorCode::BadInput, "resurface: there are no faces");

  // In voxels, with the middle of the box at the origin: OpenVDB takes no voxels below 1e-5 m, and single
  // precision is best there.
  const Vec3 middle = box.centre();
  std::vector<Vec3> points(soup.points.size());
  parallelFor(context, points.size(), 1 << 14,
              [&](size_t i) { points[i] = (soup.points[i] - middle) / voxelSize; });
  TriangleMesh scaled = soup;
  scaled.points = std::move(points);
  LevelSetOptions options;
  options.voxelSize = 1.0;
  const VolumePtr grid = signedDistance(scaled, options, context);
  Geometry surface = levelSetSurface(*grid, context);
  std::vector<Vec3>& positions = surface.editPositions();
  parallelFor(context, positions.size(), 1 << 14,
              [&](size_t i) { positions[i] = voxelSize * positions[i] + middle; });
  return surface;
}

}  // namespace hackle
