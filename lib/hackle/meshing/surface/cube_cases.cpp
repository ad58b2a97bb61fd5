#include <hackle/meshing/surface/cube_cases.h>

#include <hackle/core/error.h>

namespace hackle::detail {

namespace {

bool inside(int cubeCase, int corner) { return (cubeCase >> corner & 1) != 0; }
bool crossed(int cubeCase, int edge) {
  return inside(cubeCase, edgeStart(edge)) != inside(cubeCase, edgeEnd(edge));
}

CubeCase makeCase(int cubeCase) {
  // Walk from each crossed edge over the sides until the sheet is complete.
  CubeCase out;
  uint16_t seen = 0;
  for (int first = 0; first < 12; ++first) {
    if (!crossed(cubeCase, first) || (seen >> first & 1)) continue;
    uint16_t sheet = static_cast<uint16_t>(1 << first), todo = sheet;
    while (todo) {
      const int edge = __builtin_ctz(todo);
      todo = static_cast<uint16_t>(todo & (todo - 1));
      for (int side = 0; side < 6; ++side) {
        if (!(kSideEdges[side] >> edge & 1)) continue;
        const uint16_t next = static_cast<uint16_t>(1 << partnerEdge(cubeCase, side, edge));
        if (!(sheet & next)) todo = static_cast<uint16_t>(todo | next);
        sheet = static_cast<uint16_t>(sheet | next);
      }
    }
    seen = static_cast<uint16_t>(seen | sheet);
    out.sheetEdges[out.sheets++] = sheet;
  }
  return out;
}

}  // namespace

int partnerEdge(int cubeCase, int side, int edge) {
  int count = 0, other = -1, sameInsideCorner = -1;
  const int insideCorner = inside(cubeCase, edgeStart(edge)) ? edgeStart(edge) : edgeEnd(edge);
  for (int e = 0; e < 12; ++e) {
    if (!(kSideEdges[side] >> e & 1) || !crossed(cubeCase, e)) continue;
    ++count;
    if (e == edge) continue;
    other = e;
    if (edgeStart(e) == insideCorner || edgeEnd(e) == insideCorner) sameInsideCorner = e;
  }
  return count == 2 ? other : sameInsideCorner;
}

const std::array<CubeCase, 256>& cubeCases() {
  static const std::array<CubeCase, 256> kCases = [] {
    std::array<CubeCase, 256> cases;
    for (int c = 0; c < 256; ++c) cases[c] = makeCase(c);
    return cases;
  }();
  return kCases;
}

}  // namespace hackle::detail
