// A solid as a few convex parts, for collisions.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/meshing/surface/convex_hull.h>

#include <vector>

namespace hackle {

struct ConvexPartOptions {
  double tolerance = 0.03;  // (volume of the hulls - volume) / volume at which parts are good enough
  int maxParts = 16;
  int maxCorners = 64;  // of a hull; more are thinned out to those that reach farthest
};

struct ConvexParts {
  std::vector<ConvexHull> hulls;
  double excess = 0;  // volume of all hulls over that of the solid, minus 1
};

/// Hulls of parts into which the surface is split by planes through its deepest concavities, those with the
/// most volume to gain first. The triangles form a closed, oriented surface. Hulls lie within the hull of the
/// solid, cover it up to the corners that are thinned out, and may overlap where parts stay concave. Empty
/// for a surface that is flat up to rounding.
ConvexParts convexParts(Span<const Vec3> points, Span<const Triangle> triangles,
                        const ConvexPartOptions& options, Context& context);

/// The same of a solid that smaller convex parts cover, of which `corners` has the corners: neighbours are
/// put together to the fewest of 1, 2, 4, ... `maxParts` hulls that are good enough. `volume` (m^3) is that
/// of the solid. Far faster than a search for its concavities; hulls may reach a little farther.
ConvexParts joinedHulls(Span<const std::vector<Vec3>> corners, double volume,
                        const ConvexPartOptions& options);

/// m^3.
double hullVolume(const ConvexHull& hull);

/// At most `corners` of the hull's corners, those that reach farthest in evenly spread directions.
ConvexHull thinnedHull(const ConvexHull& hull, int corners);
/// The same of the hull of any points, which is not made for that.
std::vector<Vec3> farthestPoints(Span<const Vec3> points, int count);

}  // namespace hackle
