// CutShape and evenRim on their own: sheets with known heights.
#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/cut_shape.h>

#include <functional>

namespace hackle {
namespace {

using Height = std::function<double(double, double)>;

/// A sheet of n by n quads over [-1, 1]^2, counter-clockwise seen from above, with its rim in order.
struct Sheet {
  InitialSheet sheet;
  std::vector<Vec3> rim;
};

Sheet sheetOver(const Height& height, int n, const Mat3& turn = Mat3::Identity(),
                const Vec3& shift = Vec3::Zero()) {
  Sheet result;
  const auto at = [&](int i, int j) { return j * (n + 1) + i; };
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double x = 2.0 * i / n - 1, y = 2.0 * j / n - 1;
      result.sheet.points.push_back(turn * Vec3(x, y, height(x, y)) + shift);
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      result.sheet.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      result.sheet.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  for (int i = 0; i < n; ++i) result.rim.push_back(result.sheet.points[at(i, 0)]);
  for (int i = 0; i < n; ++i) result.rim.push_back(result.sheet.points[at(n, i)]);
  for (int i = n; i > 0; --i) result.rim.push_back(result.sheet.points[at(i, n)]);
  for (int i = n; i > 0; --i) result.rim.push_back(result.sheet.points[at(0, i)]);
  return result;
}

CutShape shapeOf(const Sheet& sheet) {
  Context context;
  return CutShape(sheet.sheet, sheet.rim, "crack 1", context);
}

double flat(double, double) { return 0; }
/// The same along the whole rim, so that the mean normal is z.
double hill(double x, double y) { return 0.4 * (1 - x * x) * (1 - y * y); }

TEST(CutShape, PlanesMeasureHeightsAlongTheirNormal) {
  const Mat3 turn = shapes::randomRotation(3);
  const Vec3 shift(1, -2, 3);
  const CutShape plane = shapeOf(sheetOver(flat, 4, turn, shift));
  EXPECT_TRUE(plane.planar());
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    const Vec3 p(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3));
    const Vec3 q = turn * p + shift;
    EXPECT_NEAR(plane.height(q), p.z(), 1e-12);
    // Down to the plane and back: what is left is the height.
    EXPECT_LT((plane.lift(plane.project(q)) - (q - p.z() * turn.col(2))).norm(), 1e-12);
    const Vec3 up = q + (1 - p.z()) * turn.col(2), down = q - (2 + p.z()) * turn.col(2);
    EXPECT_NEAR(plane.crossing(up, down), 1.0 / 3, 1e-12);
  }
}

TEST(CutShape, SheetsThatAreAlmostFlatArePlanes) {
  // Half the diagonal is the size; the limit is a thousandth of it.
  const auto bump = [](double size) {
    return [=](double x, double y) { return std::abs(x) < 0.9 && std::abs(y) < 0.9 ? size : 0.0; };
  };
  EXPECT_TRUE(shapeOf(sheetOver(bump(0.9e-3 * std::sqrt(2.0)), 8)).planar());
  EXPECT_FALSE(shapeOf(sheetOver(bump(1.1e-3 * std::sqrt(2.0)), 8)).planar());
}

TEST(CutShape, BentSheetsMeasureHeightsFromTheirTriangles) {
  const Mat3 turn = shapes::randomRotation(7);
  const Vec3 shift(-5, 0.5, 2);
  const Sheet sheet = sheetOver(hill, 16, turn, shift);
  const CutShape shape = shapeOf(sheet);
  EXPECT_FALSE(shape.planar());
  for (const Vec3& p : sheet.sheet.points) EXPECT_NEAR(shape.height(p), 0, 1e-12);
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    // A place of a triangle, and something above it.
    const Triangle& t = sheet.sheet.triangles[random.below(sheet.sheet.triangles.size())];
    double a = random.uniform(), b = random.uniform();
    if (a + b > 1) a = 1 - a, b = 1 - b;
    const Vec3 on =
        (1 - a - b) * sheet.sheet.points[t[0]] + a * sheet.sheet.points[t[1]] + b * sheet.sheet.points[t[2]];
    const double above = random.uniform(-1, 1);
    const Vec3 p = on + above * turn.col(2);
    EXPECT_NEAR(shape.height(p), above, 1e-9);
    EXPECT_LT((shape.lift(shape.project(p)) - on).norm(), 1e-9);
  }
}

TEST(CutShape, HeightsGoOnBeyondTheRim) {
  // A roof: its ridge ends at the rim at a height of 0.5, and goes on at that height.
  const auto roof = [](double x, double) { return 0.5 - 0.5 * std::abs(x); };
  const CutShape shape = shapeOf(sheetOver(roof, 8));
  for (const double y : {1.0, 1.5, 4.0}) {
    const double ridge = shape.height({0, y, 0});
    EXPECT_NEAR(shape.height({0, y, 0}) - shape.height({1, y, 0}), -0.5, 1e-9);
    EXPECT_NEAR(ridge, shape.height({0, 1, 0}), 1e-9);
  }
  EXPECT_NEAR(shape.height({3, 0, 0.25}), 0.25, 1e-9);
}

