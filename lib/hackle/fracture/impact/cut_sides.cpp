#include <hackle/fracture/impact/cut_sides.h>

#include <algorithm>

namespace hackle {

namespace {

constexpr int32_t kSeveral = -2;  // cracks cut this edge

}  // namespace

void CutSides::add(int32_t cut) {
  int32_t& first = mFirst[mCuts[cut].tetrahedron];
  mNext.push_back(first);
  first = cut;
  const Tetrahedron& corners = mBody.tetrahedra()[mCuts[cut].tetrahedron];
  for (size_t e = 0; e < 6; ++e) {
    if (!(mCuts[cut].edges >> e & 1)) continue;
    const int32_t a = corners[kTetEdges[e][0]], b = corners[kTetEdges[e][1]];
    const bool shared = cutByAnother(a, b, mCuts[cut].crack);
    mEdges.set(std::min(a, b), std::max(a, b), shared ? kSeveral : mCuts[cut].crack);
  }
}

int CutSides::count(int32_t tetrahedron) const {
  int count = 0;
  for (int32_t c = mFirst[tetrahedron]; c >= 0; c = mNext[c]) ++count;
  return count;
}

CutSides::Weights CutSides::weightsIn(int32_t tetrahedron, const Vec3& place) const {
  const TetShape& shape = mBody.tetShape(static_cast<size_t>(tetrahedron));
  Vec3 centre = Vec3::Zero();
  for (const int32_t p : mBody.tetrahedra()[tetrahedron]) centre += 0.25 * mBody.points()[p];
  Weights weights;
  for (size_t k = 0; k < 4; ++k) weights[k] = 0.25 + shape.gradients[k].dot(place - centre);
  return weights;
}

bool CutSides::cutByAnother(int32_t a, int32_t b, int32_t crack) const {
  const int32_t* by = mEdges.find(std::min(a, b), std::max(a, b));
  return by && *by != crack;
}

uint8_t CutSides::cornersReachedFrom(int32_t tetrahedron, int32_t from) const {
  const CrackCut& cut = mCuts[from];
  const Tetrahedron &old = mBody.tetrahedra()[cut.tetrahedron], &corners = mBody.tetrahedra()[tetrahedron];
  const auto bitOf = [&](int32_t point) -> unsigned {
    for (unsigned k = 0; k < 4; ++k)
      if (corners[k] == point) return 1u << k;
    return 0;
  };
  unsigned reached = 0;
  for (size_t e = 0; e < 6; ++e) {
    const unsigned a = bitOf(old[kTetEdges[e][0]]), b = bitOf(old[kTetEdges[e][1]]);
    if ((cut.edges >> e & 1) && a && b) reached |= a | b;
  }
  for (int round = 0; round < 2; ++round)  // two corners at most are missing
    for (const auto& e : kTetEdges) {
      const unsigned ends = 1u << e[0] | 1u << e[1];
      if ((reached & ends) && !cutByAnother(corners[e[0]], corners[e[1]], cut.crack)) reached |= ends;
    }
  return static_cast<uint8_t>(reached);
}

uint8_t CutSides::nearCorners(int32_t tetrahedron, const Weights& place,
                              const std::optional<std::pair<int32_t, int>>& side) const {
  uint8_t near = 15;
  for (int32_t c = mFirst[tetrahedron]; c >= 0; c = mNext[c]) {
    const CornerHeights& heights = mCuts[c].heights;
    double here = 0;
    for (size_t k = 0; k < 4; ++k) here += place[k] * heights[k];
    const bool below = side && side->first == c ? side->second < 0 : here < 0;
    for (size_t k = 0; k < 4; ++k)
      if ((heights[k] < 0) != below) near = static_cast<uint8_t>(near & ~(1u << k));
  }
  return near;
}

}  // namespace hackle
