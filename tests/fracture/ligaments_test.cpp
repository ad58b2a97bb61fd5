#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/pieces/crack_pieces.h>
#include <hackle/fracture/crack/pieces/ligaments.h>
#include <hackle/geometry/topology.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {
namespace {

constexpr double kVoxel = 0.01, kHalf = 0.5;

/// A flat crack at z = height + slope x over a rectangle, as a band.
SheetBand flat(double height, double x0, double x1, double y0 = -0.6, double y1 = 0.6, double slope = 0) {
  SheetBand band(kVoxel);
  const auto at = [&](double x, double y) { return Vec3(x, y, height + slope * x); };
  for (double x = x0; x < x1 - 1e-9; x += kVoxel) {
    const double to = std::min(x + kVoxel, x1);
    for (double y = y0; y < y1 - 1e-9; y += kVoxel) {
      const double up = std::min(y + kVoxel, y1);
      band.addQuad(at(x, y), at(to, y), at(to, up), at(x, up));
    }
  }
  return band;
}

struct Halves {
  Geometry cube = shapes::box(Vec3::Constant(-kHalf), Vec3::Constant(kHalf));
  TriangleMesh mesh = triangleMesh(cube);
  Context context;
  TriangleBvh tree{mesh, context};

  /// Voxels of the parts of a cube, ascending, with ligaments of `width` voxels broken.
  std::vector<uint64_t> parts(const std::vector<const SheetBand*>& cracks, double width) {
    Fragments fragments(tree, cracks, {kVoxel, 1.4 * kVoxel}, context);
    const uint64_t before = total(fragments);
    const size_t count = fragments.count();
    const BrokenLigaments broken = breakLigaments(fragments, cracks, {width, 1.4}, context);
    EXPECT_EQ(fragments.count(), count + broken.parts);
    EXPECT_EQ(broken.parts == 0, broken.samples.empty());
    // The new faces have become walls, two voxels or so thick.
    const double lost = static_cast<double>(before) - static_cast<double>(total(fragments));
    double area = 0;
    for (const CrackSample& sample : broken.samples) area += static_cast<double>(sample.area);
    EXPECT_LE(lost, 3 * area + 100);
    std::vector<uint64_t> voxels = fragments.voxels();
    std::sort(voxels.begin(), voxels.end());
    return voxels;
  }
  static uint64_t total(const Fragments& f) {
    return std::accumulate(f.voxels().begin(), f.voxels().end(), uint64_t{0});
  }
};

TEST(Ligaments, BreakIfTheyAreNarrow) {
  Halves halves;
  const double width = 16;
  for (const double gap : {2.0, 4.0, 8.0, 16.0, 24.0, 32.0}) {
    // Between two cracks in one plane: up to half the width for sure, beyond twice that never.
    const SheetBand left = flat(0.0, -0.6, -0.5 * gap * kVoxel), right = flat(0.0, 0.5 * gap * kVoxel, 0.6);
    const size_t between = halves.parts({&left, &right}, width).size();
    if (gap <= 0.5 * width) {
      EXPECT_EQ(between, 2u) << gap;
    }
    if (gap >= 1.5 * width) {
      EXPECT_EQ(between, 1u) << gap;
    }
    // Up to the surface: half as wide.
    const SheetBand one = flat(0.0, -0.6, kHalf - gap * kVoxel);
    const size_t below = halves.parts({&one}, width).size();
    if (gap <= 0.25 * width) {
      EXPECT_EQ(below, 2u) << gap;
    }
    if (gap >= 0.75 * width) {
      EXPECT_EQ(below, 1u) << gap;
    }
  }
}

TEST(Ligaments, AreDividedInTheMiddle) {
  // Two cracks side by side that overlap: the flake between them belongs half to either side.
  Halves halves;
  const SheetBand low = flat(-0.03, -0.6, 0.1), high = flat(0.03, -0.1, 0.6);
  const std::vector<uint64_t> voxels = halves.parts({&low, &high}, 16);
  ASSERT_EQ(voxels.size(), 2u);
  EXPECT_NEAR(static_cast<double>(voxels[0]), static_cast<double>(voxels[1]),
              0.02 * static_cast<double>(voxels[1]));
}

TEST(Ligaments, BreakAlongASmoothFace) {
  // Between two cracks in an inclined plane the face goes on in it, without the stairs of the grid.
  Halves halves;
  const double slope = 0.4;
  const SheetBand left = flat(0, -0.6, -0.03, -0.6, 0.6, slope), right = flat(0, 0.03, 0.6, -0.6, 0.6, slope);
  const std::vector<const SheetBand*> cracks{&left, &right};
  Fragments fragments(halves.tree, cracks, {kVoxel, 1.4 * kVoxel}, halves.context);
  const BrokenLigaments broken = breakLigaments(fragments, cracks, {16, 1.4}, halves.context);
  ASSERT_EQ(broken.parts, 1u);
  const Vec3 normal = Vec3(-slope, 0, 1).normalized();
  double area = 0, along = 0;
  for (const CrackSample& sample : broken.samples) {
    EXPECT_LT(std::abs(normal.dot(sample.place)), 1.5);
    area += static_cast<double>(sample.area);
    along += static_cast<double>(sample.area) * std::abs(normal.dot(sample.normal));
  }
  EXPECT_GT(along, 0.98 * area);
}

TEST(Ligaments, LeaveAloneWhatIsNotCracked) {
  // A crack that ends far from everything else.
  Halves halves;
  const SheetBand crack = flat(0.2, -0.6, -0.2);
  EXPECT_EQ(halves.parts({&crack}, 16).size(), 1u);
  // Small things beside a crack are no parts either.
  const SheetBand corner = flat(kHalf - 0.1, 0.42, 0.6, 0.42, 0.6);
  EXPECT_EQ(halves.parts({&corner}, 16).size(), 1u);
}

TEST(Ligaments, GiveSoundPieces) {
  Halves halves;
  const SheetBand low = flat(-0.021, -0.6, 0.05), high = flat(0.034, -0.03, 0.6);
  const std::vector<std::array<float, 3>> times(std::max(low.triangleCount(), high.triangleCount()));
  const std::vector<RecordedCrack> records{
      {&low, Span<const std::array<float, 3>>(times.data(), low.triangleCount())},
      {&high, Span<const std::array<float, 3>>(times.data(), high.triangleCount())}};
  CrackCutOptions options;
  for (const size_t held : {size_t{0}, size_t{1}}) {
    options.ligament = held ? 0.0 : 16 * kVoxel;
    const CrackPartition partition(halves.tree, records, options, halves.context);
    EXPECT_EQ(partition.ligaments(), 1 - held);
    EXPECT_EQ(partition.whole(), held == 1);
    if (held) continue;
    const FracturePieces pieces =
        makePieces(halves.cube, halves.mesh, partition.cut(halves.cube, halves.mesh, halves.context), {},
                   halves.context);
    const Topology topology = analyseTopology(pieces.geometry, halves.context);
    EXPECT_TRUE(topology.closed && topology.manifold);
    ASSERT_EQ(pieces.volume.size(), 2u);
    EXPECT_NEAR(pieces.volume[0] + pieces.volume[1], 1.0, 1e-9);
    EXPECT_NEAR(pieces.volume[0], 0.5, 0.02);
  }
}

TEST(Ligaments, CanBeCancelled) {
  Halves halves;
  const SheetBand left = flat(0.0, -0.6, -0.02), right = flat(0.0, 0.02, 0.6);
  const std::vector<const SheetBand*> cracks{&left, &right};
  Fragments fragments(halves.tree, cracks, {kVoxel, 1.4 * kVoxel}, halves.context);
  halves.context.cancel();
  EXPECT_THROW(breakLigaments(fragments, cracks, {16, 1.4}, halves.context), Error);
}

}  // namespace
}  // namespace hackle
