// Simple shapes that stand for pieces in collisions.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/pieces.h>

namespace hackle {

/// The convex hull of each piece, with the piece's `name` on its triangles, its faces moved inwards by
/// `shrink` (m) so that neighbours do not overlap when a simulation starts. Pieces that are flat up to
/// rounding have none; a warning says how many.
Geometry convexProxies(const FracturePieces& pieces, double shrink, Context& context);

}  // namespace hackle
