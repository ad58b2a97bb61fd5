// Lays a curved surface flat with as little stretch as it can, as texture coordinates want it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// A connected surface of triangles that use every point. Each has a shape of its own, so that what is laid
/// flat may be smoother than what is seen (a rough face, by the plane under it).
struct ChartSurface {
  size_t points = 0;
  std::vector<Triangle> triangles;          // consistently oriented
  std::vector<std::array<Vec2, 3>> shapes;  // corners of each triangle, m, counter-clockwise
};

/// The triangles placed one beside the other, outwards from one in the middle, each by its shape: exact where
/// the surface can be unrolled, and a start where it cannot.
std::vector<Vec2> unrolled(const ChartSurface& surface);

/// Moves a flat layout, which also gives the order of elimination, towards one in which all triangles keep
/// their shapes as well as they can: `rounds` steps of "as rigid as possible" [Liu08], then scaled to the
/// surface's area. Neither place nor direction of the result means anything.
void relaxChart(const ChartSurface& surface, int rounds, std::vector<Vec2>& layout, Context& context);

/// 1 for each triangle whose size in the layout is off by more than the factor `limit`, or that is turned
/// over.
std::vector<uint8_t> stretchedTriangles(const ChartSurface& surface, Span<const Vec2> layout, double limit);

/// Share of the area whose size in the layout is off by more than the factor `limit`, triangles that are
/// turned over included. 0 for a surface without area.
double stretchedShare(const ChartSurface& surface, Span<const Vec2> layout, double limit);

}  // namespace hackle
