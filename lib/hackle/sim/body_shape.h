// Collision shapes of bodies.
#pragma once

#include <hackle/core/context.h>
#include <hackle/coupling/body.h>
#include <hackle/geometry/geometry.h>
#include <hackle/rigid/world.h>

namespace hackle {

/// Convex parts of closed polygons, at most `maxParts`, with the margin that Bullet wants taken off inside.
/// Never empty for a geometry with points.
CollisionShapePtr hullShape(const Geometry& geometry, int maxParts, Context& context);

/// The same where corners of smaller convex parts are known (FractureResult::hulls); `volume` (m^3) is that
/// of the geometry.
CollisionShapePtr joinedShape(const Geometry& geometry, Span<const std::vector<Vec3>> hulls, double volume,
                              int maxParts, Context& context);

/// How many parts a fragment gets at most.
int hullsOf(FragmentClass kind);

/// The polygons themselves.
CollisionShapePtr surfaceShape(const Geometry& geometry, Context& context);

/// The half space below the plane y = height (m).
CollisionShapePtr groundShape(double height);

}  // namespace hackle
