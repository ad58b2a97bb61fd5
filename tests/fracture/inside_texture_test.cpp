// Texture charts on faces between pieces: what can be unrolled keeps its lengths, the rest nearly its areas.
#include "engine_checks.h"

#include <gtest/gtest.h>
#include <hackle/fracture/inside_charts.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>

#include <map>
#include <set>

namespace hackle {
namespace {

using engine_checks::Prepared;

/// Adds quads between places of a grid, one contact.
InsideFaces grid(int columns, int rows, const std::function<Vec3(int, int)>& place) {
  InsideFaces faces;
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= columns; ++i) faces.points.push_back(place(i, j));
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const int a = j * (columns + 1) + i;
      for (const int c : {a, a + 1, a + columns + 2, a + columns + 1}) faces.corners.push_back(c);
      faces.starts.push_back(static_cast<int32_t>(faces.corners.size()));
      const Vec3 d =
          faces.points[static_cast<size_t>(a + columns + 2)] - faces.points[static_cast<size_t>(a)];
      const Vec3 e =
          faces.points[static_cast<size_t>(a + columns + 1)] - faces.points[static_cast<size_t>(a + 1)];
      faces.normals.push_back(d.cross(e).normalized());
      faces.contact.push_back(0);
    }
  return faces;
}

double flatArea(const InsideFaces& faces, const InsideCharts& charts, size_t face) {
  double twice = 0;
  for (int32_t c = faces.starts[face]; c < faces.starts[face + 1]; ++c) {
    const Vec2& a = charts.uv[static_cast<size_t>(c)];
    const Vec2& b =
        charts.uv[static_cast<size_t>(c + 1 < faces.starts[face + 1] ? c + 1 : faces.starts[face])];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return 0.5 * std::abs(twice);
}

double solidArea(const InsideFaces& faces, size_t face) {
  Vec3 sum = Vec3::Zero();
  const auto at = [&](int32_t c) {
    return faces.points[static_cast<size_t>(faces.corners[static_cast<size_t>(c)])];
  };
  for (int32_t c = faces.starts[face] + 1; c + 1 < faces.starts[face + 1]; ++c)
    sum += 0.5 * (at(c) - at(faces.starts[face])).cross(at(c + 1) - at(faces.starts[face]));
  return sum.norm();
}

size_t countOf(const InsideCharts& charts) {
  return std::set<int32_t>(charts.chart.begin(), charts.chart.end()).size();
}

TEST(InsideCharts, WhatCanBeUnrolledKeepsItsLengths) {
  // Three quarters of a tube, which no projection shows.
  const double step = 1.5 * shapes::kPi / 40;
  const InsideFaces faces =
      grid(40, 10, [&](int i, int j) { return Vec3(std::cos(i * step), std::sin(i * step), 0.2 * j); });
  Context context;
  const InsideCharts charts = insideCharts(faces, 30, context);
  EXPECT_EQ(countOf(charts), 1u);
  for (size_t f = 0; f < faces.count(); ++f)
    for (int32_t k = 0; k < 4; ++k) {
      const size_t a = static_cast<size_t>(faces.starts[f] + k),
                   b = static_cast<size_t>(faces.starts[f] + (k + 1) % 4);
      const double length = (faces.points[static_cast<size_t>(faces.corners[a])] -
                             faces.points[static_cast<size_t>(faces.corners[b])])
                                .norm();
      EXPECT_NEAR((charts.uv[a] - charts.uv[b]).norm(), length, 1e-6);
    }
}

TEST(InsideCharts, ASphereIsDividedIntoFewChartsThatHardlyStretch) {
  const int columns = 48, rows = 24;
  InsideFaces faces = grid(columns, rows, [&](int i, int j) {
    const double a = 2 * shapes::kPi * (i % columns) / columns, b = shapes::kPi * (j + 0.05) / (rows + 0.1);
    return Vec3(std::cos(a) * std::sin(b), std::sin(a) * std::sin(b), std::cos(b));
  });
  // The last column is the first one.
  for (int32_t& c : faces.corners)
    if (c % (columns + 1) == columns) c -= columns;
  Context context;
  const InsideCharts charts = insideCharts(faces, 30, context);
  EXPECT_GT(countOf(charts), 1u);
  EXPECT_LT(countOf(charts), 9u);
  double all = 0, stretched = 0;
  for (size_t f = 0; f < faces.count(); ++f) {
    const double area = solidArea(faces, f), ratio = flatArea(faces, charts, f) / area;
    all += area;
    if (ratio > 1.5 || ratio < 1 / 1.5) stretched += area;
  }
  EXPECT_LT(stretched, 0.01 * all);
}

TEST(InsideCharts, ARoughFaceIsOneChartButForItsBumps) {
  // Waves with slopes of up to 60 degrees on a quarter of the face, 20 at most elsewhere.
  const int size = 96;
  const auto height = [&](int i, int j) {
    const double x = 2 * shapes::kPi * i / 12, y = 2 * shapes::kPi * j / 12;
    const bool steep = (i / 12 + j / 12) % 4 == 0;
    return (steep ? 3.3 : 0.7) * std::sin(x) * std::sin(y);
  };
  const InsideFaces faces =
      grid(size, size, [&](int i, int j) { return Vec3(0.1 * i, 0.1 * j, 0.1 * height(i, j)); });
  Context context;
  const InsideCharts charts = insideCharts(faces, 30, context);
  std::map<int32_t, double> areas;
  double all = 0, stretched = 0;
  for (size_t f = 0; f < faces.count(); ++f) {
    const double area = solidArea(faces, f), ratio = flatArea(faces, charts, f) / area;
    areas[charts.chart[f]] += area;
    all += area;
    if (ratio > 1.5 || ratio < 1 / 1.5) stretched += area;
  }
  EXPECT_GT(areas[charts.chart[0]], 0.85 * all);
  EXPECT_LT(stretched, 0.01 * all);
  // A division into halves would have left seams all the way across.
  EXPECT_GT(countOf(charts), 1u);
}

TEST(InsideCharts, WhereThreeFacesMeetTheStraightestGoOn) {
  InsideFaces faces;
  faces.points = {{0, 0, 0},   {0, 0, 1},   {-1, 0, 0},  {-1, 0, 1},
                  {1, 0.1, 0}, {1, 0.1, 1}, {0.3, 1, 0}, {0.3, 1, 1}};
  faces.corners = {2, 0, 1, 3, 0, 4, 5, 1, 0, 6, 7, 1};
  faces.starts = {0, 4, 8, 12};
  faces.contact = {0, 1, 2};
  faces.normals = {Vec3(0, -1, 0), Vec3(0.1, -1, 0).normalized(), Vec3(1, -0.3, 0).normalized()};
  Context context;
  const InsideCharts charts = insideCharts(faces, 30, context);
  EXPECT_EQ(charts.chart, (std::vector<int32_t>{0, 0, 1}));
  EXPECT_EQ(charts.uv[1], charts.uv[4]);
  EXPECT_EQ(countOf(insideCharts(faces, 5, context)), 3u);
}

TEST(InsideCharts, BothSidesOfPiecesShareTheirTextureAtItsScale) {
  VoronoiOptions options;
  options.pieces = 40;
  options.cut.pieces.uvScale = 2;
  const Prepared torus(VoronoiEngine(options), shapes::torus(24, 12));
  const Geometry g = torus.fracture({}).pieces.geometry;
  const Attribute& uv = *g.findAttribute(Owner::Vertex, "uv");
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  std::map<std::set<std::array<double, 3>>, std::map<std::array<double, 3>, Vec2>> sides;
  for (size_t f = 0; f < g.primitiveCount(); ++f) {
    if (!inside.bits[f]) continue;
    std::set<std::array<double, 3>> corners;
    std::map<std::array<double, 3>, Vec2> texture;
    double twice = 0;
    Vec3 area = Vec3::Zero();
    const size_t first = g.firstVertex(f), count = g.vertexCount(f);
    for (size_t k = 0; k < count; ++k) {
      const Vec3& p = g.position(static_cast<size_t>(g.corners(f)[k]));
      const Vec3& q = g.position(static_cast<size_t>(g.corners(f)[(k + 1) % count]));
      const Vec2 a(uv.number(first + k, 0), uv.number(first + k, 1));
      const size_t next = first + (k + 1) % count;
      twice += a.x() * uv.number(next, 1) - a.y() * uv.number(next, 0);
      area += 0.5 * p.cross(q);
      corners.insert({p.x(), p.y(), p.z()});
      texture[{p.x(), p.y(), p.z()}] = a;
    }
    EXPECT_NEAR(0.5 * std::abs(twice) / area.norm(), 4, 0.4);  // faces that meet smoothly share a chart
    const auto [other, isFirst] = sides.try_emplace(corners, texture);
    if (isFirst) continue;
    EXPECT_EQ(other->second, texture);
    sides.erase(other);
  }
  EXPECT_TRUE(sides.empty());
}

}  // namespace
}  // namespace hackle
