// The VDB and volume primitives of a detail; apart from the rest because OpenVDB takes long to compile.
#pragma once

#include <hackle/geometry/volume_grid.h>

#include <GEO/GEO_Primitive.h>

namespace hackle::houdini {

/// The grid of a VDB primitive, sharing its voxels, or of a volume, converted; null if it has none.
VolumePtr volumeOf(const GEO_Primitive& primitive);
/// Gives a VDB primitive a grid that shares the voxels. Its point moves to the grid's origin.
void setVolume(GEO_Primitive& vdb, const VolumeGrid& grid);

}  // namespace hackle::houdini
