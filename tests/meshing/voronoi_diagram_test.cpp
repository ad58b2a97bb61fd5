#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/cut/voronoi_diagram.h>

#include <algorithm>
#include <map>

namespace hackle {
namespace {

struct Diagram {
  std::vector<Vec3> sites;
  Box3 box;
  std::vector<VoronoiCell> cells;
};

Diagram diagramOf(std::vector<Vec3> sites, int threads = 0) {
  Diagram d;
  d.sites = std::move(sites);
  d.box.min = Vec3::Constant(-1);
  d.box.max = Vec3::Constant(2);
  const ScorePredicates predicates({}, d.sites, d.box);
  Context context;
  context.setThreads(threads);
  d.cells = voronoiDiagram(predicates, d.sites, d.box, context);
  return d;
}

std::vector<Vec3> gridSites(int n) {
  std::vector<Vec3> sites;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) sites.push_back(Vec3(i, j, k) / n);
  return sites;
}

std::vector<Vec3> randomSites(int n, uint64_t seed) {
  Random random(seed);
  std::vector<Vec3> sites;
  for (int i = 0; i < n; ++i) sites.emplace_back(random.uniform(), random.uniform(), random.uniform());
  return sites;
}

double cellVolume(const Diagram& d, size_t cell) {
  // Fans of each face's polygon around the site.
  const ScorePredicates predicates({}, d.sites, d.box);
  const int32_t site = static_cast<int32_t>(cell);
  double volume = 0;
  for (const int32_t face : d.cells[cell].neighbours) {
    std::map<int32_t, std::pair<int32_t, Vec3>> next;  // edge -> (next edge, vertex between)
    for (const auto& v : d.cells[cell].vertices)
      for (size_t c = 0; c < 3; ++c)
        if (v[c] == face)
          next[v[(c + 1) % 3]] = {v[(c + 2) % 3], predicates.vertexPosition(site, v[0], v[1], v[2])};
    std::vector<Vec3> polygon;
    int32_t edge = next.begin()->first;
    do {
      polygon.push_back(next.at(edge).second - d.sites[cell]);
      edge = next.at(edge).first;
    } while (edge != next.begin()->first);
    EXPECT_EQ(polygon.size(), next.size());
    for (size_t k = 1; k + 1 < polygon.size(); ++k)
      volume += polygon[0].dot(polygon[k].cross(polygon[k + 1])) / 6;
  }
  return volume;
}

class DiagramTest : public testing::TestWithParam<int> {
 protected:
  std::vector<Vec3> sites() const {
    switch (GetParam()) {
      case 0:
        return gridSites(4);  // every vertex of eight cells
      case 1:
        return {Vec3(0.5, 0.5, 0.5)};  // one cell
      case 2:
        return {Vec3(0, 0, 0), Vec3(1, 1, 1)};  // one bisector
      case 3: {                                 // all in one plane
        std::vector<Vec3> flat;
        for (const Vec3& p : randomSites(50, 3)) flat.emplace_back(p.x(), p.y(), 0.5);
        return flat;
      }
      case 4: {  // on a sphere: one vertex of all cells, nearly
        std::vector<Vec3> round;
        for (const Vec3& p : randomSites(60, 4))
          round.push_back(Vec3::Constant(0.5) + 0.4 * (p - Vec3::Constant(0.5)).normalized());
        return round;
      }
      case 5: {  // a cluster far smaller than the rest
        std::vector<Vec3> mixed = randomSites(40, 5);
        for (const Vec3& p : randomSites(40, 6)) mixed.push_back(Vec3::Constant(0.3) + 1e-9 * p);
        return mixed;
      }
      default:
        return randomSites(300, static_cast<uint64_t>(GetParam()));
    }
  }
};

TEST_P(DiagramTest, CellsFillTheBoxAndAgree) {
  const Diagram d = diagramOf(sites());
  double volume = 0;
  for (size_t c = 0; c < d.cells.size(); ++c) {
    const double v = cellVolume(d, c);
    EXPECT_GT(v, -1e-12);
    volume += v;
    // Euler: a convex cell with three faces a vertex has 2 (faces - 2) vertices.
    EXPECT_EQ(d.cells[c].vertices.size(), 2 * (d.cells[c].neighbours.size() - 2));
    for (const int32_t n : d.cells[c].neighbours) {
      if (static_cast<size_t>(n) >= d.sites.size()) continue;
      const auto& back = d.cells[n].neighbours;
      EXPECT_TRUE(std::binary_search(back.begin(), back.end(), static_cast<int32_t>(c)));
    }
  }
  EXPECT_NEAR(volume, 27.0, 27.0 * 1e-10);
}

TEST_P(DiagramTest, VerticesAreNearestToTheirOwnSites) {
  const Diagram d = diagramOf(sites());
  const ScorePredicates predicates({}, d.sites, d.box);
  for (size_t c = 0; c < d.cells.size(); c += 7)
    for (const auto& v : d.cells[c].vertices) {
      const Vec3 p = predicates.vertexPosition(static_cast<int32_t>(c), v[0], v[1], v[2]);
      const double own = (p - d.sites[c]).norm();
      for (const Vec3& s : d.sites) EXPECT_GE((p - s).norm(), own - 1e-6);
    }
}

TEST_P(DiagramTest, ThreadsDoNotMatter) {
  const Diagram one = diagramOf(sites(), 1), three = diagramOf(sites(), 3);
  for (size_t c = 0; c < one.cells.size(); ++c) EXPECT_EQ(one.cells[c].vertices, three.cells[c].vertices);
}

INSTANTIATE_TEST_SUITE_P(Sites, DiagramTest, testing::Range(0, 8));

}  // namespace
}  // namespace hackle
