#include <hackle/meshing/cut/planar_faces.h>

#include <gtest/gtest.h>
#include <hackle/core/random.h>

#include <Eigen/Geometry>

#include <cmath>
#include <map>

namespace hackle {
namespace {

struct Region {
  std::vector<Vec3> positions;
  std::vector<std::vector<int32_t>> loops;
  Vec3 normal;

  double areaOf(const std::vector<int32_t>& face) const {
    const auto at = [&](size_t k) -> const Vec3& { return positions[face[k]]; };
    double sum = 0;
    for (size_t k = 1; k + 1 < face.size(); ++k)
      sum += 0.5 * (at(k) - at(0)).cross(at(k + 1) - at(0)).dot(normal);
    return sum;
  }
  /// Corners in a row, and more along the edges, in line up to rounding.
  void addLoop(const std::vector<Vec3>& corners, int pieces) {
    std::vector<int32_t>& loop = loops.emplace_back();
    for (size_t k = 0; k < corners.size(); ++k)
      for (int i = 0; i < pieces; ++i) {
        loop.push_back(static_cast<int32_t>(positions.size()));
        positions.push_back(corners[k] + (corners[(k + 1) % corners.size()] - corners[k]) * i / pieces);
      }
  }
};

/// A tilted square of 10 with triangular holes on a jittered grid, some of them behind others.
Region holes(uint64_t seed, int pieces) {
  Random random(seed, 1);
  const Eigen::AngleAxisd turned(random.uniform(0, 3), Vec3(1, random.uniform(-1, 1), 0.3).normalized());
  Region region;
  region.normal = turned * Vec3(Vec3::UnitZ());
  const auto placed = [&](double x, double y) { return Vec3(turned * Vec3(x, y, 0.7)); };
  region.addLoop({placed(0, 0), placed(10, 0), placed(10, 10), placed(0, 10)}, pieces);
  for (int i = 1; i < 5; ++i)
    for (int j = 1; j < 5; ++j) {
      if (random.uniform() < 0.3) continue;
      const double x = 2 * i + random.uniform(-0.4, 0.4), y = 2 * j + random.uniform(-0.4, 0.4),
                   turn = random.uniform(0, 6);
      std::vector<Vec3> corners;
      for (int k = 0; k < 3; ++k)
        corners.push_back(placed(x + 0.55 * std::cos(turn - 2 * k * M_PI / 3),
                                 y + 0.55 * std::sin(turn - 2 * k * M_PI / 3)));
      region.addLoop(corners, pieces);
    }
  return region;
}

void expectEveryEdgeOnce(const Region& region) {
  double area = 0, sum = 0;
  for (const auto& loop : region.loops) area += region.areaOf(loop);
  // Every edge is there once in its direction: in one face where it is of a loop, else in two.
  std::map<std::pair<int32_t, int32_t>, int> count;
  for (const auto& face : facesFromLoops(region.loops, region.normal, region.positions)) {
    sum += region.areaOf(face);
    EXPECT_GT(region.areaOf(face), -1e-12);
    for (size_t k = 0; k < face.size(); ++k) ++count[{face[k], face[(k + 1) % face.size()]}];
  }
  EXPECT_NEAR(sum, area, 1e-9);
  for (const auto& [edge, times] : count) EXPECT_EQ(times, 1);
  for (const auto& loop : region.loops)
    for (size_t k = 0; k < loop.size(); ++k) {
      const int32_t a = loop[k], b = loop[(k + 1) % loop.size()];
      EXPECT_EQ(count.count({a, b}), 1u);
      EXPECT_EQ(count.count({b, a}), 0u);
    }
}

TEST(PlanarFaces, ManyHolesLeaveEveryEdgeOnce) {
  for (uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    expectEveryEdgeOnce(holes(seed, 1 + static_cast<int>(seed % 5)));
  }
}

/// Part of a face of a compressed cube: the nearest corner that the hole could be joined to is in line with
/// an edge of the hole, up to rounding.
TEST(PlanarFaces, CornersInLineLeaveEveryEdgeOnce) {
  const std::vector<std::vector<Vec2>> corners{{{0, 0},
                                                {-0.33333333333299997, -0.33333333333299997},
                                                {-0.27696241989972581, -0.35149757285583727},
                                                {-0.27682873693290133, -0.3512657035999015},
                                                {-0.27667520001052759, -0.35095489999999996},
                                                {-0.27662437968575881, -0.35084845364724115},
                                                {-0.27651793333299979, -0.34786960326680638},
                                                {-0.27651088330219775, -0.34771229999999997},
                                                {-0.2765179333329999, -0.34769964233255801},
                                                {-0.27736199652841009, -0.34579896319541004},
                                                {-0.27755124828356148, -0.34495490000000006},
                                                {-0.27752852461820199, -0.34394430871479797},
                                                {-0.27651793333300001, -0.34260346506544748},
                                                {-0.27471467165648089, -0.343151638323481},
                                                {-0.27376053333299999, -0.34349503734549336},
                                                {-0.27051793333299989, -0.34463838845302219},
                                                {-0.26966735038871381, -0.34495489999999995},
                                                {-0.26727533333300002, -0.34581991436505516},
                                                {-0.26587849310798295, -0.34631545977498296},
                                                {-0.264517933333, -0.34684336872384103},
                                                {-0.262423014204622, -0.34771230000000009},
                                                {-0.26176053333299987, -0.34798184033098012},
                                                {-0.26148840496405334, -0.34798442836894661},
                                                {-0.26160620581695759, -0.34771230000000009},
                                                {-0.26127533333300001, -0.34706570909358925},
                                                {-0.26056133095475997, -0.34495490000000001},
                                                {-0.25995165424093536, -0.3435211790920647},
                                                {-0.25862133402279719, -0.34219749999999999},
                                                {-0.25851793333299999, -0.34213517382379521},
                                                {-0.25844829588052265, -0.34219749999999999},
                                                {-0.25658194759220221, -0.34495489999999995},
                                                {-0.25669846250913919, -0.34677437082386076},
                                                {-0.25717556963815014, -0.34771230000000003},
                                                {-0.25736208078821265, -0.34819749999999999},
                                                {-0.25769094404507575, -0.35012791071207572},
                                                {-0.25644921644331786, -0.35095489999999996},
                                                {-0.25576053333299997, -0.35141356223332787},
                                                {-0.25551793333299999, -0.35177374259175337},
                                                {-0.25527533333300001, -0.35193531393877536},
                                                {-0.25415994505901518, -0.35259691172601515},
                                                {-0.25251793333299999, -0.35256967559666486},
                                                {-0.25041771963024451, -0.35371230000000004},
                                                {-0.249760533333, -0.35415795363136815},
                                                {-0.24965313240352552, -0.35409009907052558},
                                                {-0.24970221599922029, -0.3541975},
                                                {-0.24976053333299994, -0.3543251054812967},
                                                {-0.25096238299620133, -0.35695490000000002},
                                                {-0.2511557597318147, -0.35831707360118537},
                                                {-0.25085374800815718, -0.35971230000000004},
                                                {-0.2509101934651673, -0.35989230787500026},
                                                {-0.023195565065000007, -0.43326814660449997}},
                                               {{-0.24768633289496186, -0.34978650043803805},
                                                {-0.24822030640887768, -0.35095489999999996},
                                                {-0.24927533333300003, -0.35326342835183278},
                                                {-0.24976053333299994, -0.35227429575106817},
                                                {-0.25022612886422957, -0.35095489999999996},
                                                {-0.25082392109419371, -0.34926088776119368},
                                                {-0.25021525934359812, -0.34771229999999997},
                                                {-0.25012682255540253, -0.34734601077759747},
                                                {-0.249760533333, -0.34741225239664686},
                                                {-0.24905525238967904, -0.34749221905667904},
                                                {-0.2490086263709356, -0.34771230000000009}}};
  Region region;
  region.normal = Vec3::UnitZ();
  for (const auto& loop : corners) {
    std::vector<Vec3> placed;
    for (const Vec2& p : loop) placed.emplace_back(-p.y(), p.x(), 0);
    region.addLoop(placed, 1);
  }
  expectEveryEdgeOnce(region);
}

}  // namespace
}  // namespace hackle
