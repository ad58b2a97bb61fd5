#include <gtest/gtest.h>
#include <hackle/meshing/shapes/extrude.h>
#include <hackle/meshing/shapes/grid_solid.h>
#include <hackle/meshing/shapes/revolve.h>
#include <hackle/meshing/shapes/tube.h>
#include <meshing/surface_checks.h>

namespace hackle {
namespace {

constexpr double kPi = 3.141592653589793;

void expectGood(const Geometry& geometry, long euler) {
  geometry.checkInvariants();
  const test::SurfaceFacts facts = test::surfaceFacts(geometry);
  EXPECT_EQ(facts.badEdges, 0u);
  EXPECT_EQ(facts.badPoints, 0u);
  EXPECT_EQ(facts.repeatedFaces, 0u);
  EXPECT_EQ(facts.degenerateFaces, 0u);
  EXPECT_EQ(facts.euler, euler);
  EXPECT_EQ(test::selfIntersections(geometry), 0u);
}

Geometry revolved(const Profile& profile, double spacing) {
  SurfaceBuilder builder;
  RevolveOptions options;
  options.spacing = spacing;
  revolve(profile, options, builder);
  return builder.geometry();
}

Profile frustum() {
  Profile p(Vec2(0, 0));
  p.part("bottom").lineTo(0.5, 0);
  p.part("side").lineTo(0.2, 1.0);
  p.part("top").lineTo(0, 1.0);
  return p;
}

TEST(Profile, PiecesKeepTheirEndsAndArcsTheirCircle) {
  Profile p(Vec2(1, 0), 0.0);
  p.part("a").weight(1.0).arcTo(0, 1, 0.5 * kPi).part("b").lineTo(-1, 1);
  EXPECT_NEAR(p.length(), 0.5 * kPi + 1.0, 1e-4);
  const SampledProfile s = p.sample(0.1);
  ASSERT_EQ(s.points.size(), s.bandParts.size() + 1);
  size_t corners = 0;
  for (size_t i = 0; i < s.points.size(); ++i) {
    corners += s.points[i] == Vec2(0, 1);
    if (i < s.bandParts.size() && s.bandParts[i] == 0) {
      EXPECT_NEAR(s.points[i].norm(), 1.0, 1e-12);
      // Equal steps along the arc, and the weight goes with them.
      EXPECT_NEAR(std::atan2(s.points[i].y(), s.points[i].x()), 0.5 * kPi * s.weights[i], 1e-6);
    }
  }
  EXPECT_EQ(corners, 1u);
  EXPECT_EQ(s.points.back(), Vec2(-1, 1));
  // Sagitta 1 - cos(a / 2) within the tolerance.
  const SampledProfile fine = p.sample(10.0, 1e-3);
  EXPECT_GE(fine.bandParts.size(), 18u);
  EXPECT_LE(1.0 - std::cos(0.5 * kPi / static_cast<double>(fine.bandParts.size() - 1) / 2), 1e-3);
}

TEST(Revolve, FrustumConvergesWithSecondOrder) {
  const double exact = kPi / 3.0 * (0.25 + 0.1 + 0.04);
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const Geometry g = revolved(frustum(), i == 0 ? 0.1 : 0.05);
    expectGood(g, 2);
    errors[i] = exact - test::surfaceFacts(g).volume;
    EXPECT_GT(errors[i], 0);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.3);
  EXPECT_NEAR(frustum().revolvedArea(), kPi * (0.25 + 0.04 + 0.7 * std::hypot(0.3, 1.0)), 1e-9);
}

TEST(Revolve, PartsAndChartsFollowTheProfile) {
  const Geometry g = revolved(frustum(), 0.07);
  size_t members = 0;
  for (const char* name : {"bottom", "side", "top"}) {
    const Group* group = g.findGroup(Owner::Primitive, name);
    ASSERT_TRUE(group);
    members += group->count();
    for (size_t f = 0; f < g.primitiveCount(); ++f) {
      if (!group->bits[f]) continue;
      double low = 1, high = 0;
      for (const int32_t p : g.corners(f)) {
        low = std::min(low, g.position(static_cast<size_t>(p)).y());
        high = std::max(high, g.position(static_cast<size_t>(p)).y());
      }
      const std::string part = name;
      EXPECT_TRUE(part == "bottom" ? high == 0 : part == "top" ? low == 1 : high > low);
    }
  }
  EXPECT_EQ(members, g.primitiveCount());
  const test::Stretch stretch = test::textureStretch(g);
  EXPECT_EQ(stretch.mirrored, 0u);
  EXPECT_GT(stretch.low, 0.75);
  EXPECT_LT(stretch.high, 1.35);
}

TEST(Revolve, ThinWallsStayApartWhenCoarse) {
  // A hemispherical shell, its wall much thinner than the spacing.
  const double wall = 0.01;
  Profile p(Vec2(0, -1));
  p.part("outer").arcTo(1, 0, 0.5 * kPi).lineTo(1 - wall, 0);
  p.part("inner").arcTo(0, -1 + wall, -0.5 * kPi);
  SurfaceBuilder builder;
  RevolveOptions options;
  options.spacing = 0.5;
  options.tolerance = 0.2 * wall;
  revolve(p, options, builder);
  const Geometry g = builder.geometry();
  expectGood(g, 2);
  const double exact = 2.0 / 3.0 * kPi * (1.0 - std::pow(1 - wall, 3));
  EXPECT_NEAR(test::surfaceFacts(g).volume, exact, 0.1 * exact);
}

TEST(Tube, TorusHasItsVolume) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const int n = 40 << i;
    std::vector<Vec3> circle;
    for (int k = 0; k < n; ++k) circle.push_back({std::sin(2 * kPi * k / n), 0.0, std::cos(2 * kPi * k / n)});
    SurfaceBuilder builder;
    TubeOptions options;
    options.radius = 0.3;
    options.segments = 12 << i;
    const int32_t part = builder.part("all");
    options.part = [=](size_t, const Vec3&) { return part; };
    addTube(circle, options, builder);
    const Geometry g = builder.geometry();
    expectGood(g, 0);
    EXPECT_EQ(test::textureStretch(g).mirrored, 0u);
    errors[i] = 2 * kPi * kPi * 0.09 - test::surfaceFacts(g).volume;
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.1);
}

