// What goes through a swap: mass, momentum, angular momentum, energy.
#include <hackle/coupling/replace.h>

#include <cell_engine.h>
#include <gtest/gtest.h>
#include <shapes.h>

namespace hackle {
namespace {

using testing_support::CellEngine;

CouplingBody movingBox(const RigidMotion& motion, Context& context) {
  CouplingBody body;
  body.id = 4;
  body.name = "crate";
  body.geometry = shapes::box({-0.3, 0, -0.1}, {0.5, 0.4, 0.2});
  body.engine = std::make_shared<CellEngine>(12);
  solidOf(body, context);
  body.mass = rigidMass(body.solid->mass, body.material.density);
  body.originalVolume = body.solid->mass.volume;
  body.motion = motion;
  return body;
}

RigidMotion tumbling() {
  RigidMotion motion;
  motion.rotation = Eigen::AngleAxisd(0.7, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  motion.position = {30, 20, -10};
  motion.velocity = {5, -12, 3};
  motion.spin = {4, -7, 11};
  return motion;
}

FractureResult broken(CouplingBody& body, Context& context) {
  LoadCase load;
  load.impacts.push_back({});
  load.seed = 7;
  return body.engine->fracture(*solidOf(body, context), *stateOf(body, context), load, context);
}

void expectMomentum(const Replacement& replacement, double tolerance) {
  const Momentum &a = replacement.before, &b = replacement.after;
  EXPECT_LT((a.linear - b.linear).norm(), tolerance * a.linear.norm());
  EXPECT_LT((a.angular - b.angular).norm(), tolerance * a.angular.norm());
}

TEST(ReplaceBody, KeepsMassMomentumAndEnergy) {
  Context context;
  CouplingBody body = movingBox(tumbling(), context);
  const Replacement replacement = replaceBody(body, broken(body, context), context);
  ASSERT_GT(replacement.fragments.size(), 5u);
  double mass = 0;
  for (const Fragment& f : replacement.fragments) mass += f.mass.mass;
  EXPECT_NEAR(mass, body.mass.mass, 1e-12 * body.mass.mass);
  EXPECT_NEAR(replacement.massScale, 1, 1e-12);
  expectMomentum(replacement, 1e-12);
  EXPECT_NEAR(replacement.after.energy, replacement.before.energy, 1e-12 * replacement.before.energy);
}

TEST(ReplaceBody, MovesPiecesAsTheirMaterialMoved) {
  Context context;
  CouplingBody body = movingBox(tumbling(), context);
  for (const Fragment& f : replaceBody(body, broken(body, context), context).fragments) {
    const Vec3 place = toWorld(body.motion, body.mass.centre, f.mass.centre);
    EXPECT_LT((f.motion.position - place).norm(), 1e-12);
    EXPECT_LT((f.motion.velocity - body.motion.velocityAt(place)).norm(), 1e-9);
    // The rest shape did not move: a corner is where it was.
    const Vec3 corner = f.geometry.position(0);
    EXPECT_LT(
        (toWorld(f.motion, f.mass.centre, corner) - toWorld(body.motion, body.mass.centre, corner)).norm(),
        1e-12);
  }
}

/// Pieces that lost a part of the body, as those of a coarse level set would.
TEST(ReplaceBody, KeepsMomentumWherePiecesDoNotFillTheBody) {
  Context context;
  CouplingBody body = movingBox(tumbling(), context);
  FractureResult result = broken(body, context);
  std::vector<Vec3>& points = result.pieces.geometry.editPositions();
  for (size_t p = 0; p < result.pieces.geometry.primitiveCount(); ++p)
    if (result.pieces.primitivePiece[p] == 0)
      for (const int32_t point : result.pieces.geometry.corners(p)) points[point] *= 0.97;
  const Replacement replacement = replaceBody(body, result, context);
  EXPECT_GT(std::abs(replacement.massScale - 1), 1e-4);
  expectMomentum(replacement, 1e-9);
}

TEST(ReplaceBody, LeavesABodyAtRestAtRest) {
  Context context;
  RigidMotion still = tumbling();
  still.velocity.setZero();
  still.spin.setZero();
  CouplingBody body = movingBox(still, context);
  for (const Fragment& f : replaceBody(body, broken(body, context), context).fragments) {
    EXPECT_EQ(f.motion.velocity, Vec3(0, 0, 0));
    EXPECT_EQ(f.motion.spin, Vec3(0, 0, 0));
  }
  // In flight without spin, all have the same velocity.
  still.velocity = {1, 2, 3};
  body.motion = still;
  for (const Fragment& f : replaceBody(body, broken(body, context), context).fragments)
    EXPECT_EQ(f.motion.velocity, still.velocity);
}

TEST(FragmentClass, GoesByVolume) {
  EXPECT_EQ(fragmentClass(0.005, 1, 1), FragmentClass::VerySmall);
  EXPECT_EQ(fragmentClass(0.0051, 1, 1), FragmentClass::Small);
  EXPECT_EQ(fragmentClass(0.021, 1, 1), FragmentClass::Large);
  EXPECT_EQ(fragmentClass(0.96, 1, 1), FragmentClass::VeryLarge);
  EXPECT_EQ(fragmentClass(0.2, 0.2, 1), FragmentClass::VeryLarge);  // nearly all of a piece
  EXPECT_EQ(fragmentClass(0.004, 0.0041, 1), FragmentClass::VerySmall);
}

}  // namespace
}  // namespace hackle
