// From contacts to loads: thresholds, impacts spread over steps, rest.
#include <hackle/coupling/decide.h>

#include <cell_engine.h>
#include <gtest/gtest.h>
#include <shapes.h>

namespace hackle {
namespace {

using testing_support::CellEngine;

constexpr double kStep = 1.0 / 250;

class Deciding : public ::testing::Test {
 protected:
  Deciding() {
    mBox.id = 1;
    mBox.name = "box";
    mBox.geometry = shapes::box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
    mBox.restitution = 0;
    mBox.born = -1;
    solidOf(mBox, mContext);
    mBox.mass = rigidMass(mBox.solid->mass, mBox.material.density);
    mBox.originalVolume = 1;
    mBox.motion.position = {0, 0.5, 0};
    mBox.motion.velocity = {0, -2, 0};
    mGround.id = 0;
    mGround.name = "ground";
    mGround.dynamic = false;
    mEngine = std::make_shared<CellEngine>(5);
    mBox.engine = mEngine;
  }

  /// A step with contacts of this impulse (N s up) and speed (m/s) at the corners of the lower face.
  std::vector<FractureEvent> step(double impulse, double speed, double dt = kStep) {
    std::vector<BodyContact> contacts;
    for (int i = 0; i < 4; ++i) {
      BodyContact c;
      c.a = 0;  // the first body is the ground, so all is the other way around
      c.b = 1;
      c.position = {i & 1 ? 0.5 : -0.5, 0, i & 2 ? 0.5 : -0.5};
      c.normal = {0, -1, 0};
      c.impulse = {0, -impulse / 4, 0};
      c.speed = speed;
      if (impulse > 0) contacts.push_back(c);
    }
    const std::vector<CouplingBody*> bodies{&mGround, &mBox};
    mTime += dt;
    return mDecider.decide(bodies, contacts, 2, mTime, dt, mContext);
  }

