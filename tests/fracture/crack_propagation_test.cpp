#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/fracture/crack/growth/propagation.h>

#include <cmath>

namespace hackle {
namespace {

constexpr double kDegree = 0.017453292519943295;

TEST(CrackPropagation, PureSlidingTurnsBySeventyDegrees) {
  EXPECT_NEAR(kinkAngle(0, 1e6) / kDegree, -70.5288, 1e-3);
  EXPECT_NEAR(kinkAngle(0, -1e6) / kDegree, 70.5288, 1e-3);
  EXPECT_EQ(kinkAngle(1e6, 0), 0);
  EXPECT_EQ(kinkAngle(0, 0), 0);
}

TEST(CrackPropagation, TheKinkAngleGivesTheGreatestOpening) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const double forward = random.uniform(), sliding = random.uniform(-1, 1);
    const double best = turnedIntensity(forward, sliding, kinkAngle(forward, sliding));
    for (double a = -3.14; a < 3.14; a += 0.01) EXPECT_LE(turnedIntensity(forward, sliding, a), best + 1e-12);
  }
}

TEST(CrackPropagation, SpeedIsZeroUpToTheToughnessAndStaysBelowRayleigh) {
  EXPECT_EQ(frontSpeed(1.0, 1.0, 900), 0);
  EXPECT_EQ(frontSpeed(0.5, 1.0, 900), 0);
  double last = 0;
  for (double k = 1.01; k < 1e4; k *= 1.3) {
    const double v = frontSpeed(k, 1.0, 900);
    EXPECT_GT(v, last);
    EXPECT_LT(v, 900);
    last = v;
  }
}

TEST(CrackPropagation, EnergyMatchesTheEffectiveIntensity) {
  const double e = 3e9, nu = 0.3, mu = e / (2 * (1 + nu));
  const Vec3 k(2e5, -1e5, 3e5);
  const double exact = (1 - nu * nu) / e * (k.x() * k.x() + k.y() * k.y()) + k.z() * k.z() / (2 * mu);
  EXPECT_NEAR(energyReleaseRate(k, e, nu), exact, 1e-9 * exact);
}

TEST(CrackPropagation, CompressionDrivesOnlyAboveItsRatio) {
  EXPECT_EQ(drivingIntensity(Vec3(1, 0, 0), 3), Vec3(1, 0, 0));
  EXPECT_EQ(drivingIntensity(Vec3(-3, 0, 0), 3), Vec3(1, 0, 0));
  // Sliding has as much tension on one side as compression on the other: tension wins for f_c > 1.
  EXPECT_EQ(drivingIntensity(Vec3(0, 1, 0), 3), Vec3(0, 1, 0));
  EXPECT_EQ(drivingIntensity(Vec3(0, 0, 2), 3), Vec3(0, 0, 2));
}

TEST(CrackPropagation, ValidAnglesEndWhereTheToughnessIsMet) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const double forward = random.uniform(), sliding = random.uniform(-1, 1), toughness = 0.5;
    const AngleRange valid = validAngles(forward, sliding, toughness);
    const double best = kinkAngle(forward, sliding);
    EXPECT_LE(valid.low, best);
    EXPECT_GE(valid.high, best);
    if (turnedIntensity(forward, sliding, best) <= toughness) {
      EXPECT_EQ(valid.low, valid.high);
    } else {
      EXPECT_NEAR(turnedIntensity(forward, sliding, valid.low), toughness, 1e-9);
      EXPECT_NEAR(turnedIntensity(forward, sliding, valid.high), toughness, 1e-9);
    }
  }
}

TEST(CrackPropagation, SteeringTurnsTowardsLowerToughnessWithinTheValidAngles) {
  const AngleRange valid{-0.5, 0.7};
  // Toughness falls along the normal: downhill is +90 degrees, the nearest valid angle is the high end.
  const double weight = 1 / (1 + 2.0 * 0.1 / 1.0);
  EXPECT_NEAR(steeredAngle(0.1, valid, 0, -2.0, 1.0, 0.1), weight * 0.1 + (1 - weight) * 0.7, 1e-12);
  EXPECT_NEAR(steeredAngle(0.1, valid, 0, 2.0, 1.0, 0.1), weight * 0.1 + (1 - weight) * -0.5, 1e-12);
  EXPECT_EQ(steeredAngle(0.1, valid, 0, 0, 1.0, 0.1), 0.1);
  // It falls backwards and a little down: the near end by way of the circle is the low one.
  EXPECT_LT(steeredAngle(0.1, valid, 1.0, 0.2, 1.0, 1e6), -0.49);
}

}  // namespace
}  // namespace hackle
