// Solids as narrow-band level sets: signed distance of any triangles, booleans, offset.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/volume_grid.h>

#include <string>

namespace hackle {

struct TriangleMesh;

struct LevelSetOptions {
  double voxelSize = 0.01;  // m
  double halfWidth = 3.0;   // voxels from the surface to the rim of the band, at least 1
  double offset = 0.0;      // m by which the solid grows; shrinks if negative
  std::string name = "surface";
};

/// Signed distance (m, negative inside) of the solid that triangles enclose, as an OpenVDB level set of
/// floats whose voxels have their centres at whole multiples of the voxel size. Inside is where the
/// generalised winding number is more than 1/2 or less than -1/2, so that open, overlapping, crossing and
/// inside-out shells give a solid too.
///
/// Distances are exact to single precision for closed surfaces that do not overlap, and outside of those that
/// do. Inside of these, and everywhere if there are holes, they are a first-order solution of |grad f| = 1
/// from the values next to the solid's own surface, too large by up to a voxel off its edges and corners.
/// With an offset the distances are those of the shifted surface, exact on the side it moves to.
///
/// Triangles that enclose nothing give a grid without voxels. Error(Usage) for a voxel size that is not
/// positive or that would make more than 2^30 voxels; Error(BadInput) if there are no triangles.
VolumePtr signedDistance(const TriangleMesh& mesh, const LevelSetOptions& options, Context& context);

/// The same for faces as a sheet that is `thickness` (m) wide, such as a crack; whether they are closed does
/// not matter.
VolumePtr sheetDistance(const TriangleMesh& mesh, double thickness, const LevelSetOptions& options,
                        Context& context);

enum class SolidBoolean { Union, Intersection, Difference };

/// Of two level sets with the same voxels (see sameVoxels), named as the first. min and max of distances are
/// distances on one side of the surface only (outside for a union, else inside); on the other they are solved
/// again, to first order.
/// Error(BadInput) for other grids than level sets of floats or for different voxels.
VolumePtr combinedLevelSets(const VolumeGrid& a, const VolumeGrid& b, SolidBoolean operation,
                            Context& context);
bool sameVoxels(const VolumeGrid& a, const VolumeGrid& b);

/// Distances solved again from the zero level, which stays where it is to second order.
VolumePtr renormalisedLevelSet(const VolumeGrid& grid, Context& context);

/// Volume inside in m^3: that of the voxels inside, with a linear share of those that the surface cuts.
double levelSetVolume(const VolumeGrid& grid, Context& context);

}  // namespace hackle
