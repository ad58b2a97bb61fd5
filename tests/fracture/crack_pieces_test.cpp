#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/fracture/crack/crack_pieces.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>

#include <cmath>

namespace hackle {
namespace {

/// A height field over [-r, r]^2 as a recorded crack that a front passed along x at 1 m/s.
struct Sheet {
  SheetBand band;
  std::vector<std::array<float, 3>> times;

  template <class Height>
  Sheet(double voxel, double low, double high, const Height& height) : band(voxel) {
    const int n = static_cast<int>(std::lround((high - low) / voxel));
    const auto at = [&](int i, int j) {
      const double x = low + (high - low) * i / n, y = -0.6 + 1.2 * j / n;
      return Vec3(x, y, height(x, y));
    };
    const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
      band.add(a, b, c);
      times.push_back({static_cast<float>(a.x()), static_cast<float>(b.x()), static_cast<float>(c.x())});
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        add(at(i, j), at(i + 1, j), at(i + 1, j + 1));
        add(at(i, j), at(i + 1, j + 1), at(i, j + 1));
      }
  }
  RecordedCrack record() const { return {&band, times}; }
};

struct Broken {
  FracturePieces pieces;
  size_t parts;
};

Broken breakCube(const std::vector<RecordedCrack>& cracks, double voxelThreshold = 0.5) {
  Context context;
  const Geometry cube = shapes::box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
  const TriangleMesh mesh = triangleMesh(cube);
  const TriangleBvh bvh(mesh, context);
  const CrackPartition partition(bvh, cracks, {voxelThreshold}, context);
  Broken broken{{}, partition.partCount()};
  if (partition.whole()) return broken;
  const Cut cut = partition.cut(cube, mesh, context);
  broken.pieces = makePieces(cube, mesh, cut, {}, context);
  addCrackAttributes(broken.pieces, partition, "inside", context);
  return broken;
}

void expectSound(const FracturePieces& pieces, double volume) {
  Context context;
  const Topology topology = analyseTopology(pieces.geometry, context);
  EXPECT_TRUE(topology.closed);
  EXPECT_TRUE(topology.manifold);
  double sum = 0;
  for (const double v : pieces.volume) sum += v;
  EXPECT_NEAR(sum, volume, 1e-9 * volume);
}

TEST(CrackPieces, AFlatSheetCutsExactly) {
  const Sheet sheet(0.02, -0.6, 0.6, [](double, double) { return 0.0137; });
  const Broken broken = breakCube({sheet.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1.0);
  EXPECT_NEAR(std::min(broken.pieces.volume[0], broken.pieces.volume[1]), 0.5 - 0.0137, 1e-6);
  const Attribute* time = broken.pieces.geometry.findAttribute(Owner::Point, "crack_time");
  const Attribute* crack = broken.pieces.geometry.findAttribute(Owner::Primitive, "crack");
  ASSERT_TRUE(time && crack);
  for (size_t f = 0; f < broken.pieces.geometry.primitiveCount(); ++f) {
    if (crack->number(f) < 0) continue;
    for (const int32_t p : broken.pieces.geometry.corners(f))
      EXPECT_NEAR(time->number(static_cast<size_t>(p)),
                  broken.pieces.geometry.position(static_cast<size_t>(p)).x(), 1e-4);
  }
}

TEST(CrackPieces, ACurvedSheetCutsToSecondOrder) {
  const auto height = [](double x, double y) { return 0.1 * std::sin(3 * x) + 0.05 * y; };
  const Sheet sheet(0.02, -0.6, 0.6, height);
  const Broken broken = breakCube({sheet.record()});
  ASSERT_EQ(broken.pieces.names.size(), 2u);
  expectSound(broken.pieces, 1.0);
  const Group* inside = broken.pieces.geometry.findGroup(Owner::Primitive, "inside");
  double worst = 0;
  for (size_t f = 0; f < broken.pieces.geometry.primitiveCount(); ++f)
    if (inside->bits[f])
      for (const int32_t i : broken.pieces.geometry.corners(f)) {
        const Vec3 p = broken.pieces.geometry.position(static_cast<size_t>(i));
        worst = std::max(worst, std::abs(p.z() - height(p.x(), p.y())));
      }
  EXPECT_LT(worst, 0.1 * 0.02);
}

TEST(CrackPieces, ASheetThatEndsInsideDividesNothing) {
  const Sheet sheet(0.02, -0.6, 0.3, [](double, double) { return 0.0; });
  const Broken broken = breakCube({sheet.record()});
  EXPECT_EQ(broken.parts, 1u);
}

TEST(CrackPieces, TwoSheetsThatMeetMakeThreePieces) {
  const Sheet whole(0.02, -0.6, 0.6, [](double, double) { return 0.0; });
  // A second one stands on it, and ends half a voxel before.
  SheetBand band(0.02);
  std::vector<std::array<float, 3>> times;
  const auto quad = [&](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    band.add(a, b, c);
    band.add(a, c, d);
    times.insert(times.end(), 2, {0, 0, 0});
  };
  quad({0.11, -0.6, 0.01}, {0.11, 0.6, 0.01}, {0.11, 0.6, 0.6}, {0.11, -0.6, 0.6});
  const Broken broken = breakCube({whole.record(), {&band, times}});
  ASSERT_EQ(broken.pieces.names.size(), 3u);
  expectSound(broken.pieces, 1.0);
  std::vector<double> volumes = broken.pieces.volume;
  std::sort(volumes.begin(), volumes.end());
  EXPECT_NEAR(volumes[0], 0.5 * 0.39, 0.002);
  EXPECT_NEAR(volumes[2], 0.5, 0.002);
}

}  // namespace
}  // namespace hackle
