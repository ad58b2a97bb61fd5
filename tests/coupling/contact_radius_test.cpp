// How round bodies are where they touch.
#include <hackle/coupling/contact_radius.h>

#include <hackle/mechanics/contact.h>

#include <gtest/gtest.h>
#include <shapes.h>

namespace hackle {
namespace {

TEST(ContactRadii, OfAFaceIsFlatAndOfACornerIsSharp) {
  Context context;
  const Solid box(shapes::box({0, 0, 0}, {1, 2, 3}), context);
  ContactRadii radii;
  EXPECT_FALSE(radii.at(box, {0.5, 2, 1.5}));
  const std::optional<double> edge = radii.at(box, {1, 2, 1.5}), corner = radii.at(box, {1, 2, 3});
  ASSERT_TRUE(edge && corner);
  EXPECT_LT(*corner, *edge);
  EXPECT_LT(*edge, 0.5);
}

TEST(ContactRadii, AreThoseOfTheSurfaceNearby) {
  Context context;
  const Solid ball(shapes::sphere(40, 0.5), context);
  const double reach = 0.05 * ball.bvh.bounds().diagonal();
  ContactRadii radii;
  for (const Vec3& p : {Vec3(0.3, 0.4, 0), Vec3(0, 0.3, -0.4), Vec3(0.5, 0, 0)}) {
    ASSERT_TRUE(radii.at(ball, p));
    EXPECT_NEAR(*radii.at(ball, p) * surfaceCurvature(ball.mesh, ball.bvh, p, reach), 1, 0.02);
  }
}

/// What was asked before does not matter: a run that goes on from a checkpoint has asked other places.
TEST(ContactRadii, DoNotDependOnTheOrderOfQuestions) {
  Context context;
  const Solid box(shapes::box({0, 0, 0}, {1, 2, 3}), context);
  std::vector<Vec3> places;
  for (int i = 0; i < 60; ++i) places.push_back({1, 2 - 0.002 * i, 3 - 0.003 * (i % 7)});
  ContactRadii forwards, backwards;
  std::vector<std::optional<double>> there, back;
  for (const Vec3& p : places) there.push_back(forwards.at(box, p));
  for (size_t i = places.size(); i-- > 0;) back.insert(back.begin(), backwards.at(box, places[i]));
  EXPECT_EQ(there, back);
}

}  // namespace
}  // namespace hackle
