// Laws of whole pictures.
#include <gtest/gtest.h>
#include <hackle/ops/registry.h>
#include <hackle/render/render.h>

#include <set>

#include "render/named_boxes.h"

namespace hackle {
namespace {

using Pixel = std::array<int, 3>;

Pixel pixel(const Image& image, int x, int y) {
  const size_t at = 3 * (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x));
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}
int brightness(const Pixel& p) { return p[0] + p[1] + p[2]; }
int difference(const Pixel& a, const Pixel& b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

RenderOptions small() {
  RenderOptions options;
  options.width = 160;
  options.height = 120;
  options.samples = 8;
  return options;
}

Image render(const Geometry& geometry, const RenderOptions& options, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return renderGeometry(geometry, options, context);
}

ErrorCode codeOf(const Geometry& geometry, const RenderOptions& options, std::string* message = nullptr) {
  try {
    render(geometry, options);
  } catch (const Error& e) {
    if (message) *message = std::string(e.what()) + "; " + e.remedy();
    return e.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::Internal;
}

TEST(Picture, SameBytesOnAnyNumberOfThreads) {
  RenderOptions options = small();
  options.views = 2;
  options.wireframe = true;
  const Geometry boxes = namedBoxes(3);
  const Image one = render(boxes, options, 1);
  for (const int threads : {2, 3, 7}) {
    const Image other = render(boxes, options, threads);
    EXPECT_TRUE(std::equal(one.rgb.begin(), one.rgb.end(), other.rgb.begin())) << threads;
  }
}

TEST(Picture, SeedChangesOnlyNoise) {
  RenderOptions options = small();
  const Image a = render(shapes::sphere(16), options);
  options.seed = 1;
  const Image b = render(shapes::sphere(16), options);
  int changed = 0, largest = 0;
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) {
      const int d = difference(pixel(a, x, y), pixel(b, x, y));
      changed += d > 0;
      if (x % 4 == 0) largest = std::max(largest, d);
    }
  EXPECT_GT(changed, 100);
  EXPECT_LT(largest, 240);
}

TEST(Picture, SphereInFrontalLightIsSymmetric) {
  RenderOptions options = small();
  options.azimuth = 0;
  options.lightAzimuth = 0;
  options.samples = 64;
  const Image image = render(shapes::sphere(32), options);
  double sum = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width / 2; ++x) {
      const int d = difference(pixel(image, x, y), pixel(image, image.width - 1 - x, y));
      EXPECT_LE(d, 130) << x << " " << y;
      sum += d;
    }
  EXPECT_LT(sum / (image.width * image.height / 2), 3.0);

  // Light from the left breaks the symmetry: the law above can fail.
  options.lightAzimuth = -60;
  const Image left = render(shapes::sphere(32), options);
  EXPECT_GT(brightness(pixel(left, 55, 50)), brightness(pixel(left, 105, 50)) + 60);
}

TEST(Picture, FramingLeavesAMarginOnAllSides) {
  for (const double azimuth : {0.0, 30.0, 137.0}) {
    RenderOptions options = small();
    options.floor = false;
    options.azimuth = azimuth;
    options.base = Vec3(0, 0, 0);
    options.background = Vec3(1, 1, 1);
    const Image image = render(boxShape(), options);
    int left = image.width, right = -1, top = image.height, bottom = -1;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        if (brightness(pixel(image, x, y)) < 300) {
          left = std::min(left, x), right = std::max(right, x);
          top = std::min(top, y), bottom = std::max(bottom, y);
        }
    EXPECT_GE(left, 8);
    EXPECT_LE(right, image.width - 9);
    EXPECT_GE(top, 6);
    EXPECT_LE(bottom, image.height - 7);
    // And it fills the frame in one direction.
    EXPECT_TRUE(bottom - top > 0.82 * image.height || right - left > 0.82 * image.width);
  }
}

TEST(Picture, PiecesHaveColoursOfTheirOwn) {
  RenderOptions options = small();
  options.azimuth = 0;
  options.elevation = 0;
  options.width = 320;
  options.lightAzimuth = 0;
  const Image image = render(namedBoxes(4), options);
  std::vector<Pixel> colours;
  for (int i = 0; i < 4; ++i) {
    // Fronts of the boxes: the row spans 4.9 units between the margins.
    const double centre = (0.5 + 1.3 * i) / 4.9;
    colours.push_back(pixel(image, static_cast<int>(320 * (0.07 + 0.86 * centre)), 60));
  }
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_GT(difference(colours[i], colours[j]), 40) << i << " " << j;

  // Connected parts count where there are no names, in the same order.
  Geometry unnamed = namedBoxes(4);
  unnamed.removeAttribute(Owner::Primitive, "name");
  const Image byConnection = render(unnamed, options);
  EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), byConnection.rgb.begin()));
}

