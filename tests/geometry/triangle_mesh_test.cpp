#include <hackle/geometry/triangle_mesh.h>

#include <hackle/core/random.h>

#include <gtest/gtest.h>
#include <processor_time.h>

#include <cmath>
#include <set>

namespace hackle {
namespace {

using Polygon = std::vector<Vec3>;
constexpr double kPi = 3.141592653589793;

Vec3 doubledArea(const Polygon& polygon) {
  Vec3 area = Vec3::Zero();
  for (size_t i = 0; i < polygon.size(); ++i)
    area += (polygon[i] - polygon[0]).cross(polygon[(i + 1) % polygon.size()] - polygon[0]);
  return area;
}

/// The laws of a triangulation: n - 2 triangles, none turned over, areas that add up without overlap (all
/// positive and the right sum), every corner used.
void expectTriangulation(const Polygon& polygon, double slack = 1e-9) {
  const std::vector<Triangle> triangles = triangulatePolygon(polygon);
  ASSERT_EQ(triangles.size(), polygon.size() - 2);
  const Vec3 whole = doubledArea(polygon);
  const Vec3 normal = whole.normalized();
  double sum = 0.0, absolute = 0.0;
  std::set<int32_t> used;
  for (const Triangle& t : triangles) {
    const Vec3& a = polygon[t[0]];
    const double area = (polygon[t[1]] - a).cross(polygon[t[2]] - a).dot(normal);
    EXPECT_GT(area, -slack * whole.norm()) << t[0] << " " << t[1] << " " << t[2];
    sum += area;
    absolute += std::abs(area);
    used.insert(t.begin(), t.end());
  }
  EXPECT_NEAR(sum, whole.norm(), slack * whole.norm());
  EXPECT_NEAR(absolute, whole.norm(), slack * whole.norm());
  EXPECT_EQ(used.size(), polygon.size());
}

/// Random radius at each angle: simple, with many reflex corners.
Polygon star(size_t corners, uint64_t seed) {
  Random random(seed);
  Polygon polygon;
  for (size_t i = 0; i < corners; ++i) {
    const double angle = 2 * kPi * static_cast<double>(i) / static_cast<double>(corners);
    const double radius = random.uniform(0.05, 1.0);
    polygon.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
  }
  return polygon;
}

/// A strip wound up: out along the outer side, back along the inner one.
Polygon spiral(size_t corners, double turns, double width) {
  Polygon polygon;
  const size_t half = corners / 2;
  const auto place = [&](size_t i, double offset) {
    const double s = static_cast<double>(i) / static_cast<double>(half - 1);
    const double angle = 2 * kPi * turns * s;
    polygon.emplace_back((0.1 + s + offset) * std::cos(angle), (0.1 + s + offset) * std::sin(angle), 0.0);
  };
  for (size_t i = 0; i < half; ++i) place(i, width);
  for (size_t i = half; i-- > 0;) place(i, 0.0);
  return polygon;
}

/// Long thin teeth along the diagonal direction.
Polygon comb(size_t teeth) {
  Polygon polygon;
  const Mat3 turn = Eigen::AngleAxisd(kPi / 4, Vec3::UnitZ()).toRotationMatrix();
  for (size_t i = 0; i < teeth; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(teeth);
    polygon.push_back(turn * Vec3(x, 0.01, 0));
    polygon.push_back(turn * Vec3(x + 0.5 / static_cast<double>(teeth), 1.0, 0));
  }
  polygon.push_back(turn * Vec3(1, 0.01, 0));
  polygon.push_back(turn * Vec3(1, 0, 0));
  polygon.push_back(turn * Vec3(0, 0, 0));
  std::reverse(polygon.begin(), polygon.end());
  return polygon;
}

Polygon moved(Polygon polygon, uint64_t seed) {
  Random random(seed);
  const Eigen::Quaterniond turn =
      Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
  const Vec3 offset(random.normal(), random.normal(), random.normal());
  for (Vec3& p : polygon) p = turn * p + offset;
  return polygon;
}

TEST(TriangulatePolygon, CutsRandomSimplePolygonsInAnyPlane) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    expectTriangulation(moved(star(4 + seed % 37, seed), seed));
  }
  expectTriangulation(moved(star(5000, 7), 7));
}