  Context mContext;
  CouplingBody mBox, mGround;
  std::shared_ptr<CellEngine> mEngine;
  FractureDecider mDecider{DecideOptions{}};
  double mTime = 0;
};

TEST_F(Deciding, ImpactsCarryTheWholeImpulse) {
  const std::vector<FractureEvent> events = step(6000, 2);
  ASSERT_EQ(events.size(), 1u);
  double sum = 0;
  for (const Impact& impact : events[0].load.impacts) {
    sum += impact.impulse;
    EXPECT_NEAR(impact.position.y(), -0.5, 1e-12);
    EXPECT_GT(impact.direction.y(), 0.99);  // the ground pushes up
    EXPECT_EQ(*impact.speed, 2);
    EXPECT_FALSE(impact.striker.mass);  // immovable
  }
  EXPECT_NEAR(sum, 6000, 1e-6);
  EXPECT_GT(events[0].load.impacts.size(), 2u);  // over the face, not at a point
  ASSERT_TRUE(events[0].load.duration);
  EXPECT_LE(*events[0].load.duration, kStep);
}

TEST_F(Deciding, EnginesThatKnowNoStrengthGetTheNominalOne) {
  // A beam of 1 m by 0.2 m by 0.1 m under 100 N: 3/4 F c / (b a^2).
  CouplingBody beam;
  beam.geometry = shapes::box({0, 0, 0}, {1, 0.2, 0.1});
  beam.mass.mass = 0.02 * beam.material.density;
  EXPECT_NEAR(nominalStress(beam, 100), 0.75 * 100 * 1 / (0.2 * 0.01), 1e-6);
  beam.mass.mass /= 2;  // hollow: half as thick
  EXPECT_NEAR(nominalStress(beam, 100), 4 * 0.75 * 100 * 1 / (0.2 * 0.01), 1e-6);

  const double stress = nominalStress(mBox, step(6000, 2).at(0).force);
  mDecider = FractureDecider(DecideOptions{});
  mBox.limits.strength = 1.01 * stress;
  EXPECT_TRUE(step(6000, 2).empty());
  mBox.limits.strength = 0.99 * stress;
  EXPECT_EQ(step(6000, 2).size(), 1u);
}

TEST_F(Deciding, PiecesOfPiecesAreNoSmallerThanThoseOfTheFirstFracture) {
  mBox.limits.strength = 0;
  EXPECT_FALSE(step(6000, 2).at(0).load.maxPieces);
  mDecider = FractureDecider(DecideOptions{});
  mBox.pieceVolume = 0.1;
  EXPECT_EQ(*step(6000, 2).at(0).load.maxPieces, 10u);
  mDecider = FractureDecider(DecideOptions{});
  mBox.pieceVolume = 0.8;
  EXPECT_TRUE(step(6000, 2).empty());
}

TEST_F(Deciding, AFirstStepCountsForWhatItsSpeedWillGive) {
  // The engine that finds contacts has let only a part of the impulse act so far.
  const std::vector<FractureEvent> events = step(10, 2);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(events[0].impulse, 2500 * 2, 1e-6 * 5000);  // (1 + e) m v through the centre
}

TEST_F(Deciding, SumsAnImpactOverThreeSteps) {
  mBox.limits.impulse = 6500;
  EXPECT_TRUE(step(3000, 0.1).empty());
  EXPECT_TRUE(step(2000, 0.1).empty());
  const std::vector<FractureEvent> events = step(2000, 0.1);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NEAR(events[0].impulse, 7000, 1e-6);
  mBox.limits.impulse = 7500;
  EXPECT_TRUE(step(2000, 0.1).empty());  // the first of them is past
}

TEST_F(Deciding, BelowTheThresholdsNobodyIsAsked) {
  mBox.limits.impulse = 1e5;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(step(6000, 2).empty());
  EXPECT_EQ(mEngine->asked, 0);
  mBox.limits.force = 1e5;  // one of both is enough: a blow of 6000 N s is short
  EXPECT_EQ(step(6000, 2).size(), 1u);
}

TEST_F(Deciding, RestIsAForceNotAnImpulse) {
  mEngine = std::make_shared<CellEngine>(5, 0, 2e4);
  mBox.engine = mEngine;
  const double weight = mBox.mass.mass * 9.81;
  mBox.motion.velocity.setZero();
  std::vector<FractureEvent> events;
  for (int i = 0; i < 6 && events.empty(); ++i) events = step(weight * kStep, 0.9 * 9.81 * kStep);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].load.impacts.empty());
  Vec3 force = Vec3::Zero();
  for (const SteadyForce& s : events[0].load.steady) force += s.force;
  EXPECT_NEAR(force.y(), weight, 1e-6 * weight);
  // Inertia relief: what the contacts give is what the body feels.
  EXPECT_NEAR(events[0].load.acceleration.y(), 9.81, 1e-6);
}

TEST_F(Deciding, ALoadThatWasHeldIsNotAskedAgain) {
  mEngine = std::make_shared<CellEngine>(5, 1e9, 1e9);
  mBox.engine = mEngine;
  mBox.motion.velocity.setZero();
  const double weight = mBox.mass.mass * 9.81;
  for (int i = 0; i < 1000; ++i) step(weight * kStep, 0);
  EXPECT_LE(mEngine->asked, 2);
}

TEST_F(Deciding, NewPiecesWait) {
  mBox.born = 0;
  mBox.limits.delay = 0.05;
  int asked = 0;
  while (step(6000 + 2000 * asked, 2).empty()) ++asked;
  EXPECT_NEAR((asked + 1) * kStep, 0.05, 0.6 * kStep);
}

TEST_F(Deciding, StepsDoNotMatter) {
  const double impulse = step(10, 2, kStep)[0].impulse;
  FractureDecider fine{DecideOptions{}};
  mDecider = fine;
  EXPECT_NEAR(step(1, 2, kStep / 10)[0].impulse, impulse, 1e-9 * impulse);
}

TEST_F(Deciding, HistoriesAreSaved) {
  step(3000, 0.1);
  step(2000, 0.1);
  ArchiveWriter writer("decider", 1);
  mDecider.save(writer, "d.");
  const std::string bytes = writer.finish();
  FractureDecider other{DecideOptions{}};
  other.restore(ArchiveReader(bytes, "decider", 1), "d.");
  ArchiveWriter again("decider", 1);
  other.save(again, "d.");
  EXPECT_EQ(again.finish(), bytes);
}

}  // namespace
}  // namespace hackle
