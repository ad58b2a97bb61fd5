// Whether a solid is where and as large as numbers can tell its points apart.
#pragma once

#include <hackle/geometry/vec.h>

namespace hackle {

/// Error(BadInput), with the remedy, for a box so far from the origin that its coordinates are coarse against
/// its size, or so large or small that volumes leave the range of numbers. Empty boxes and those that are not
/// finite are somebody else's.
void checkPlace(const Box3& bounds);

}  // namespace hackle
