// A flat polygon in space in its own coordinates.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

struct FlatPolygon {
  Vec3 origin = Vec3::Zero(), u = Vec3::Zero(), v = Vec3::Zero(), normal = Vec3::Zero();
  std::vector<Vec2> corners;  // counter-clockwise
  Vec2 low, high;             // of their box

  /// Corners counter-clockwise around the normal, which is theirs: without area it is not finite or zero.
  explicit FlatPolygon(Span<const Vec3> corners);

  Vec3 place(const Vec2& p) const { return origin + p.x() * u + p.y() * v; }
  /// Distance to the rim; negative outside.
  double rimDistance(const Vec2& p) const;
};

}  // namespace hackle