TEST(Tube, ThickestTubeIsTheReach) {
  // Of an ellipse: its tightest radius of curvature, b^2 / a, or half its width, whichever is less.
  const auto ellipse = [](double a, double b) {
    std::vector<Vec3> curve;
    for (int k = 0; k < 2000; ++k)
      curve.push_back({a * std::cos(2 * kPi * k / 2000), 0.0, b * std::sin(2 * kPi * k / 2000)});
    return curve;
  };
  EXPECT_NEAR(thickestTube(ellipse(1, 1)), 1.0, 1e-3);
  EXPECT_NEAR(thickestTube(ellipse(2, 1)), 0.5, 1e-3);
  // A hairpin: two long straight lines 0.2 apart with wide loops at the ends.
  std::vector<Vec3> loop;
  for (int k = 0; k < 4000; ++k) {
    const double t = 2 * kPi * k / 4000;
    loop.push_back({2 * std::cos(t), 0.0, (0.1 + 0.9 * std::pow(std::cos(t), 4)) * std::sin(t)});
  }
  EXPECT_LT(thickestTube(loop), 0.1001);
  EXPECT_GT(thickestTube(loop), 0.05);
}

TEST(GridSolid, CellsWithAHoleHaveTheirVolumeAndGenus) {
  // A frame of 3 x 1 x 3 cells without the middle one.
  GridSolidOptions options;
  options.planes = {{{0, 1, 1.5, 3}, {0, 0.5}, {0, 1, 2, 2.5}}};
  options.spacing = 0.26;
  options.filled = [](const CellIndex& c) { return !(c[0] == 1 && c[2] == 1); };
  SurfaceBuilder builder;
  addGridSolid(options, builder);
  const Geometry g = builder.geometry();
  expectGood(g, 0);
  EXPECT_NEAR(test::surfaceFacts(g).volume, (3 * 2.5 - 0.5 * 1) * 0.5, 1e-12);
  const test::Stretch stretch = test::textureStretch(g);
  EXPECT_EQ(stretch.mirrored, 0u);
  EXPECT_NEAR(stretch.low, 1.0, 1e-4);
  EXPECT_NEAR(stretch.high, 1.0, 1e-4);
}

