// Level sets as OpenVDB grids. Only sources of volume/ include this header.
#pragma once

#include <hackle/core/context.h>
#include <hackle/volume/vdb_grid.h>

namespace hackle {

/// The float grid of a level set. Error(BadInput) for other grids and for a background that is inside.
const openvdb::FloatGrid& levelSetGrid(const VolumeGrid& grid);

/// Marks a grid as a level set, gives it a name, and wraps it.
VolumePtr wrappedLevelSet(openvdb::FloatGrid::Ptr grid, const std::string& name);

/// Whether any value is negative.
bool anyInside(const openvdb::FloatGrid& grid);

/// A side of the surface on which values are distances already.
enum class ExactSide { None, Outside, Inside };

/// Solves |grad f| = 1 again on the active voxels, except on the exact side, and switches those off that end
/// up outside of the band of the background's width.
openvdb::FloatGrid::Ptr renormalised(const openvdb::FloatGrid& grid, ExactSide exact, Context& context);

/// Runs OpenVDB code on the threads of the context and turns its exceptions into errors of ours.
void runVdb(Context& context, const std::function<void()>& work);

}  // namespace hackle
