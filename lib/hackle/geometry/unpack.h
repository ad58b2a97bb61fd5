// Packed primitives that were taken apart: what was inside joins the rest of the geometry.
#pragma once

#include <hackle/geometry/geometry.h>

#include <vector>

namespace hackle {

/// What a packed primitive held, moved into place, and the point that held it.
struct UnpackedPart {
  int32_t point = 0;
  Geometry geometry;
};

/// The geometry without the points that only held packed primitives, then the parts. `geometry` has no packed
/// primitives any more, but still all of its points. A point's `name` becomes the `name` of the primitives of
/// its part. Its other attributes (v, active, Cd, density) go to the points of the part, unless these have
/// their own; what placed the piece (orient, pivot, scale) is dropped.
Geometry withUnpacked(const Geometry& geometry, std::vector<UnpackedPart> parts);

}  // namespace hackle