TEST(CutShape, CrossingsLieOnTheSheet) {
  const CutShape shape = shapeOf(sheetOver(hill, 12));
  Random random(4);
  size_t checked = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3 a(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(0.45, 1)),
        b(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(-1, -0.05));
    ASSERT_TRUE(shape.height(a) > 0 && shape.height(b) < 0);
    const double t = shape.crossing(a, b);
    EXPECT_GE(t, 0);
    EXPECT_LE(t, 1);
    EXPECT_NEAR(shape.height(a + t * (b - a)), 0, 1e-9);
    EXPECT_NEAR(shape.crossing(b, a), 1 - t, 1e-6);
    ++checked;
  }
  EXPECT_EQ(checked, 300u);
}

std::string refusal(const Sheet& sheet) {
  try {
    shapeOf(sheet);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  return "";
}

TEST(CutShape, SheetsThatCannotBeSeenWholeAreRefused) {
  EXPECT_EQ(refusal(sheetOver(hill, 8)), "");
  // tan 78.46 degrees is 4.9.
  const auto ramp = [](double slope) {
    return [=](double x, double) { return slope * std::max(0.0, 0.25 - std::abs(x)); };
  };
  EXPECT_EQ(refusal(sheetOver(ramp(4.8), 16)), "");
  EXPECT_NE(refusal(sheetOver(ramp(5.0), 16)).find("78 degrees"), std::string::npos);
  Sheet line = sheetOver(flat, 2);
  for (Vec3& p : line.rim) p.y() = 0;
  EXPECT_NE(refusal(line).find("encloses no area"), std::string::npos);
  // A ramp that winds by more than a turn covers itself.
  Sheet wound;
  const int steps = 40;
  for (int i = 0; i <= steps; ++i)
    for (const double r : {0.5, 1.0}) {
      const double angle = 3 * shapes::kPi * i / steps;
      wound.sheet.points.emplace_back(r * std::cos(angle), r * std::sin(angle), 0.05 * angle);
    }
  for (int32_t i = 0; i < steps; ++i) {
    wound.sheet.triangles.push_back({2 * i, 2 * i + 1, 2 * i + 3});
    wound.sheet.triangles.push_back({2 * i, 2 * i + 3, 2 * i + 2});
  }
  for (int i = 0; i <= steps; ++i) wound.rim.push_back(wound.sheet.points[2 * i + 1]);
  for (int i = steps; i >= 0; --i) wound.rim.push_back(wound.sheet.points[2 * i]);
  EXPECT_NE(refusal(wound).find("wound over itself"), std::string::npos);
}

TEST(EvenRim, KeepsCornersAndDividesTheRestEvenly) {
  // A rectangle of 2 by 1.1 with uneven points on its sides.
  std::vector<Vec3> rim;
  for (const double x : {-1.0, -0.9, -0.3, 0.8}) rim.emplace_back(x, 0, 0);
  for (const double y : {0.0, 0.7}) rim.emplace_back(1, y, 0);
  for (const double x : {1.0, 0.1}) rim.emplace_back(x, 1.1, 0);
  for (const double y : {1.1, 0.05}) rim.emplace_back(-1, y, 0);
  const std::vector<Vec3> even = evenRim(rim, 0.25);
  ASSERT_EQ(even.size(), 24u);
  for (const Vec3& corner : {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(1, 1.1, 0), Vec3(-1, 1.1, 0)})
    EXPECT_NE(std::find(even.begin(), even.end(), corner), even.end()) << corner;
  for (size_t i = 0; i < even.size(); ++i) {
    const Vec3 side = even[(i + 1) % even.size()] - even[i];
    EXPECT_NEAR(side.norm(), std::abs(side.x()) > 1e-9 ? 0.25 : 0.275, 1e-12);
  }
}

TEST(EvenRim, ARoundOneHasNoCorners) {
  std::vector<Vec3> circle;
  Random random(6);
  std::vector<double> angles;
  for (int i = 0; i < 200; ++i) angles.push_back(2 * shapes::kPi * random.uniform());
  std::sort(angles.begin(), angles.end());
  for (const double a : angles) circle.emplace_back(std::cos(a), std::sin(a), 0);
  const std::vector<Vec3> even = evenRim(circle, 0.2);
  EXPECT_NEAR(static_cast<double>(even.size()), 2 * shapes::kPi / 0.2, 1.0);
  for (size_t i = 0; i < even.size(); ++i)
    EXPECT_NEAR((even[(i + 1) % even.size()] - even[i]).norm(), 0.2, 0.01);
  // However coarse, it stays a loop.
  EXPECT_EQ(evenRim(circle, 100).size(), 6u);
}

}  // namespace
}  // namespace hackle
