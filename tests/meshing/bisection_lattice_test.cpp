#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/lattice/bisection_lattice.h>

#include <algorithm>
#include <map>
#include <set>

namespace hackle {
namespace {

int64_t sixVolumes(const BisectionLattice& lattice, const BisectionLattice::Cell& cell) {
  int64_t e[3][3];
  for (size_t k = 0; k < 3; ++k)
    for (size_t c = 0; c < 3; ++c)
      e[k][c] = lattice.points()[cell.corners[k + 1]][c] - lattice.points()[cell.corners[0]][c];
  return std::abs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                  e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                  e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
}

TEST(BisectionLattice, LeavesFillTheCubesAndMeetInWholeFaces) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    BisectionLattice lattice(3);
    for (int z = -1; z < 1; ++z)
      for (int y = 0; y < 2; ++y)
        for (int x = -2; x < 1; ++x) lattice.addRoot({x, y, z});
    Random random(seed);
    std::vector<int32_t> parents;
    for (int i = 0; i < 300; ++i) {
      // Around one corner mostly, so that sizes differ a lot.
      int32_t cell = static_cast<int32_t>(random.uniform() * static_cast<double>(lattice.cells().size()));
      if (i % 3)
        for (size_t c = 0; c < lattice.cells().size(); ++c)
          if (lattice.cells()[c].child < 0 && lattice.cells()[c].corners[0] == 0)
            cell = static_cast<int32_t>(c);
      lattice.bisect(cell, parents);
    }
    int64_t volume = 0;
    std::map<std::array<int32_t, 3>, int> faces;
    for (const auto& cell : lattice.cells()) {
      if (cell.child >= 0) continue;
      volume += sixVolumes(lattice, cell);
      for (size_t k = 0; k < 4; ++k) {
        std::array<int32_t, 3> face;
        for (size_t m = 0; m < 3; ++m) face[m] = cell.corners[(k + 1 + m) % 4];
        std::sort(face.begin(), face.end());
        ++faces[face];
      }
    }
    EXPECT_EQ(volume, 6 * 12 * 512);
    for (const auto& [face, count] : faces) {
      EXPECT_LE(count, 2);
      if (count == 2) continue;
      // On the boundary.
      bool outer = false;
      for (size_t k = 0; k < 3; ++k) {
        const int32_t low = k == 0 ? -16 : k == 1 ? 0 : -8, high = k == 0 ? 8 : k == 1 ? 16 : 8;
        for (const int32_t at : {low, high}) {
          bool on = true;
          for (const int32_t p : face) on &= lattice.points()[p][k] == at;
          outer |= on;
        }
      }
      EXPECT_TRUE(outer);
    }
    for (const int32_t p : parents) EXPECT_GE(lattice.cells()[p].child, 0);
  }
}

TEST(BisectionLattice, EndsAtCubesOfOneUnit) {
  BisectionLattice lattice(2);
  lattice.addRoot({0, 0, 0});
  std::vector<int32_t> parents;
  for (size_t c = 0; c < lattice.cells().size(); ++c) lattice.bisect(static_cast<int32_t>(c), parents);
  size_t leaves = 0;
  std::set<int32_t> used;
  for (const auto& cell : lattice.cells())
    if (cell.child < 0) {
      ++leaves;
      used.insert(cell.corners.begin(), cell.corners.end());
      EXPECT_EQ(sixVolumes(lattice, cell), 1);
    }
  EXPECT_EQ(leaves, 6u * 64u);
  EXPECT_EQ(used.size(), 125u);
}

}  // namespace
}  // namespace hackle
