#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/surface/polygon_refinement.h>

#include <map>

namespace hackle {
namespace {

double area(const Vec2& a, const Vec2& b, const Vec2& c) {
  return 0.5 * ((b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x()));
}

struct Case {
  std::vector<Vec2> polygon, points;
  const Vec2& at(int32_t k) const {
    const size_t i = static_cast<size_t>(k);
    return i < polygon.size() ? polygon[i] : points[i - polygon.size()];
  }
};

/// Random points in the L-shaped polygon.
Case ell(int count) {
  Case c{{Vec2(0, 0), Vec2(3, 0), Vec2(3, 1), Vec2(1, 1), Vec2(1, 2), Vec2(0, 2)}, {}};
  Random random(4);
  while (c.points.size() < static_cast<size_t>(count)) {
    const Vec2 p(3 * random.uniform(), 2 * random.uniform());
    if (p.x() < 1 || p.y() < 1) c.points.push_back(p);
  }
  return c;
}

TEST(PolygonRefinement, FillsThePolygonOnce) {
  const Case c = ell(300);
  const std::vector<Triangle> triangles = triangulateWithPoints(c.polygon, c.points);
  EXPECT_EQ(triangles.size(), c.polygon.size() - 2 + 2 * c.points.size());
  double sum = 0;
  std::map<std::pair<int32_t, int32_t>, int> edges;
  for (const Triangle& t : triangles) {
    EXPECT_GT(area(c.at(t[0]), c.at(t[1]), c.at(t[2])), 0);
    sum += area(c.at(t[0]), c.at(t[1]), c.at(t[2]));
    for (size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  EXPECT_NEAR(sum, 4.0, 1e-12);
  const int32_t n = static_cast<int32_t>(c.polygon.size());
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    const bool rim = edge.first < n && edge.second == (edge.first + 1) % n;
    EXPECT_EQ(edges.count({edge.second, edge.first}), rim ? 0u : 1u);
  }
  for (int32_t k = 0; k < n; ++k) EXPECT_EQ(edges.count({k, (k + 1) % n}), 1u);
}

// No corner of a neighbour lies in a triangle's circle, but across the polygon's own edges.
TEST(PolygonRefinement, IsDelaunay) {
  const Case c = ell(200);
  const std::vector<Triangle> triangles = triangulateWithPoints(c.polygon, c.points);
  std::map<std::pair<int32_t, int32_t>, int32_t> opposite;
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) opposite[{t[k], t[(k + 1) % 3]}] = t[(k + 2) % 3];
  for (const auto& [edge, p] : opposite) {
    const auto other = opposite.find({edge.second, edge.first});
    if (other == opposite.end()) continue;
    const Vec2 d = c.at(other->second);
    Eigen::Matrix3d m;
    int row = 0;
    for (const int32_t k : {edge.first, edge.second, p}) {
      const Vec2 x = c.at(k) - d;
      m.row(row++) << x.x(), x.y(), x.squaredNorm();
    }
    EXPECT_LE(m.determinant(), 1e-12);
  }
}

TEST(PolygonRefinement, LeavesOutPointsOutside) {
  const std::vector<Vec2> square{Vec2(0, 0), Vec2(1, 0), Vec2(1, 1), Vec2(0, 1)};
  EXPECT_EQ(triangulateWithPoints(square, std::vector<Vec2>{Vec2(2, 2), Vec2(-1, 0.5)}).size(), 2u);
}

}  // namespace
}  // namespace hackle
