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
