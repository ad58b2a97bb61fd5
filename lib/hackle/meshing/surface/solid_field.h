// A solid as a function of place, for whoever fills it or finds its surface.
#pragma once

#include <hackle/geometry/vec.h>

#include <functional>
#include <optional>

namespace hackle {

/// Negative inside. Called from several threads at once. It need not be a distance.
using ImplicitFunction = std::function<double(const Vec3&)>;

/// Where the segment from a point inside to one outside leaves the solid: a part of its length, 0 to 1.
using CrossingFunction = std::function<double(const Vec3& inside, const Vec3& outside)>;

/// What `stuffLattice` asks of a solid.
struct SolidField {
  ImplicitFunction value;  // negative inside; it need not be a distance and may jump
  Box3 bounds;             // m, must hold the whole solid
  /// A bound of |grad value|, if known (1 for distances). With it the space far from the surface is never
  /// asked, so time goes with the surface and not with the volume.
  std::optional<double> lipschitz;
  /// If it is known better than by asking for values along the segment; may be empty.
  CrossingFunction crossing;
};

}  // namespace hackle
