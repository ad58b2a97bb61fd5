#include <hackle/fracture/impact/cut_geometry.h>

#include <algorithm>

namespace hackle {

uint8_t separatedEdges(const CornerHeights& heights, uint8_t near) {
  uint8_t edges = 0;
  for (size_t e = 0; e < 6; ++e) {
    const int a = kTetEdges[e][0], b = kTetEdges[e][1];
    if ((near >> a & 1) && (near >> b & 1) && (heights[a] < 0) != (heights[b] < 0))
      edges = static_cast<uint8_t>(edges | 1u << e);
  }
  return edges;
}

CutPolygon cutPolygon(const std::array<Vec3, 4>& points, const CornerHeights& heights) {
  std::array<int, 4> below{}, above{};
  int lows = 0, highs = 0;
  for (int k = 0; k < 4; ++k) (heights[k] < 0 ? below[lows++] : above[highs++]) = k;
  CutPolygon polygon;
  // Around the polygon: the first corner below with those above, the second with them in opposite order.
  for (int i = 0; i < lows; ++i)
    for (int j = 0; j < highs; ++j) {
      const int a = below[i], b = above[i % 2 ? highs - 1 - j : j];
      const double part = heights[a] / (heights[a] - heights[b]);
      polygon.corners[polygon.count] = (1 - part) * points[a] + part * points[b];
      for (int e = 0; e < 6; ++e)
        if (kTetEdges[e][0] == std::min(a, b) && kTetEdges[e][1] == std::max(a, b))
          polygon.edges[polygon.count] = e;
      ++polygon.count;
    }
  return polygon;
}

double CutPolygon::area() const {
  double sum = 0;
  if (count >= 3) sum += 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).norm();
  if (count == 4) sum += 0.5 * (corners[2] - corners[0]).cross(corners[3] - corners[0]).norm();
  return sum;
}

}  // namespace hackle
