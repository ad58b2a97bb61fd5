#include <hackle/fracture/impact/lattice_fragments.h>

#include "impact_body.h"

#include <gtest/gtest.h>

#include <hackle/core/random.h>

#include <functional>

namespace hackle {
namespace {

using namespace vibrating;

/// Stress that is given, and energy without end unless it is given.
class GivenStress : public StressHistory {
 public:
  GivenStress(const ModalBody& body, std::function<Mat3(const Vec3&)> stress, double energy = 1e30)
      : mBody(body), mStress(std::move(stress)), mEnergy(energy) {}
  Mat3 stressAt(const LatticePlace& place, double) const override {
    Vec3 x = Vec3::Zero();
    for (size_t k = 0; k < 4; ++k) x += place.weights[k] * mBody.points()[place.points[k]];
    return mStress(x);
  }
  double energyAt(double) const override { return mEnergy; }
  double largestEnergy() const override { return mEnergy; }
  double window() const override { return 1e-3; }
  double step() const override { return 1e-5; }

 private:
  const ModalBody& mBody;
  std::function<Mat3(const Vec3&)> mStress;
  double mEnergy;
};

/// A unit cube, and flaws at places.
class ImpactGrowth : public testing::Test {
 protected:
  ImpactGrowth() : solid(shapes::box(), context), body(solid, options(0.11, 1), context), inner(0.11) {
    growth.noise = 0;
    growth.branching = 0;
    growth.ligament = 0;
  }

  CrackSet grow(const StressHistory& stress, const std::vector<Vec3>& places) {
    std::vector<Flaw> flaws;
    Failures failures;
    for (const Vec3& x : places) {
      failures.first.push_back(
          {static_cast<int32_t>(flaws.size()), apart * static_cast<double>(flaws.size())});
      flaws.push_back({x, 40e6});
    }
    return growCracks(body, stress, flawRows(body, flaws, context), failures, growth, context);
  }

  Context context;
  Solid solid;
  ModalBody body;
  double inner;
  double apart = 1e-6;  // s, between failures
  GrowthOptions growth;
};

// MODAL.md section 8: plane 1e-12.
TEST_F(ImpactGrowth, EvenTensionGivesAPlane) {
  const Vec3 normal = Vec3(0.2, 1, 0.1).normalized(), start(0.48, 0.51, 0.52);
  const GivenStress stress(body, [&](const Vec3&) { return Mat3(100e6 * normal * normal.transpose()); });
  const CrackSet set = grow(stress, {start});
  ASSERT_EQ(set.cracks.size(), 1u);
  for (const CrackCut& cut : set.cuts)
    for (size_t k = 0; k < 4; ++k) {
      const double height = (body.points()[body.tetrahedra()[cut.tetrahedron][k]] - start).dot(normal);
      const double sign = set.cracks[0].normal.dot(normal) > 0 ? 1 : -1;
      if (std::abs(height) > 1e-3) {
        EXPECT_NEAR(sign * cut.heights[k], height, 1e-12);
      }
    }
  // Through the whole cube: its section, and two parts.
  EXPECT_NEAR(set.area, 1 / normal.y(), 0.03);
  EXPECT_NEAR(set.spent, set.area * crackEnergy(body.material(), growth.toughness), 1e-9 * set.spent);
  const LatticeFragments fragments = fragmentsOf(body, set);
  EXPECT_EQ(fragments.countAbove(1e-3), 2u);
  // Time of passage: no faster than the limit.
  const double speed = growth.speedLimit * rayleighWaveSpeed(body.material());
  for (const CrackCut& cut : set.cuts) {
    Vec3 middle = Vec3::Zero();
    for (const int32_t p : body.tetrahedra()[cut.tetrahedron]) middle += 0.25 * body.points()[p];
    EXPECT_GE(cut.time * speed, (middle - start).norm() - 2 * inner);
  }
}

// MODAL.md section 8: cylinder 0.1 cells.
TEST_F(ImpactGrowth, RoundTensionGivesACylinder) {
  const Vec3 axis(0.5, -0.4, 0), start(0.5, 0.5, 0.5);
  const GivenStress stress(body, [&](const Vec3& x) {
    Vec3 r = x - axis;
    r.z() = 0;
    r.normalize();
    return Mat3(100e6 * r * r.transpose());
  });
  const CrackSet set = grow(stress, {start});
  double sum = 0;
  size_t count = 0;
  for (const CrackCut& cut : set.cuts) {
    std::array<Vec3, 4> corners;
    for (size_t k = 0; k < 4; ++k) corners[k] = body.points()[body.tetrahedra()[cut.tetrahedron][k]];
    const CutPolygon polygon = cutPolygon(corners, cut.heights);
    for (int k = 0; k < polygon.count; ++k, ++count) {
      Vec3 r = polygon.corners[k] - axis;
      r.z() = 0;
      sum += std::pow(r.norm() - 0.9, 2);
    }
  }
  ASSERT_GT(count, 500u);
  EXPECT_LT(std::sqrt(sum / static_cast<double>(count)), 0.1 * body.cellSize());
  EXPECT_EQ(fragmentsOf(body, set).countAbove(1e-3), 2u);
}

// A crack that meets an earlier one ends there: two that meet at any angle leave exactly three parts. The
// second neither leaks past its end (two) nor goes on behind the first (four).
TEST_F(ImpactGrowth, CracksEndOnEarlierOnes) {
  growth.toughness = 0.1e6;
  growth.shape = GrowthShape::Flat;
  growth.gamma = 1e9;
  apart = 1e-3;  // the first has gone through when the second starts
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed, 3);
    const Vec3 first = Vec3(1, 0.1, 0.05).normalized();
    const Vec3 second = Vec3(0.15 * random.normal(), 1, 0.15 * random.normal()).normalized();
    // Tension across both: the first flaw sees more of the one, the second of the other.
    const GivenStress stress(body, [&](const Vec3& x) {
      return x.x() > 0.3 ? Mat3(100e6 * first * first.transpose())
                         : Mat3(100e6 * second * second.transpose());
    });
    const CrackSet set = grow(stress, {{0.5, 0.5, 0.5}, {0.2, 0.47, 0.52}});
    ASSERT_EQ(set.cracks.size(), 2u);
    EXPECT_EQ(fragmentsOf(body, set).countAbove(0.005), 3u) << seed;
  }
}

