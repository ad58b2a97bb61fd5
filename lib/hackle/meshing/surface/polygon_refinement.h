// Triangles for a polygon with points inside.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// A constrained Delaunay triangulation of a simple polygon (counter-clockwise) and of points strictly inside
/// it. Indices count the polygon's corners first, then the points. Every edge of the polygon is an edge of
/// exactly one triangle, in its own direction, whatever rounding does. Points that rounding puts outside are
/// left out.
std::vector<Triangle> triangulateWithPoints(Span<const Vec2> polygon, Span<const Vec2> points);

}  // namespace hackle
