// Solids far from the origin: cracks grow and are cut in a frame of their own, near the solid.
#pragma once

#include <hackle/fracture/crack/crack_setup.h>
#include <hackle/fracture/engine.h>

namespace hackle {

/// m: the origin of the frame in which a solid with these bounds is worked on. Zero for solids within 64
/// times their own size, which keep their frame; else a place next to the solid, rounded to a power of two
/// of about its size, so that positions of the solid are moved there and back without rounding.
Vec3 localOrigin(const Box3& bounds);

/// What is given in the world in the frame with this origin.
SolidPtr movedTo(const Vec3& origin, const SolidPtr& solid, Context& context);
CrackEngineOptions movedTo(const Vec3& origin, CrackEngineOptions options, Context& context);
LoadCase movedTo(const Vec3& origin, LoadCase load);

/// What was made in that frame in the world.
void moveBack(const Vec3& origin, Geometry& geometry, Context& context);
void moveBack(const Vec3& origin, FracturePieces& pieces, Context& context);

}  // namespace hackle