TEST(Picture, InsideFacesContrast) {
  Geometry box = boxShape();
  box.addGroup(Owner::Primitive, "inside").bits.edit()[1] = 1;  // the side that faces +z
  RenderOptions options = small();
  options.colour = ColourMode::Inside;
  options.azimuth = options.elevation = 0;
  const Pixel inside = pixel(render(box, options), 80, 60);
  options.azimuth = 180;
  const Pixel outside = pixel(render(box, options), 80, 60);
  EXPECT_GT(inside[0], inside[2] + 60);
  EXPECT_LT(std::abs(outside[0] - outside[2]), 30);
}

TEST(Picture, WireframeDarkensEdgesOfPolygonsOnly) {
  RenderOptions options = small();
  options.colour = ColourMode::Plain;
  options.azimuth = options.elevation = 0;
  options.wireframe = true;
  options.wireWidth = 2;
  Geometry sheet;  // two quads side by side, facing +z
  for (int i = 0; i < 3; ++i) {
    sheet.addPoint({static_cast<double>(i), 0, 0});
    sheet.addPoint({static_cast<double>(i), 1, 0});
  }
  sheet.addPolygon({0, 2, 3, 1});
  sheet.addPolygon({2, 4, 5, 3});
  const Image image = render(sheet, options);
  EXPECT_LT(brightness(pixel(image, 80, 60)), 330);  // the common edge, in the middle
  // The middle of each quad lies on its diagonal.
  EXPECT_GT(brightness(pixel(image, 46, 60)), 400);
  EXPECT_GT(brightness(pixel(image, 114, 60)), 400);
}

TEST(Picture, FloorCatchesAShadowAndEndsNowhere) {
  RenderOptions options = small();
  options.zoom = 0.4;
  const Image image = render(shapes::sphere(16), options);
  options.floor = false;
  const Image bare = render(shapes::sphere(16), options);
  int darkest = 0;
  for (int x = 0; x < image.width; ++x) {
    for (const int y : {0, image.height - 1})
      EXPECT_LE(difference(pixel(image, x, y), pixel(bare, x, y)), 24);
    darkest = std::max(darkest, brightness(pixel(bare, x, 90)) - brightness(pixel(image, x, 90)));
  }
  EXPECT_GT(darkest, 20);
}

TEST(Picture, ShapeInAnyScaleAndPlaceLooksTheSame) {
  RenderOptions options = small();
  const Image image = render(namedBoxes(2), options);
  for (const double scale : {0x1p-30, 0x1p30}) {
    Geometry other = namedBoxes(2);
    for (Vec3& p : other.editPositions()) p = scale * p;
    const Image scaled = render(other, options);
    EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), scaled.rgb.begin())) << scale;
  }
}

TEST(Picture, LinesAndLoosePointsAreDrawn) {
  Geometry lines;
  for (const double x : {-1.0, 0.0, 1.0}) lines.addPoint({x, 0, 0});
  lines.addPoint({0, 0.7, 0});
  const std::vector<int32_t> path{0, 1, 2};
  lines.addPrimitive(PrimitiveType::Polyline, path);
  RenderOptions options = small();
  options.floor = false;
  options.azimuth = options.elevation = 0;
  options.lineWidth = 6;
  options.pointSize = 10;
  const Image image = render(lines, options);
  const int back = brightness(pixel(image, 5, 5));
  int lowest = 0, highest = image.height;
  for (int y = 0; y < image.height; ++y)
    if (brightness(pixel(image, 80, y)) < back - 100)
      lowest = std::max(lowest, y), highest = std::min(highest, y);
  EXPECT_GT(lowest - highest, 30);  // dot above, line below
  EXPECT_EQ(brightness(pixel(image, 80, (lowest + highest) / 2)),
            brightness(pixel(image, 76, (lowest + highest) / 2)));
  EXPECT_LT(brightness(pixel(image, 40, lowest - 2)), back - 100);  // the line runs on
}

