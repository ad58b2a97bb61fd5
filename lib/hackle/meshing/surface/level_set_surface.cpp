#include <hackle/meshing/surface/level_set_surface.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/isosurface.h>
#include <hackle/volume/level_set_sampler.h>

namespace hackle {

Geometry levelSetSurface(const VolumeGrid& grid, Context& context, double isovalue) {
  const LevelSetSampler sampler(grid);
  if (sampler.bounds().empty()) return Geometry();

  // In the coordinates of the grid, with the nodes of the extraction on the centres of voxels: bounds a
  // little less than a whole number of cells wide are rounded up to it.
  IsosurfaceOptions options;
  options.spacing = 1.0;
  options.bounds.min = sampler.bounds().min - Vec3::Constant(1.875);
  options.bounds.max = sampler.bounds().max + Vec3::Constant(1.875);
  options.mayCross = [&](const Box3& box) { return sampler.mayCross(box); };
  Geometry surface = isosurface([&](const Vec3& p) { return sampler(p) - isovalue; }, options, context);

  const GridTransform& transform = sampler.transform();
  std::vector<Vec3>& points = surface.editPositions();
  parallelFor(context, points.size(), 1 << 14,
              [&](size_t i) { points[i] = transform.linear * points[i] + transform.offset; });
  if (transform.linear.determinant() < 0) surface.flipWinding();
  return surface;
}

VolumePtr resampledLevelSet(const VolumeGrid& grid, const LevelSetOptions& options, Context& context) {
  return signedDistance(triangleMesh(levelSetSurface(grid, context), context), options, context);
}

}  // namespace hackle
