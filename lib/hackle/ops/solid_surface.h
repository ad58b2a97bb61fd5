// Solids as operators take them: polygons, level sets, or both.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/value.h>
#include <hackle/geometry/geometry.h>
#include <hackle/ops/parameter_table.h>

#include <string>

namespace hackle {

/// The polygons of a geometry and the surfaces of its level sets, as one surface. `input` names it in errors.
/// Error(BadInput) if there is neither.
Geometry solidSurface(const Geometry& geometry, const std::string& input, Context& context);

/// The voxel size in force: as given, or a hundredth of the diagonal of the bounding box if it is 0.
double chosenVoxelSize(double given, const Box3& bounds);

/// The surface of a level set without parts that are inside out and not in another: what is left of features
/// below a voxel. Warns of them.
Geometry withoutLostParts(Geometry surface, Context& context);

/// Adds volume, triangles, closed and manifold of a surface, under names that end in `suffix`.
void addSurfaceFigures(Value& result, const Geometry& surface, const std::string& suffix, Context& context);

/// Help, unit and range of a voxel size, which is the same everywhere.
void describeVoxelSize(ParameterRow row);

}  // namespace hackle
