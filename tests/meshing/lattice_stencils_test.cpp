#include "lattice_checks.h"

#include <gtest/gtest.h>
#include <hackle/meshing/lattice/lattice.h>
#include <hackle/meshing/lattice/lattice_stencils.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hackle {
namespace {

using detail::GridPlace;

// Two centres and the edge between their cubes; and the same turned so that the diagonals' ties differ.
constexpr GridPlace kTetrahedra[2][4] = {{{11, 11, 11}, {13, 11, 11}, {12, 12, 10}, {12, 12, 12}},
                                         {{11, 11, 11}, {13, 11, 11}, {12, 10, 10}, {12, 12, 10}}};

Vec3 toVec(const GridPlace& p) { return {double(p[0]), double(p[1]), double(p[2])}; }

/// Where a vertex may have been moved to: nowhere, or along one of its 14 edges as far as cuts can be.
std::vector<Vec3> moves() {
  std::vector<Vec3> list{Vec3::Zero()};
  for (int i = 0; i < 8; ++i)
    list.push_back(detail::kAlphaShort * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  for (int a = 0; a < 3; ++a)
    for (const double step : {-2.0, 2.0}) list.push_back(detail::kAlphaLong * step * Vec3::Unit(a));
  return list;
}

struct Range {
  double low = 180, high = 0;
};

void addAngles(const Vec3 (&p)[4], Range& range) {
  for (const double angle : test::dihedralAngles(p)) {
    range.low = std::min(range.low, angle);
    range.high = std::max(range.high, angle);
  }
}

/// All extreme places of the corners of a stencil's parts.
void tryPlaces(const GridPlace (&corners)[4], const std::array<int, 4>& signs,
               const detail::StencilParts& parts, Range& range) {
  const std::vector<Vec3> steps = moves();
  std::vector<int> moved;
  std::vector<std::pair<int, int>> cuts;
  for (int i = 0; i < 4; ++i) {
    if (signs[i] == 0) moved.push_back(i);
    for (int j = 0; j < 4; ++j)
      if (signs[i] < 0 && signs[j] > 0) cuts.emplace_back(i, j);
  }
  const auto combinations = static_cast<size_t>(std::pow(15.0, static_cast<double>(moved.size())) + 0.5);
  for (size_t m = 0; m < combinations; ++m) {
    Vec3 places[20];
    size_t rest = m;
    Vec3 taken[4] = {};
    for (int i = 0; i < 4; ++i) places[i] = toVec(corners[i]);
    for (const int i : moved) {
      taken[i] = steps[rest % 15];
      places[i] += taken[i];
      rest /= 15;
    }
    // Two vertices cannot both have moved along the edge between them: it had one cut.
    bool possible = true;
    for (const int i : moved)
      for (const int j : moved) {
        const Vec3 edge = (toVec(corners[j]) - toVec(corners[i])).normalized();
        if (i < j && taken[i].cross(edge).norm() + taken[j].cross(edge).norm() < 1e-9 &&
            taken[i].dot(edge) > 0 && taken[j].dot(edge) < 0)
          possible = false;
      }
    if (!possible) continue;
    for (size_t c = 0; c < size_t{1} << cuts.size(); ++c) {
      for (size_t k = 0; k < cuts.size(); ++k) {
        const auto [i, j] = cuts[k];
        const double limit = detail::cutLimit(corners[i], corners[j]);
        const double at = c >> k & 1 ? 1.0 - limit : limit;
        places[detail::cutCorner(i, j)] = toVec(corners[i]) + at * (toVec(corners[j]) - toVec(corners[i]));
      }
      for (int k = 0; k < parts.count; ++k) {
        Vec3 part[4];
        for (size_t i = 0; i < 4; ++i) part[i] = places[parts.corners[k][i]];
        addAngles(part, range);
      }
    }
  }
}

TEST(LatticeStencils, WorstAnglesOfAllCases) {
  Range range;
  for (const auto& corners : kTetrahedra)
    for (int code = 0; code < 81; ++code) {
      const std::array<int, 4> signs{code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1};
      for (const bool other : {false, true}) {
        const detail::StencilParts parts = detail::stencil(
            signs,
            [&](int a, int b, int c) { return detail::diagonalToFirst(corners[a], corners[b], corners[c]); },
            [&](int, int, int, int) { return other; });
        tryPlaces(corners, signs, parts, range);
      }
    }
  EXPECT_GT(range.low, kLatticeMinDihedral);
  EXPECT_LT(range.high, kLatticeMaxDihedral);
  // They are reached.
  EXPECT_LT(range.low, kLatticeMinDihedral + 0.1);
  EXPECT_GT(range.high, kLatticeMaxDihedral - 0.2);
}

TEST(LatticeStencils, PartsFillTheInsideOfALinearFunction) {
  // Volumes of the parts for cuts in the middle of edges, against the volume beyond the cuts.
  const auto& corners = kTetrahedra[0];
  for (int code = 0; code < 16; ++code) {
    std::array<int, 4> signs{};
    int inside = 0;
    for (int i = 0; i < 4; ++i) {
      signs[i] = code >> i & 1 ? -1 : 1;
      inside += code >> i & 1;
    }
    const detail::StencilParts parts = detail::stencil(
        signs,
        [&](int a, int b, int c) { return detail::diagonalToFirst(corners[a], corners[b], corners[c]); },
        [](int, int, int, int) { return true; });
    const auto place = [&](int corner) -> Vec3 {
      if (corner < 4) return toVec(corners[corner]);
      return 0.5 * (toVec(corners[(corner - 4) / 4]) + toVec(corners[(corner - 4) % 4]));
    };
    double volume = 0;
    for (int k = 0; k < parts.count; ++k) {
      const auto& c = parts.corners[k];
      volume += std::abs(
          (place(c[1]) - place(c[0])).dot((place(c[2]) - place(c[0])).cross(place(c[3]) - place(c[0]))));
    }
    const double whole = 4.0;  // six volumes of the tetrahedron
    const double expected[5] = {0, 1.0 / 8, 1.0 / 2, 7.0 / 8, 1};
    EXPECT_NEAR(volume, whole * expected[inside], 1e-12) << code;
  }
}

}  // namespace
}  // namespace hackle
