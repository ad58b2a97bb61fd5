#include <hackle/coupling/contact_patch.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

SurfacePoints square(double half, const Vec3& at) {
  return {at + Vec3(-half, 0, -half), at + Vec3(half, 0, -half), at + Vec3(half, 0, half),
          at + Vec3(-half, 0, half), at + Vec3(0, 1, 0)};
}

TEST(ContactPatch, IsWhatBothBodiesShare) {
  const ContactPatch patch =
      contactPatch(square(1, {0, 0, 0}), square(0.5, {0.75, 1e-4, 0}), {0.7, 0, 0}, Vec3::UnitY(), 1e-3);
  EXPECT_NEAR(patch.area, 0.75, 1e-12);  // 0.25 to 1 by -0.5 to 0.5
  EXPECT_NEAR(patch.centre.x(), 0.625, 1e-12);
  EXPECT_NEAR(patch.centre.z(), 0, 1e-12);
}

TEST(ContactPatch, OnThePlaneIsTheBodysOwnFace) {
  const ContactPatch patch = contactPatch(square(0.2, {3, 2, 1}), {}, {3, 2, 1}, Vec3::UnitY(), 1e-3);
  EXPECT_NEAR(patch.area, 0.16, 1e-12);
}

TEST(ContactPatch, OfACornerIsAPoint) {
  const ContactPatch patch =
      contactPatch({{0, 0, 0}, {1, 1, 0}, {0, 1, 1}}, {}, {0, 0, 0}, Vec3::UnitY(), 1e-3);
  EXPECT_EQ(patch.area, 0);
  const std::vector<PatchSample> samples = patchSamples(patch, {0, 0, 0}, Vec3::UnitY());
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].share, 1);
}

/// A body that stands on two feet, such as a dumbbell on its two balls, is loaded at the feet, not between
/// them.
TEST(ContactPatch, OfTwoFeetIsAtTheFeet) {
  const SurfacePoints feet{{-1, 0, 0}, {1, 0, 0}, {0, 0.3, 0}, {-1, 0.4, 0.2}, {1, 0.4, -0.2}};
  const ContactPatch patch = contactPatch(feet, {}, {0.1, 0, 0}, Vec3::UnitY(), 1e-3);
  EXPECT_EQ(patch.area, 0);
  const auto touches = [](const Vec3& p) { return std::abs(std::abs(p.x()) - 1) < 0.01; };
  const std::vector<PatchSample> samples = patchSamples(patch, {0.1, 0, 0}, Vec3::UnitY(), touches);
  ASSERT_EQ(samples.size(), 2u);
  double moment = 0;
  for (const PatchSample& sample : samples) {
    EXPECT_TRUE(touches(sample.position));
    moment += sample.share * sample.position.x();
  }
  EXPECT_NEAR(samples[0].share + samples[1].share, 1, 1e-12);
  EXPECT_NEAR(moment, 0.1, 1e-12);
  // An edge takes its load along its length.
  for (const PatchSample& sample : patchSamples(patch, {0, 0, 0}, Vec3::UnitY()))
    EXPECT_NEAR(std::abs(sample.position.x()), 2.0 / 3, 1e-12);
}

TEST(ContactPatch, SharesAddUpAndHaveTheCentreOfTheLoad) {
  const ContactPatch patch = contactPatch(square(0.3, {0, 0, 0}), {}, {0, 0, 0}, Vec3::UnitY(), 1e-3);
  for (const Vec3& centre : {Vec3(0, 0, 0), Vec3(0.05, 0, 0), Vec3(0.03, 0, -0.06)}) {
    double sum = 0;
    Vec3 mean = Vec3::Zero();
    for (const PatchSample& sample : patchSamples(patch, centre, Vec3::UnitY())) {
      sum += sample.share;
      mean += sample.share * sample.position;
      EXPECT_GE(sample.share, 0);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT((mean - centre).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace hackle
