// Laws of the renderer's parts.
#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/render/camera.h>
#include <hackle/render/colour.h>
#include <hackle/render/corner_normals.h>
#include <hackle/render/denoise.h>
#include <hackle/render/drawable.h>
#include <hackle/render/legend.h>
#include <hackle/render/sample_pattern.h>
#include <hackle/render/stroke_font.h>

#include <map>
#include <set>

#include "render/named_boxes.h"

namespace hackle {
namespace {

float luminance(const Rgb& c) { return 0.2126f * c.x() + 0.7152f * c.y() + 0.0722f * c.z(); }

TEST(Colour, SrgbBytesSurviveTheRoundTrip) {
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(srgbByte(linearFromSrgb(static_cast<float>(byte) / 255.0f)), byte);
}

TEST(Colour, ViridisGetsBrighterAllAlong) {
  float last = -1;
  for (int i = 0; i <= 100; ++i) {
    const float now = luminance(viridis(static_cast<float>(i) / 100));
    EXPECT_GT(now, last);
    last = now;
  }
  EXPECT_EQ(srgbByte(viridis(0).x()), 68);
  EXPECT_EQ(srgbByte(viridis(1).x()), 253);
}

TEST(Colour, NeighbouringPiecesDiffer) {
  for (size_t i = 0; i < 500; ++i)
    for (size_t j = i + 1; j < i + 5; ++j)
      EXPECT_GT((pieceColour(i) - pieceColour(j)).abs().maxCoeff(), 0.08f) << i << " " << j;
}

TEST(Colour, ToneMapIsMonotoneAndBounded) {
  float last = -1;
  for (float x = 0; x < 8; x += 0.01f) {
    const float y = toneMapped(Rgb(x, x, x)).x();
    EXPECT_GE(y, last);
    EXPECT_LE(y, 1.0f);
    if (x <= 0.6f) {
      EXPECT_FLOAT_EQ(y, x);
    }
    last = y;
  }
}

TEST(SamplePattern, SixteenPointsFillEveryElementaryInterval) {
  const SamplePattern pattern(16);
  for (const uint64_t scramble : {uint64_t(0), mixBits(7)})
    for (const auto& [columns, rows] :
         {std::pair(16, 1), std::pair(8, 2), std::pair(4, 4), std::pair(1, 16)}) {
      std::set<int> cells;
      for (int i = 0; i < 16; ++i) {
        const auto [u, v] = pattern.point(i, scramble);
        cells.insert(static_cast<int>(u * static_cast<float>(columns)) * 100 +
                     static_cast<int>(v * static_cast<float>(rows)));
      }
      EXPECT_EQ(cells.size(), 16u) << columns;
    }
}

TEST(Drawable, DiagonalsOfPolygonsAreNoOutlines) {
  Context context;
  const Drawable box = makeDrawable(boxShape(), context);
  ASSERT_EQ(box.triangles.size(), 12u);
  for (size_t side = 0; side < 6; ++side) {
    int edges = 0;
    for (const size_t t : {2 * side, 2 * side + 1})
      for (unsigned c = 0; c < 3; ++c) edges += (box.outlines[t] >> c) & 1;
    EXPECT_EQ(edges, 4);
  }
}

TEST(Drawable, TetrahedraShowTheirBoundaryFromOutside) {
  Geometry geometry;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 1, 1)})
    geometry.addPoint(p);
  geometry.addPrimitives(PrimitiveType::Tetrahedron, 2, 4, std::vector<int32_t>{0, 1, 2, 3, 4, 3, 2, 1});
  Context context;
  const Drawable drawable = makeDrawable(geometry, context);
  ASSERT_EQ(drawable.triangles.size(), 6u);
  double volume = 0;  // by the divergence theorem: right only if every face is turned outside
  for (const Triangle& t : drawable.triangles) {
    const auto at = [&](size_t c) { return geometry.position(static_cast<size_t>(t[c])); };
    volume += at(0).dot(at(1).cross(at(2))) / 6;
  }
  EXPECT_NEAR(volume, 1.0 / 6 + 1.0 / 3, 1e-12);
}

