// Impact fracture knows no axes: bodies that are turned or hit in mirrored places break alike.
#include <hackle/core/archive.h>
#include <hackle/fracture/impact/impact_engine.h>
#include <hackle/fracture/impact/lattice_fragments.h>
#include <hackle/geometry/geometry_archive.h>

#include "impact_body.h"

#include <gtest/gtest.h>

namespace hackle {
namespace {

using namespace vibrating;

constexpr double kSize = 0.3;  // m

struct Broken {
  CrackSet cracks;
  LatticeFragments fragments;
};

/// All cracks of a hit, without noise and branches.
Broken breakBody(const ModalBody& body, const Solid& solid, std::vector<Flaw> places, const Vec3& place,
                 const Vec3& direction, Context& context) {
  Impact hit;
  hit.position = place;
  hit.direction = direction;
  hit.impulse = 20;
  hit.striker.mass = 0.5;
  hit.striker.radius = 0.02;
  const std::vector<Strike> strikes = strikesOf(body, solid, Span<const Impact>(&hit, 1), {}, context);
  const Motion motion(body, strikes, {}, context);
  const FlawRows flaws = flawRows(body, std::move(places), context);
  GrowthOptions growth;
  growth.noise = 0;
  growth.branching = 0;
  const Failures failures = findFailures(flaws, motion, Grain(), 1, context);
  Broken broken;
  broken.cracks = growCracks(body, motion, flaws, failures, growth, context);
  broken.fragments = fragmentsOf(body, broken.cracks);
  return broken;
}

Geometry plate() { return shapes::box({-kSize / 2, 0, -kSize / 2}, {kSize / 2, 0.04, kSize / 2}); }

/// The file of a body, turned: with another solid's fingerprint.
std::string turnedArchive(const std::string& bytes, const Mat3& turn, const Geometry& turned) {
  const ArchiveReader from(bytes, "impact", 2);
  ArchiveWriter to("impact", 2);
  std::vector<double> points = from.float64s("points");
  std::vector<float> shapes = from.float32s("shapes");
  for (size_t i = 0; i < points.size(); i += 3)
    Eigen::Map<Vec3>(points.data() + i) = turn * Vec3(Eigen::Map<Vec3>(points.data() + i));
  for (size_t i = 0; i < shapes.size(); i += 3) {
    Eigen::Map<Eigen::Vector3f> shape(shapes.data() + i);
    shape = (turn * shape.cast<double>()).cast<float>();
  }
  to.add("fingerprint", std::vector<int64_t>{static_cast<int64_t>(geometryFingerprint(turned))});
  to.add("figures", from.float64s("figures"));
  to.add("points", points);
  to.add("tetrahedra", from.int32s("tetrahedra"));
  to.add("quadratic", from.int32s("quadratic"));
  to.add("moments", from.float64s("moments"));
  to.add("frequencies", from.float64s("frequencies"));
  to.add("shapes", shapes);
  return to.finish();
}

// MODAL.md section 8: lattice and hit turned. Stresses are kept in single precision: cracks start alike to
// 1e-5 instead of 1e-9, and where axes only change places the parts are the same. After another turn later
// cracks may decide close calls otherwise.
TEST(ImpactSymmetry, TurnedBodiesBreakAlike) {
  Context context;
  const Solid solid(plate(), context);
  ModalBodyOptions o;
  o.material = {70e9, 0.22, 2500};
  o.elements = 2500;
  o.modes = 40;
  const ModalBody body(solid, o, context);
  const Vec3 place(0.03, 0.04, 0.05), direction(0.1, -1, 0.05);
  FlawOptions flawOptions;
  flawOptions.count = 300;
  flawOptions.strength = 30e6;
  flawOptions.modulus = 20;
  const std::vector<Flaw> flaws = flawPopulation(solid, flawOptions, context);
  const Broken straight = breakBody(body, solid, flaws, place, direction, context);
  EXPECT_GE(straight.fragments.countAbove(1e-3), 3u);
  Mat3 cyclic;
  cyclic << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  const Mat3 skew = Eigen::AngleAxisd(0.7, Vec3(0.3, 0.5, -0.8).normalized()).toRotationMatrix();
  const std::array<Mat3, 2> turns{cyclic, skew};
  for (const Mat3& turn : turns) {
    const Solid turned(transformed(plate(), turn, Vec3::Zero()), context);
    const ModalBody other(turned, turnedArchive(body.archive(), turn, turned.geometry), context);
    std::vector<Flaw> turnedFlaws = flaws;
    for (Flaw& flaw : turnedFlaws) {
      flaw.position = turn * flaw.position;
      flaw.normal = turn * flaw.normal;
    }
    const Broken same = breakBody(other, turned, turnedFlaws, turn * place, turn * direction, context);
    ASSERT_GE(std::min(same.cracks.cracks.size(), straight.cracks.cracks.size()), 4u);
    for (size_t c = 0; c < 4; ++c) {
      const Crack &a = straight.cracks.cracks[c], &b = same.cracks.cracks[c];
      EXPECT_EQ(a.flaw, b.flaw);
      EXPECT_LT((turn * a.start - b.start).norm(), 1e-12);
      EXPECT_LT((turn * a.normal).cross(b.normal).norm(), 1e-5);
      EXPECT_NEAR(a.time / b.time, 1, 1e-6);
      EXPECT_NEAR(a.stress / b.stress, 1, 1e-5);
    }
    if (&turn == &turns[0]) {
      EXPECT_EQ(same.fragments.labels, straight.fragments.labels);
    }
  }
}

}  // namespace
}  // namespace hackle
