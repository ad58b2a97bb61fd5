// Names of volumes as Houdini keeps them: in the primitive attribute `name`, not in the grid.
#pragma once

#include <hackle/geometry/geometry.h>

namespace hackle {

/// Grids take the name that their primitive has, where it has one.
void takeGridNames(Geometry& geometry);

/// Primitives without a name take that of their grid.
void giveGridNames(Geometry& geometry);

}  // namespace hackle