TEST(CornerNormals, BoxIsSharpSphereIsSmoothGivenNormalsWin) {
  Context context;
  const Geometry box = boxShape();
  const Drawable boxes = makeDrawable(box, context);
  for (const Vec3f& n : cornerNormals(box, boxes, 30, context)) EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1, 1e-6);
  for (const Vec3f& n : cornerNormals(box, boxes, 180, context))
    EXPECT_NEAR(n.cwiseAbs().minCoeff(), std::sqrt(1.0 / 3), 1e-5);

  Geometry sphere = shapes::sphere(24);
  const Drawable spheres = makeDrawable(sphere, context);
  const std::vector<Vec3f> normals = cornerNormals(sphere, spheres, 30, context);
  for (size_t i = 0; i < normals.size(); ++i) {
    const Vec3 p = sphere.position(static_cast<size_t>(spheres.surfaceCorners[i].point));
    if (std::abs(p.y()) > 0.95) continue;  // rings of large angles at the poles
    EXPECT_GT(normals[i].cast<double>().dot(p), 0.998);
  }

  Attribute& given = sphere.addAttribute(Owner::Point, Attribute("N", Storage::Float32, 3));
  for (size_t p = 0; p < sphere.pointCount(); ++p) given.setNumber(p, 1, 5.0);
  for (const Vec3f& n : cornerNormals(sphere, spheres, 30, context)) EXPECT_EQ(n, Vec3f(0, 1, 0));
}

TEST(Camera, EveryPointFallsIntoTheSafePartAndTwoSidesAreTouched) {
  Context context;
  Random random(1);
  Geometry cloud;
  for (int i = 0; i < 200; ++i) cloud.addPoint({random.normal(), 3 * random.normal(), random.normal()});
  const Drawable drawable = makeDrawable(cloud, context);
  for (const double elevation : {-90.0, -20.0, 0.0, 35.0, 90.0}) {
    RenderOptions options;
    options.elevation = elevation;
    options.azimuth = 10 * elevation;
    const View view = makeViews(drawable, options, 120, 40).front();
    const PixelRect& safe = view.safe;
    float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
    for (const Vec3f& p : drawable.points) {
      const Vec3f at = view.camera.project(p);
      EXPECT_GT(at.z(), 0);
      left = std::min(left, at.x()), right = std::max(right, at.x());
      top = std::min(top, at.y()), bottom = std::max(bottom, at.y());
    }
    const auto x0 = static_cast<float>(safe.x), x1 = static_cast<float>(safe.x + safe.width);
    const auto y0 = static_cast<float>(safe.y), y1 = static_cast<float>(safe.y + safe.height);
    EXPECT_GE(left, x0 - 0.01f);
    EXPECT_LE(right, x1 + 0.01f);
    EXPECT_GE(top, y0 - 0.01f);
    EXPECT_LE(bottom, y1 + 0.01f);
    const bool wide = left - x0 < 0.01f && x1 - right < 0.01f, high = top - y0 < 0.01f && y1 - bottom < 0.01f;
    EXPECT_TRUE(wide || high);
  }
}

TEST(Camera, DirectionsAndProjectionAreInverse) {
  Context context;
  const Drawable drawable = makeDrawable(boxShape(), context);
  RenderOptions options;
  options.camera = CameraMode::Explicit;
  options.position = Vec3(3, 4, 5);
  const Camera camera = makeViews(drawable, options, 0, 0).front().camera;
  for (const float depth : {0.5f, 7.0f}) {
    const Vec3f at = camera.project(camera.eye + depth * camera.direction(123, 45));
    EXPECT_NEAR(at.x(), 123, 1e-2);
    EXPECT_NEAR(at.y(), 45, 1e-2);
    EXPECT_NEAR(at.z(), depth, 1e-4);
  }
  EXPECT_NEAR(camera.project(drawable.toUnit(options.target)).x(), 480, 1e-3);
}

TEST(Camera, CellsOfASheetDoNotOverlap) {
  Context context;
  const Drawable drawable = makeDrawable(boxShape(), context);
  for (const int views : {1, 2, 3, 5, 8, 12}) {
    RenderOptions options;
    options.views = views;
    std::map<std::pair<int, int>, int> owner;
    const std::vector<View> all = makeViews(drawable, options, 50, 20);
    ASSERT_EQ(all.size(), static_cast<size_t>(views));
    for (const View& view : all)
      for (int y = view.cell.y; y < view.cell.y + view.cell.height; y += 7)
        for (int x = view.cell.x; x < view.cell.x + view.cell.width; ++x) {
          EXPECT_EQ((++owner[{x, y / 7 * 7 == y ? y : -y}]), 1);
          EXPECT_TRUE(x < options.width && y < options.height);
        }
  }
}

