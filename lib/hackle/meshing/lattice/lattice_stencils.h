// How a tetrahedron of the background is cut. Private to lattice.cpp.
#pragma once

#include <hackle/meshing/lattice/lattice_octree.h>

#include <array>

namespace hackle::detail {

// A cut nearer to a vertex than this part of its edge moves the vertex onto it; by the edge's length. Found
// by trying all cases of signs with all extreme cuts and moves: angles are then between 10.76 and 164.71
// degrees.
constexpr double kAlphaLong = 0.285;
constexpr double kAlphaShort = 0.3985;

/// Part of an edge that cuts keep from either end.
inline double cutLimit(const GridPlace& a, const GridPlace& b) {
  const bool bothOfOneKind = (a[0] & 1) == (b[0] & 1);  // two centres or two corners
  return bothOfOneKind ? kAlphaLong : kAlphaShort;
}

/// For a face with corners a and b inside and c outside: whether the diagonal of what is inside goes to the
/// cut on a-c, else to that on b-c. It goes to the cut on the longer edge. Between edges of the same length
/// the two faces of a tetrahedron that meet in edge a-b take different ends of it (the paper's parity rule).
inline bool diagonalToFirst(const GridPlace& a, const GridPlace& b, const GridPlace& c) {
  int64_t difference = 0;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t da = a[i] - c[i], db = b[i] - c[i];
    difference += da * da - db * db;
  }
  if (difference != 0) return difference > 0;
  const int parity = ((c[0] >> 1) + (c[1] >> 1) + (c[2] >> 1)) & 1;
  return (placeKey(a) < placeKey(b)) == (parity == 1);
}

/// Corners of the parts: 0 to 3 are the tetrahedron's own, 4 + 4 i + j is the cut between corners i and j,
/// i inside and j outside.
struct StencilParts {
  std::array<std::array<int, 4>, 3> corners;
  int count = 0;
};

inline int cutCorner(int inside, int outside) { return 4 + 4 * inside + outside; }

/// The part of a tetrahedron with the given signs (-1 inside, 0 on the surface, 1 outside) that is inside.
/// Each face with two corners a, b inside and one, c, outside is a quad with a diagonal that the tetrahedra
/// on both sides must agree on: `toCutOf(a, b, c)` says whether it goes to the cut on a-c, else to that on
/// b-c. The quad of the surface itself is in one tetrahedron only; `shorter(p, q, r, s)` says whether
/// diagonal p-q is to be preferred to r-s there, where both are possible. Parts have no particular
/// orientation.
template <class ToCutOf, class Shorter>
StencilParts stencil(const std::array<int, 4>& signs, const ToCutOf& toCutOf, const Shorter& shorter) {
  StencilParts parts;
  std::array<int, 4> in{}, out{};
  int ins = 0, outs = 0, on = -1;
  for (int i = 0; i < 4; ++i) {
    const int s = signs[i];
    if (s < 0)
      in[ins++] = i;
    else if (s > 0)
      out[outs++] = i;
    else
      on = i;
  }
  const auto add = [&](int a, int b, int c, int d) { parts.corners[parts.count++] = {a, b, c, d}; };
  // A prism between triangles a and b: lines a[i]-b[i] are passed in the order in which they are `first`.
  const auto addPrism = [&](const std::array<int, 3>& a, const std::array<int, 3>& b, bool first01,
                            bool first02, bool first12) {
    std::array<size_t, 3> order{};
    order[!first01 + !first02] = 0;
    order[first01 + !first12] = 1;
    order[first02 + first12] = 2;
    const auto [p, q, r] = order;
    add(a[p], a[q], a[r], b[p]);
    add(b[p], a[q], a[r], b[q]);
    add(b[p], b[q], a[r], b[r]);
  };

  if (ins == 0) return parts;
  if (outs == 0) {
    add(0, 1, 2, 3);
  } else if (ins == 1) {
    std::array<int, 4> corners{};
    for (int i = 0; i < 4; ++i) corners[i] = signs[i] > 0 ? cutCorner(in[0], i) : i;
    add(corners[0], corners[1], corners[2], corners[3]);
  } else if (ins == 3) {
    const int c = out[0];
    const std::array<int, 3> a{in[0], in[1], in[2]};
    const std::array<int, 3> b{cutCorner(in[0], c), cutCorner(in[1], c), cutCorner(in[2], c)};
    addPrism(a, b, toCutOf(a[0], a[1], c), toCutOf(a[0], a[2], c), toCutOf(a[1], a[2], c));
  } else if (outs == 1) {
    const int a = in[0], b = in[1], ac = cutCorner(a, out[0]), bc = cutCorner(b, out[0]);
    const bool toAc = toCutOf(a, b, out[0]);
    add(a, b, toAc ? ac : bc, on);
    add(toAc ? b : a, bc, ac, on);
  } else {
    const int a = in[0], b = in[1], c = out[0], d = out[1];
    const std::array<int, 3> from{a, cutCorner(a, c), cutCorner(a, d)};
    const std::array<int, 3> to{b, cutCorner(b, c), cutCorner(b, d)};
    const bool first01 = toCutOf(a, b, c), first02 = toCutOf(a, b, d);
    const bool first12 = first01 == first02 ? shorter(to[1], from[2], to[2], from[1]) : first02;
    addPrism(from, to, first01, first02, first12);
  }
  return parts;
}

}  // namespace hackle::detail