TEST_F(ImpactGrowth, EnergyIsNeverOverdrawn) {
  const Vec3 normal = Vec3(0.2, 1, 0.1).normalized();
  const double price = crackEnergy(body.material(), growth.toughness);
  for (const double energy : {0.0, 0.1 * price, 0.5 * price}) {
    const GivenStress stress(
        body, [&](const Vec3&) { return Mat3(100e6 * normal * normal.transpose()); }, energy);
    const CrackSet set = grow(stress, {{0.48, 0.51, 0.52}, {0.5, 0.2, 0.5}});
    EXPECT_LE(set.spent, energy);
    EXPECT_GE(set.leastLeft, 0);
    EXPECT_EQ(fragmentsOf(body, set).countAbove(1e-3), 1u);
    if (energy > 0) {
      EXPECT_GT(set.spent, 0.9 * energy);
    }
  }
}

TEST_F(ImpactGrowth, StopsWhereTheStressIsTooLow) {
  // K = 0.7 s sqrt(pi r) reaches the toughness of 10 MPa m^1/2 far from flaws of 40 MPa only for s large.
  const GivenStress stress(body, [](const Vec3& x) {
    const double s = x.x() < 0.5 ? 100e6 : 0.0;
    return Mat3(s * Vec3::UnitY() * Vec3::UnitY().transpose());
  });
  const CrackSet set = grow(stress, {{0.3, 0.5, 0.5}});
  EXPECT_NEAR(set.area, 0.5, 0.12);
  EXPECT_EQ(fragmentsOf(body, set).countAbove(1e-3), 1u);
}

TEST(ImpactShield, PennyLeavesHalfAtItsRadius) {
  EXPECT_NEAR(shieldedShare(0.3, 0.3), 0.5, 1e-12);
  EXPECT_NEAR(shieldedShare(0.3, 0), 0, 1e-12);
  EXPECT_NEAR(shieldedShare(0.3, 300), 1, 1e-6);
  EXPECT_EQ(shieldedShare(0, 1), 1);
  for (double z = 0.01; z < 3; z += 0.05) EXPECT_GT(shieldedShare(0.3, z + 0.05), shieldedShare(0.3, z));
}

}  // namespace
}  // namespace hackle
