// Convex hulls of points.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

struct ConvexHull {
  std::vector<Vec3> points;         // corners of the hull
  std::vector<Triangle> triangles;  // counter-clockwise seen from outside

  bool empty() const { return triangles.empty(); }
};

/// Empty if the points lie in one plane up to rounding, or are fewer than four.
ConvexHull convexHull(Span<const Vec3> points);

/// Corners of `shrunkHull`; faster. Ones that rounding tells apart may be there twice.
std::vector<Vec3> shrunkCorners(const ConvexHull& hull, double distance);

/// The hull with every face moved inwards by `distance` (m), or by half of the way to the middle where that
/// is less, so that something always remains.
ConvexHull shrunkHull(const ConvexHull& hull, double distance);

}  // namespace hackle
