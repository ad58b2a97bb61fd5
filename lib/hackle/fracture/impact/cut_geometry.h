// Planes through tetrahedra: the corners that they separate, and the polygon that they cut out.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <array>
#include <cstdint>

namespace hackle {

/// Heights of a tetrahedron's corners above a crack, m; those of 0 count as above.
using CornerHeights = std::array<double, 4>;

/// Corners of the six edges of a tetrahedron.
constexpr int kTetEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// Edges of the face opposite to each corner, as bits of kTetEdges.
constexpr uint8_t kFaceEdges[4] = {56, 38, 21, 11};

/// Edges between corners of `near` (bits) whose heights differ in sign: bit e is kTetEdges[e].
uint8_t separatedEdges(const CornerHeights& heights, uint8_t near);

/// Where the heights are 0: three or four corners, around the polygon; none if all are on one side. Each is
/// named by its edge.
struct CutPolygon {
  int count = 0;
  std::array<Vec3, 4> corners;
  std::array<int, 4> edges{};
  double area() const;
};
CutPolygon cutPolygon(const std::array<Vec3, 4>& points, const CornerHeights& heights);

}  // namespace hackle