TEST(TriangulatePolygon, StartingCornerAndDirectionDoNotMatter) {
  Polygon polygon = spiral(60, 3, 0.1);
  for (size_t i = 0; i < polygon.size(); ++i) {
    expectTriangulation(polygon);
    std::rotate(polygon.begin(), polygon.begin() + 1, polygon.end());
  }
  std::reverse(polygon.begin(), polygon.end());
  expectTriangulation(polygon);
}

TEST(TriangulatePolygon, CutsConcaveQuadsInside) {
  Polygon arrow{{0, 0, 0}, {1, 1, 0}, {0, 0.2, 0}, {-1, 1, 0}};
  for (int i = 0; i < 4; ++i) {
    expectTriangulation(arrow);
    std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
  }
  // A corner in the middle of an edge: the diagonal must start there.
  Polygon flat{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}};
  for (int i = 0; i < 4; ++i) {
    for (const Triangle& t : triangulatePolygon(flat)) {
      const Vec3& a = flat[t[0]];
      EXPECT_NEAR((flat[t[1]] - a).cross(flat[t[2]] - a).z(), 1.0, 1e-12);
    }
    std::rotate(flat.begin(), flat.begin() + 1, flat.end());
  }
}

TEST(TriangulatePolygon, CornersOnStraightEdgesGiveNoSlivers) {
  Polygon polygon;
  for (int i = 0; i < 8; ++i) polygon.emplace_back(i, 0, 0);
  for (int i = 0; i < 8; ++i) polygon.emplace_back(8, i, 0);
  for (int i = 0; i < 8; ++i) polygon.emplace_back(8 - i, 8, 0);
  for (int i = 0; i < 8; ++i) polygon.emplace_back(0, 8 - i, 0);
  expectTriangulation(polygon);
  for (const Triangle& t : triangulatePolygon(polygon)) {
    const Vec3& a = polygon[t[0]];
    EXPECT_GT((polygon[t[1]] - a).cross(polygon[t[2]] - a).z(), 0.5);
  }
}

TEST(TriangulatePolygon, HolesJoinedByADoubleEdgeStayOpen) {
  // Square outline, square hole, joined from the outline's first corner to the hole's.
  const Polygon polygon{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                        {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
  expectTriangulation(polygon);
  for (uint64_t seed = 0; seed < 20; ++seed) expectTriangulation(moved(polygon, seed));
  EXPECT_NEAR(doubledArea(polygon).norm(), 2 * (16 - 4), 1e-12);
}

TEST(TriangulatePolygon, NonPlanarPolygonsFollowTheirBestFitPlane) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Polygon polygon = star(24, seed);
    for (size_t i = 0; i < polygon.size(); ++i) polygon[i].z() = 1e-3 * std::sin(static_cast<double>(i));
    expectTriangulation(moved(polygon, seed));
  }
}

TEST(TriangulatePolygon, DegenerateInputStillGivesTriangles) {
  const double nan = std::nan("");
  EXPECT_TRUE(triangulatePolygon(Polygon{}).empty());
  EXPECT_TRUE(triangulatePolygon(Polygon{{0, 0, 0}, {1, 0, 0}}).empty());
  for (const Polygon& polygon :
       {Polygon(7, Vec3(1, 2, 3)), Polygon{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1.5, 0, 0}},
        Polygon{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 3, 0}},
        Polygon{{0, 0, 0}, {nan, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 3, 0}},
        Polygon{{0, 0, 0}, {1e308, 0, 0}, {1e308, 1e308, 0}, {0, 1e308, 0}, {-1e308, 0, 0}},
        Polygon{{0, 0, 0}, {nan, 0, 0}, {1, 1, 1}, {0, 1, 0}}}) {
    const std::vector<Triangle> triangles = triangulatePolygon(polygon);
    EXPECT_EQ(triangles.size(), polygon.size() - 2);
    for (const Triangle& t : triangles)
      for (const int32_t c : t) EXPECT_TRUE(c >= 0 && static_cast<size_t>(c) < polygon.size());
  }
  // Repeated corners cost a triangle of no area each, nothing else.
  const Polygon repeated{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {0.5, 0.2, 0}, {0, 1, 0}};
  expectTriangulation(repeated);
}

