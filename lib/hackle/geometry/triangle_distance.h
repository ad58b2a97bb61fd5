// How far two triangles or segments are apart.
#pragma once

#include <hackle/geometry/vec.h>

#include <array>

namespace hackle {

using TriangleCorners = std::array<Vec3, 3>;

/// Squared distance of the segments a-b and c-d, degenerate or not.
double squaredSegmentDistance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Squared distance of two triangles, degenerate or not; 0 if they cross.
double squaredTriangleDistance(const TriangleCorners& a, const TriangleCorners& b);

/// A lower bound of the distance that costs little: how far one lies beyond the other's plane. 0 if the
/// planes do not separate them.
double planeSeparation(const TriangleCorners& a, const TriangleCorners& b);

}  // namespace hackle
