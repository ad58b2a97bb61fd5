// Straight segments between two points.
#pragma once

#include <hackle/geometry/vec.h>

#include <algorithm>

namespace hackle {

/// In the plane (Vec2) or in space (Vec3); ends may be equal.
template <class Point>
double distanceToSegment(const Point& p, const Point& a, const Point& b) {
  const Point along = b - a;
  const double squared = along.squaredNorm();
  const double t = squared > 0 ? std::clamp((p - a).dot(along) / squared, 0.0, 1.0) : 0.0;
  return (p - a - t * along).norm();
}

}  // namespace hackle