TEST(TriangulatePolygon, HugePolygons) {
  expectTriangulation(star(100000, 1), 1e-7);
  expectTriangulation(spiral(100000, 30, 0.02), 1e-7);
  expectTriangulation(spiral(100000, 200, 0.002), 1e-7);
  expectTriangulation(comb(50000), 1e-7);
  Random random(3);
  Polygon tangle;
  for (int i = 0; i < 20000; ++i) tangle.emplace_back(random.uniform(), random.uniform(), 0);
  EXPECT_EQ(triangulatePolygon(tangle).size(), tangle.size() - 2);
}

TEST(TriangulatePolygon, WorkGrowsLittleFasterThanTheCorners) {
  const Polygon few = spiral(12500, 30, 0.02), many = spiral(100000, 30, 0.02);
  EXPECT_LT(test::timesTheWork([&] { triangulatePolygon(few); }, [&] { triangulatePolygon(many); }), 30);
}

TEST(TriangleMesh, KeepsOrderVerticesAndSkipsWhatIsNoFace) {
  Geometry geometry;
  for (int i = 0; i < 6; ++i) geometry.addPoint({std::cos(i * kPi / 3), std::sin(i * kPi / 3), 0});
  geometry.addPolygon({0, 1, 2});
  geometry.addPolygon({0, 1});
  const std::vector<int32_t> line{0, 3, 4};
  geometry.addPrimitive(PrimitiveType::Polyline, line);
  geometry.addPolygon({0, 2, 4, 5});
  geometry.addPolygon({0, 1, 2, 3, 4, 5});
  const TriangleMesh mesh = triangleMesh(geometry);
  ASSERT_EQ(mesh.triangles.size(), 7u);
  EXPECT_TRUE(mesh.points.sharesStorageWith(geometry.positions()));
  const std::vector<int32_t> expected{0, 3, 3, 4, 4, 4, 4};
  EXPECT_EQ(std::vector<int32_t>(mesh.primitives.begin(), mesh.primitives.end()), expected);
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t c = 0; c < 3; ++c) {
      const size_t vertex = static_cast<size_t>(mesh.vertices[t][c]);
      const size_t primitive = static_cast<size_t>(mesh.primitives[t]);
      EXPECT_EQ(geometry.vertexPoint(vertex), mesh.triangles[t][c]);
      EXPECT_TRUE(vertex >= geometry.firstVertex(primitive) && vertex < geometry.firstVertex(primitive + 1));
    }
}

TEST(TriangleMesh, IsEqualOnAnyNumberOfThreads) {
  Geometry geometry;
  Random random(5);
  std::vector<int32_t> counts, points;
  for (int i = 0; i < 1000; ++i) geometry.addPoint({random.uniform(), random.uniform(), random.uniform()});
  for (int i = 0; i < 50000; ++i) {
    counts.push_back(static_cast<int32_t>(random.below(9)));
    for (int32_t c = 0; c < counts.back(); ++c) points.push_back(static_cast<int32_t>(random.below(1000)));
  }
  geometry.addPrimitives(PrimitiveType::Polygon, counts, points);
  Context one, many;
  one.setThreads(1);
  many.setThreads(7);
  const TriangleMesh a = triangleMesh(geometry, one), b = triangleMesh(geometry, many);
  EXPECT_TRUE(std::equal(a.triangles.begin(), a.triangles.end(), b.triangles.begin(), b.triangles.end()));
  EXPECT_TRUE(std::equal(a.vertices.begin(), a.vertices.end(), b.vertices.begin(), b.vertices.end()));
  EXPECT_TRUE(std::equal(a.primitives.begin(), a.primitives.end(), b.primitives.begin(), b.primitives.end()));
}

}  // namespace
}  // namespace hackle
