// The 256 ways in which a surface can pass through a grid cell.
#pragma once

#include <array>
#include <cstdint>

namespace hackle::detail {

// Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2 & 1). A case is the set of corners inside, as bits.
// Edge 4 a + s runs along axis a; bit 0 of s is its place on axis a + 1, bit 1 that on axis a + 2 (mod 3).
// Side 2 a + s is the one at s = 0 or 1 on axis a.

constexpr int edgeIndex(int axis, int place1, int place2) { return 4 * axis + place1 + 2 * place2; }
/// The corner where an edge starts.
constexpr int edgeStart(int edge) {
  return ((edge & 1) << ((edge / 4 + 1) % 3)) | ((edge >> 1 & 1) << ((edge / 4 + 2) % 3));
}
constexpr int edgeEnd(int edge) { return edgeStart(edge) | 1 << (edge / 4); }

struct CubeCase {
  int sheets = 0;
  std::array<uint16_t, 4> sheetEdges{};  // the crossed edges of each sheet, as bits
};

/// The sheets of every case. On a side with four crossed edges the two inside corners are cut off one by one.
const std::array<CubeCase, 256>& cubeCases();

/// The four edges of a side, as bits.
constexpr uint16_t sideEdges(int side) {
  int edges = 0;
  for (int e = 0; e < 12; ++e)
    if (e / 4 != side / 2 && (edgeStart(e) >> (side / 2) & 1) == side % 2) edges |= 1 << e;
  return static_cast<uint16_t>(edges);
}
constexpr std::array<uint16_t, 6> kSideEdges{sideEdges(0), sideEdges(1), sideEdges(2),
                                             sideEdges(3), sideEdges(4), sideEdges(5)};

/// The edge that a sheet's border on a side joins to a crossed edge of that side.
int partnerEdge(int cubeCase, int side, int edge);

}  // namespace hackle::detail