TEST(Prism, OpenAndClosedGridsAreClosedSolids) {
  ExtrudeOptions options;
  options.levels = {0.0, 0.5, 1.0, 2.0};
  options.firstPart = [](size_t) { return "first"; };
  options.secondPart = [](size_t) { return "second"; };
  SurfaceBuilder bar;
  addPrism(ruledGrid({{0, 0}, {1, 0.2}, {3, 0}}, {{0, 1}, {2, 1}, {3, 1}}, 4, false), options, bar);
  expectGood(bar.geometry(), 2);
  EXPECT_NEAR(test::surfaceFacts(bar.geometry()).volume, 2.0 * (3.0 - 0.3), 1e-12);

  std::vector<Vec2> outer, inner;
  for (int k = 0; k < 8; ++k) {
    outer.push_back(Vec2(std::cos(kPi * k / 4), std::sin(kPi * k / 4)));
    inner.push_back(0.5 * outer.back());
  }
  SurfaceBuilder ring;
  addPrism(ruledGrid(outer, inner, 3, true), options, ring);
  expectGood(ring.geometry(), 0);
  EXPECT_NEAR(test::surfaceFacts(ring.geometry()).volume, 2.0 * 2.0 * std::sqrt(2.0) * 0.75, 1e-12);
}

TEST(TextureCharts, PackedChartsDoNotOverlap) {
  // Boxes of many sizes; each is a chart of one face.
  SurfaceBuilder builder;
  const int32_t part = builder.part("all");
  for (int i = 1; i <= 40; ++i) {
    const double w = 1.0 / i, h = 0.03 * i;
    const int32_t p = builder.addPoint({0, 0, 0});
    builder.addPoint({w, 0, 0});
    builder.addPoint({w, h, 0});
    builder.addPoint({0, h, 0});
    builder.addFace({{p, {5, 5}}, {p + 1, {5 + w, 5}}, {p + 2, {5 + w, 5 + h}}, {p + 3, {5, 5 + h}}}, part,
                    builder.addChart());
  }
  const Geometry g = builder.geometry();
  const Attribute& uv = *g.findAttribute(Owner::Vertex, "uv");
  EXPECT_EQ(uv.qualifier, "texturecoord");
  std::vector<Box3> boxes(g.primitiveCount());
  double covered = 0;
  for (size_t f = 0; f < boxes.size(); ++f) {
    for (size_t v = g.firstVertex(f); v < g.firstVertex(f + 1); ++v) {
      boxes[f].add(Vec3(uv.number(v, 0), uv.number(v, 1), 0));
      EXPECT_EQ(uv.number(v, 2), 0.0);
    }
    EXPECT_GE(boxes[f].min.minCoeff(), 0.0);
    EXPECT_LE(boxes[f].max.maxCoeff(), 1.0);
    covered += boxes[f].size().x() * boxes[f].size().y();
    for (size_t e = 0; e < f; ++e)
      EXPECT_TRUE(boxes[f].min.x() > boxes[e].max.x() || boxes[e].min.x() > boxes[f].max.x() ||
                  boxes[f].min.y() > boxes[e].max.y() || boxes[e].min.y() > boxes[f].max.y());
  }
  EXPECT_GT(covered, 0.5);
}

}  // namespace
}  // namespace hackle
