// The surface of a level set as a mesh.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/volume/level_set.h>

namespace hackle {

/// The surface where the trilinear interpolation of a level set is `isovalue` (m), as a closed, outward
/// 2-manifold of quads and a few triangles about as large as voxels (see isosurface.h). Values above 0 need a
/// band that is at least as wide. Empty if nothing is inside. Error(BadInput) for other grids than level sets
/// of floats.
Geometry levelSetSurface(const VolumeGrid& grid, Context& context, double isovalue = 0.0);

/// A level set of the same solid with other voxels, by way of its surface.
VolumePtr resampledLevelSet(const VolumeGrid& grid, const LevelSetOptions& options, Context& context);

}  // namespace hackle