TEST(Picture, AttributeColoursRunFromLowToHigh) {
  Geometry box = boxShape();
  Attribute& heat = box.addAttribute(Owner::Point, Attribute("heat", Storage::Float32, 1));
  for (size_t p = 0; p < 8; ++p) heat.setNumber(p, 0, box.position(p).y());
  RenderOptions options = small();
  options.azimuth = options.elevation = 0;
  options.colour = ColourMode::Attribute;
  options.attribute = "heat";
  options.legend = false;
  const Image image = render(box, options);
  const Pixel top = pixel(image, 80, 16), bottom = pixel(image, 80, 104);
  EXPECT_GT(top[0], 150);  // yellow
  EXPECT_LT(top[2], 90);
  EXPECT_GT(bottom[2], bottom[1] + 20);  // violet

  // A legend changes the right side of the picture, a given range the colours.
  options.legend = true;
  const Image withLegend = render(box, options);
  std::set<Pixel> bar;
  for (int y = 0; y < image.height; ++y)
    for (int x = 120; x < image.width; ++x) bar.insert(pixel(withLegend, x, y));
  EXPECT_GT(bar.size(), 60u);
  options.legend = false;
  options.range = RangeMode::Given;
  options.rangeMin = -10;
  options.rangeMax = 10;
  const Image narrow = render(box, options);
  EXPECT_LT(difference(pixel(narrow, 80, 20), pixel(narrow, 80, 100)), 100);
}

TEST(Picture, ValuesThatAreNoNumbersAreGrey) {
  Geometry box = boxShape();
  Attribute& heat = box.addAttribute(Owner::Primitive, Attribute("heat", Storage::Float64, 1));
  for (size_t p = 0; p < 6; ++p) heat.setNumber(p, 0, std::nan(""));
  RenderOptions options = small();
  options.colour = ColourMode::Attribute;
  options.attribute = "heat";
  const Pixel middle = pixel(render(box, options), 65, 60);
  EXPECT_LT(std::abs(middle[0] - middle[1]), 20);
}

TEST(Picture, RefusalsNameTheThingAndTheRemedy) {
  std::string message;
  EXPECT_EQ(codeOf(Geometry(), small(), &message), ErrorCode::BadInput);
  EXPECT_NE(message.find("nothing to draw"), std::string::npos);

  RenderOptions options = small();
  options.colour = ColourMode::Attribute;
  options.attribute = "stress";
  EXPECT_EQ(codeOf(boxShape(), options, &message), ErrorCode::BadInput);
  EXPECT_NE(message.find("stress"), std::string::npos);
  options.attribute = "name";
  EXPECT_EQ(codeOf(namedBoxes(2), options, &message), ErrorCode::BadInput);
  EXPECT_NE(message.find("text"), std::string::npos);
  options.attribute = "P";
  options.component = AttributeComponent::W;
  EXPECT_EQ(codeOf(boxShape(), options, &message), ErrorCode::BadInput);
  options = small();
  options.camera = CameraMode::Explicit;
  options.position = options.target;
  EXPECT_EQ(codeOf(boxShape(), options, &message), ErrorCode::Usage);
}

TEST(Picture, MissingUvAndGroupsAreWarnedAbout) {
  for (const ColourMode mode : {ColourMode::Uv, ColourMode::Inside}) {
    RenderOptions options = small();
    options.colour = mode;
    Context context;
    renderGeometry(boxShape(), options, context);
    ASSERT_EQ(context.warnings().size(), 1u);
  }
}

TEST(Picture, CancelStops) {
  Context context;
  context.setProgressCallback([&](const Progress& p) {
    if (p.stage == "trace") context.cancel();
  });
  RenderOptions options;
  try {
    renderGeometry(shapes::sphere(32), options, context);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled);
  }
}

TEST(Picture, OperatorGivesAnImage) {
  Context context;
  const auto run = runOperator(findOperator("render"), Inputs({Item(boxShape())}),
                               {{"width", "64"}, {"height", "48"}, {"colour", "normal"}}, context);
  EXPECT_EQ(run.outputs.image().width, 64);
  EXPECT_EQ(run.outputs.image().rgb.size(), 64u * 48u * 3u);
}

}  // namespace
}  // namespace hackle
