// Faces between pieces that are not flat, chips, and reach: pieces stay closed, fill the solid and do not
// cross.
#include "engine_checks.h"

#include <gtest/gtest.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>
#include <hackle/meshing/surface/self_intersections.h>

namespace hackle {
namespace {

using engine_checks::Prepared;

VoronoiOptions rough(double amount, size_t pieces = 8) {
  VoronoiOptions options;
  options.pieces = pieces;
  options.edges.amount = amount;
  return options;
}

LoadCase hitAt(const Vec3& at) {
  LoadCase load;
  Impact impact;
  impact.position = at;
  load.impacts = {impact};
  return load;
}

/// A triangle a millionth smaller, and how thin it is.
struct Smaller {
  std::array<Vec3, 3> corners;
  double height;

  explicit Smaller(const std::array<Vec3, 3>& t) {
    const Vec3 middle = (t[0] + t[1] + t[2]) / 3;
    double longest = 0;
    for (size_t k = 0; k < 3; ++k) {
      corners[k] = middle + (1 - 1e-6) * (t[k] - middle);
      longest = std::max(longest, (t[k] - t[(k + 1) % 3]).norm());
    }
    height = (t[1] - t[0]).cross(t[2] - t[0]).norm() / longest;
  }
};

/// Pieces do not cross themselves by more than rounding: corners that lie in the middle of a straight side
/// are off it by the last digit. Two pieces that crossed each other would have too much volume.
void expectNoCrossings(const FracturePieces& pieces) {
  Context context;
  for (size_t p = 0; p < pieces.names.size(); ++p) {
    std::vector<int32_t> own;
    for (size_t f = 0; f < pieces.primitivePiece.size(); ++f)
      if (pieces.primitivePiece[f] == static_cast<int32_t>(p)) own.push_back(static_cast<int32_t>(f));
    const TriangleMesh mesh = triangleMesh(pieces.geometry.extract(own));
    const auto smaller = [&](int32_t t) {
      const Triangle& c = mesh.triangles[t];
      return Smaller({mesh.points[c[0]], mesh.points[c[1]], mesh.points[c[2]]});
    };
    for (const auto& [a, b] : selfIntersections(mesh, context)) {
      const Smaller s = smaller(a), t = smaller(b);
      if (std::min(s.height, t.height) < 1e-9) continue;
      EXPECT_FALSE(trianglesIntersect(s.corners, t.corners)) << pieces.names[p];
    }
  }
}

TEST(RoughEdges, PiecesFillTheSolidWithoutCrossings) {
  for (const Geometry& solid : {shapes::box(), shapes::torus(20, 10), shapes::sphere(10)})
    for (const double amount : {0.1, 0.3}) {
      const Prepared body(VoronoiEngine(rough(amount)), solid);
      const FractureResult broken = body.fracture({});
      EXPECT_GE(broken.pieces.names.size(), 8u);
      engine_checks::expectSound(broken, body.solid());
      expectNoCrossings(broken.pieces);
    }
}

TEST(RoughEdges, OutlinesOnTheSurfaceAreNotStraight) {
  VoronoiOptions options = rough(0.1);
  options.sites = {{0.3, 0.5, 0.5}, {0.7, 0.5, 0.5}};  // the face between them is x = 0.5
  const auto widthOfRim = [&](const FractureResult& result) {
    const Geometry& g = result.pieces.geometry;
    double low = 1, high = 0;
    size_t points = 0;
    for (const Vec3& p : g.positions()) {
      if (p.y() != 1 || p.x() < 0.2 || p.x() > 0.8) continue;
      low = std::min(low, p.x());
      high = std::max(high, p.x());
      ++points;
    }
    return points > 2 ? high - low : 0.0;
  };
  const double size = meanPieceSize(1, 2);
  const Prepared bent(VoronoiEngine(options), shapes::box());
  EXPECT_GT(widthOfRim(bent.fracture({})), 0.03 * size);
  EXPECT_LT(widthOfRim(bent.fracture({})), 0.2 * size);
  // It fades with the distance from a hit, and below the surface.
  options.edges.reach = 1e-3;
  const Prepared far(VoronoiEngine(options), shapes::box());
  EXPECT_LT(widthOfRim(far.fracture(hitAt({0, 0, 0}))), 1e-9);
  options.edges.amount = 0;
  options.edges.reach = 0;
  const Prepared flat(VoronoiEngine(options), shapes::box());
  EXPECT_EQ(widthOfRim(flat.fracture({})), 0.0);
}

TEST(RoughEdges, TooMuchIsReducedWithAWarning) {
  const Prepared body(VoronoiEngine(rough(5)), shapes::box());
  Context context;
  const FractureResult broken = body.engine().fracture(body.solid(), body.state(), {}, context);
  engine_checks::expectSound(broken, body.solid());
  expectNoCrossings(broken.pieces);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_NE(context.warnings()[0].find("edges could be displaced by"), std::string::npos);
}

TEST(RoughEdges, TheResultScalesWithTheSolid) {
  VoronoiOptions options = rough(0.15);
  options.chips.amount = 0.2;
  const Prepared one(VoronoiEngine(options), shapes::box()),
      small(VoronoiEngine(options), shapes::box({0, 0, 0}, Vec3::Constant(1.0 / 128)));
  const FracturePieces a = one.fracture({}).pieces, b = small.fracture({}).pieces;
  ASSERT_EQ(a.names, b.names);
  for (size_t p = 0; p < a.names.size(); ++p)
    EXPECT_NEAR(a.volume[p], std::pow(128.0, 3) * b.volume[p], 1e-9);
}

TEST(RoughEdges, GiveTheSameBytesOnAnyNumberOfThreads) {
  VoronoiOptions options = rough(0.15, 6);
  options.chips.amount = 0.2;
  options.splinter = 3;
  engine_checks::expectSameOnThreads(VoronoiEngine(options), shapes::torus(16, 8), hitAt({1.25, 0, 0}));
}

TEST(Chips, ComeOffRimsAndLeaveTheRest) {
  VoronoiOptions options = rough(0, 1);
  options.chips = {0.3, 0.05};
  const Prepared body(VoronoiEngine(options), shapes::box());
  const FractureResult broken = body.fracture({});
  engine_checks::expectSound(broken, body.solid());
  const FracturePieces& pieces = broken.pieces;
  ASSERT_GT(pieces.names.size(), 10u);
  EXPECT_EQ(pieces.names[0], "piece0-0");
  EXPECT_GT(pieces.volume[0], 0.98);
  const double size = 0.05 * std::sqrt(3.0);
  for (size_t p = 1; p < pieces.names.size(); ++p) {
    EXPECT_LT(pieces.volume[p], size * size * size);
    // Near one of the twelve edges: two coordinates are near to 0 or 1.
    Vec3 away = pieces.centre[p].cwiseMin(Vec3(1, 1, 1) - pieces.centre[p]);
    std::sort(away.data(), away.data() + 3);
    EXPECT_LT(away[1], size);
  }
}

TEST(Chips, AndReachKeepToTheHit) {
  VoronoiOptions options = rough(0.1, 60);
  options.reach = 0.5;
  options.chips = {0.3, 0.03};
  const Prepared bar(VoronoiEngine(options), shapes::box({0, 0, 0}, {4, 1, 1}));
  const FractureResult broken = bar.fracture(hitAt({0, 0.5, 0.5}));
  engine_checks::expectSound(broken, bar.solid());
  ASSERT_GT(broken.pieces.names.size(), 5u);
  size_t large = 0;
  for (size_t p = 0; p < broken.pieces.names.size(); ++p) {
    if (broken.pieces.volume[p] > 2.5)
      ++large;
    else
      EXPECT_LT(broken.pieces.centre[p].x(), 0.8);
  }
  EXPECT_EQ(large, 1u);
}

TEST(Reach, WithoutAHitIsRefused) {
  VoronoiOptions options = rough(0);
  options.reach = 0.1;
  const Prepared body(VoronoiEngine(options), shapes::box());
  EXPECT_THROW(body.fracture({}), Error);
}

TEST(RadialPattern, CellsAreSmallerTowardsTheHit) {
  VoronoiOptions options;
  options.pieces = 60;
  options.pattern = SitePattern::Radial;
  const Prepared pane(VoronoiEngine(options), shapes::box({0, 0, 0}, {2, 0.02, 1}));
  const FractureResult broken = pane.fracture(hitAt({0.5, 0.02, 0.4}));
  engine_checks::expectSound(broken, pane.solid());
  double nearVolume = 0, farVolume = 0;
  size_t nearCount = 0, farCount = 0;
  for (size_t p = 0; p < broken.pieces.names.size(); ++p) {
    const bool close = (broken.pieces.centre[p] - Vec3(0.5, 0.01, 0.4)).norm() < 0.25;
    (close ? nearVolume : farVolume) += broken.pieces.volume[p];
    ++(close ? nearCount : farCount);
  }
  ASSERT_GT(nearCount, 5u);
  ASSERT_GT(farCount, 10u);
  EXPECT_LT(nearVolume / static_cast<double>(nearCount), 0.4 * farVolume / static_cast<double>(farCount));
}

TEST(Grain, SplintersAreLongAlongIt) {
  VoronoiOptions options;
  options.pieces = 40;
  options.splinter = 8;
  options.grain = {1, 1, 0};
  const Prepared block(VoronoiEngine(options), shapes::box());
  const FracturePieces pieces = block.fracture({}).pieces;
  const Vec3 grain = Vec3(1, 1, 0).normalized(), across = Vec3(1, -1, 0).normalized();
  double along = 0, beside = 0;
  for (size_t p = 0; p < pieces.names.size(); ++p) {
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (size_t f = 0; f < pieces.primitivePiece.size(); ++f)
      if (pieces.primitivePiece[f] == static_cast<int32_t>(p))
        for (const int32_t c : pieces.geometry.corners(f)) {
          const Vec3& x = pieces.geometry.position(static_cast<size_t>(c));
          const double at[2] = {x.dot(grain), x.dot(across)};
          for (int k = 0; k < 2; ++k) {
            low[k] = std::min(low[k], at[k]);
            high[k] = std::max(high[k], at[k]);
          }
        }
    along += high[0] - low[0];
    beside += high[1] - low[1];
  }
  EXPECT_GT(along, 2 * beside);
}

}  // namespace
}  // namespace hackle