TEST(Camera, SheetsSuitTheShape) {
  // Four views of a column stand side by side, four of a plank lie above each other.
  Context context;
  RenderOptions options;
  options.width = options.height = 600;
  options.views = 4;
  const Drawable column = makeDrawable(shapes::box({0, 0, 0}, {1, 10, 1}), context);
  for (const View& view : makeViews(column, options, 0, 0)) EXPECT_EQ(view.cell.height, 600);
  const Drawable plank = makeDrawable(shapes::box({0, 0, 0}, {10, 1, 10}), context);
  for (const View& view : makeViews(plank, options, 0, 0)) EXPECT_EQ(view.cell.width, 600);
}

TEST(Legend, TicksAreRoundNumbers) {
  const auto labels = [](double low, double high) {
    std::string all;
    for (const Tick& tick : legendTicks(low, high)) all += tick.label + " ";
    return all;
  };
  EXPECT_EQ(labels(0, 1), "0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels(-55, 97), "-40 -20 0 20 40 60 80 ");
  EXPECT_EQ(labels(0.1e6, 1.9e6), "0.5e6 1.0e6 1.5e6 ");
  EXPECT_EQ(labels(2e-5, 6e-5), "2e-5 3e-5 4e-5 5e-5 6e-5 ");
  EXPECT_EQ(labels(3.5, 3.5), "3.5 ");
}

TEST(Legend, TicksLieInTheRangeInUsefulNumber) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const double low = random.normal() * std::pow(10, random.uniform(-9, 9));
    const double high = low + std::pow(10, random.uniform(-9, 9));
    const std::vector<Tick> ticks = legendTicks(low, high);
    if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) continue;
    EXPECT_GE(ticks.size(), 3u) << low << " " << high;
    EXPECT_LE(ticks.size(), 10u) << low << " " << high;
    for (const Tick& tick : ticks) {
      EXPECT_GE(tick.value, low - 1e-5 * (high - low));
      EXPECT_LE(tick.value, high + 1e-5 * (high - low));
    }
  }
}

TEST(StrokeFont, EveryPrintableCharacterHasAShapeOfItsOwn) {
  std::set<std::vector<std::pair<float, float>>> shapes;
  for (char c = '!'; c <= '~'; ++c) {
    const Glyph& glyph = strokeGlyph(c);
    EXPECT_FALSE(glyph.strokes.empty()) << c;
    std::vector<std::pair<float, float>> points;
    for (const auto& stroke : glyph.strokes)
      for (const auto& p : stroke) {
        points.emplace_back(p.x(), p.y());
        EXPECT_TRUE(p.x() >= 0 && p.x() < glyph.advance && p.y() >= -0.34f && p.y() <= 1.1f) << c;
      }
    EXPECT_TRUE(shapes.insert(points).second) << c;
  }
  EXPECT_TRUE(strokeGlyph(' ').strokes.empty());
  EXPECT_EQ(strokeGlyph('\xc3').strokes.size(), 1u);
}

TEST(Denoise, RemovesGrainAndKeepsEdges) {
  // Two walls that meet in a vertical edge, lit at 0.3 and 0.8, with noise.
  LayeredImage image(64, 32);
  Random random(3);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x) {
      LayeredPixel& p = image.at(x, y);
      const bool left = x < 32;
      p.coverage = 1;
      p.normal = left ? Vec3f(-0.8f, 0, 0.6f) : Vec3f(0.8f, 0, 0.6f);
      p.position = Vec3f(static_cast<float>(x), static_cast<float>(y), 0) * 0.01f;
      p.position.z() = -0.01f * 0.8f / 0.6f * std::abs(static_cast<float>(x) - 31.5f);
      p.light = Rgb::Constant((left ? 0.3f : 0.8f) + 0.1f * static_cast<float>(random.normal()));
      p.lightVariance = 0.01f;
    }
  Context context;
  denoise(image, {0, 0, 64, 32}, context);
  double squares = 0;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x) {
      const double error = image.at(x, y).light.x() - (x < 32 ? 0.3 : 0.8);
      squares += error * error;
    }
  EXPECT_LT(std::sqrt(squares / (64 * 32)), 0.03);
}

}  // namespace
}  // namespace hackle
