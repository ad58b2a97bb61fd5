#include <hackle/meshing/planar_faces.h>

#include <gtest/gtest.h>
#include <hackle/core/random.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hackle {
namespace {

double areaOf(const std::vector<int32_t>& face, const std::vector<Vec3>& positions) {
  const auto at = [&](size_t k) -> const Vec3& { return positions[static_cast<size_t>(face[k])]; };
  double sum = 0;
  for (size_t k = 1; k + 1 < face.size(); ++k) sum += 0.5 * (at(k) - at(0)).cross(at(k + 1) - at(0)).z();
  return sum;
}

/// A square of 10 with triangular holes on a jittered grid, some of them behind others.
TEST(PlanarFaces, ManyHolesLeaveEveryEdgeOnce) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, 1);
    std::vector<Vec3> positions{{0, 0, 0}, {10, 0, 0}, {10, 10, 0}, {0, 10, 0}};
    std::vector<std::vector<int32_t>> loops{{0, 1, 2, 3}};
    double area = 100;
    for (int i = 1; i < 5; ++i)
      for (int j = 1; j < 5; ++j) {
        if (random.uniform() < 0.3) continue;
        const Vec3 centre(2 * i + random.uniform(-0.4, 0.4), 2 * j + random.uniform(-0.4, 0.4), 0);
        const double turn = random.uniform(0, 6);
        std::vector<int32_t> hole;
        for (int k = 0; k < 3; ++k) {
          const double angle = turn - 2 * k * M_PI / 3;
          hole.push_back(static_cast<int32_t>(positions.size()));
          positions.push_back(centre + 0.55 * Vec3(std::cos(angle), std::sin(angle), 0));
        }
        area += areaOf(hole, positions);
        loops.push_back(hole);
      }
    const auto faces = facesFromLoops(loops, Vec3::UnitZ(), positions);
    // Inside edges are in two faces, once each way; those of loops in one.
    std::map<std::pair<int32_t, int32_t>, int> count;
    double sum = 0;
    for (const auto& face : faces) {
      sum += areaOf(face, positions);
      EXPECT_GT(areaOf(face, positions), 0);
      for (size_t k = 0; k < face.size(); ++k) ++count[{face[k], face[(k + 1) % face.size()]}];
    }
    EXPECT_NEAR(sum, area, 1e-9);
    for (const auto& [edge, times] : count) EXPECT_EQ(times, 1);
    for (const auto& loop : loops)
      for (size_t k = 0; k < loop.size(); ++k) EXPECT_EQ((count[{loop[k], loop[(k + 1) % loop.size()]}]), 1);
  }
}

}  // namespace
}  // namespace hackle
