// How thick a solid is behind a place of its surface.
#pragma once

#include <hackle/geometry/bvh.h>

namespace hackle {

/// m, the median over seven rays into the solid, within 24 degrees of the normal: about the diameter of a
/// limb, the thickness of a wall. Where they differ much, as at the ridges of a fluted column, it is that of
/// what the ridge is on: the largest ball that one comes to from there in the solid. `size` (m) is about that
/// of the solid, `normal` the unit normal at the place, outwards. Infinite where nothing is behind.
double solidThickness(const TriangleBvh& surface, double size, const Vec3& place, const Vec3& normal);

}  // namespace hackle
