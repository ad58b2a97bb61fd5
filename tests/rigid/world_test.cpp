// Laws of the rigid-body world: free fall, impulses, rest, swaps, restarts.
#include <hackle/rigid/world.h>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>

namespace hackle {
namespace {

CollisionShapePtr boxShape(const Vec3& half, double margin = 1e-3) {
  auto shape = std::make_shared<CollisionShape>();
  shape->margin = margin * half.norm();
  std::vector<Vec3> corners;
  const Vec3 inner = half.array() - shape->margin;
  for (int i = 0; i < 8; ++i)
    corners.push_back(inner.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  shape->hulls = {corners};
  return shape;
}

BodySetup box(int32_t id, const Vec3& half, double mass, const Vec3& at,
              const Vec3& velocity = Vec3::Zero()) {
  BodySetup setup;
  setup.id = id;
  setup.name = "box" + std::to_string(id);
  setup.shape = boxShape(half);
  setup.mass.mass = mass;
  const Vec3 squares = half.cwiseProduct(half);
  setup.mass.inertia = Vec3(mass / 3 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal();
  setup.motion.position = at;
  setup.motion.velocity = velocity;
  setup.restitution = 0;
  return setup;
}

BodySetup ground(int32_t id) {
  BodySetup setup;
  setup.id = id;
  setup.name = "ground";
  setup.kind = BodyKind::Static;
  setup.shape = std::make_shared<CollisionShape>();
  setup.friction = 1;
  return setup;
}

constexpr double kStep = 1.0 / 250;

TEST(RigidWorld, FallsAsTheSymplecticEulerMethodDoes) {
  for (const double length : {1e-3, 1.0, 1e3}) {
    WorldOptions options;
    options.length = length;
    RigidWorld world(options);
    world.add(box(3, Vec3::Constant(0.5 * length), 2, Vec3(0, 0, 0), Vec3(length, 0, 0)));
    for (int i = 0; i < 100; ++i) world.step(kStep);
    const RigidMotion motion = world.motion(3);
    EXPECT_NEAR(motion.velocity.y(), -9.81 * 100 * kStep, 1e-9);
    EXPECT_NEAR(motion.position.y(), -9.81 * kStep * kStep * 100 * 101 / 2, 1e-9);
    EXPECT_NEAR(motion.position.x(), length * 100 * kStep, 1e-12 * length);
  }
}

TEST(RigidWorld, ImpulsesOfContactsAreTheChangeOfMomentum) {
  RigidWorld world({});
  world.add(ground(0));
  world.add(box(1, {0.2, 0.1, 0.3}, 3, {0, 0.12, 0}, {0.5, -4, 0}));
  double seen = 0;
  for (int i = 0; i < 30; ++i) {
    const Vec3 before = world.motion(1).velocity;
    world.step(kStep);
    Vec3 impulse = Vec3::Zero();
    for (const BodyContact& c : world.contacts()) impulse += c.a == 1 ? c.impulse : Vec3(-c.impulse);
    const Vec3 change = 3 * (world.motion(1).velocity - before - kStep * Vec3(0, -9.81, 0));
    EXPECT_LT((impulse - change).norm(), 1e-9) << i;
    seen += impulse.y();
  }
  EXPECT_GT(seen, 3 * 4);  // it was stopped
}

TEST(RigidWorld, ContactsKnowTheSpeedOfApproach) {
  RigidWorld world({});
  world.add(ground(0));
  world.add(box(1, Vec3::Constant(0.1), 1, {0, 0.1005, 0}, {0, -3, 0}));
  world.step(kStep);
  ASSERT_FALSE(world.contacts().empty());
  EXPECT_NEAR(world.contacts()[0].speed, 3, 0.05);
  EXPECT_GT((world.contacts()[0].a == 1 ? 1 : -1) * world.contacts()[0].normal.y(), 0.99);
}

TEST(RigidWorld, RestsWithItsWeight) {
  RigidWorld world({});
  world.add(ground(0));
  world.add(box(1, {0.2, 0.1, 0.3}, 3, {0, 0.1001, 0}));
  for (int i = 0; i < 100; ++i) world.step(kStep);
  Vec3 impulse = Vec3::Zero();
  for (const BodyContact& c : world.contacts()) impulse += c.a == 1 ? c.impulse : Vec3(-c.impulse);
  EXPECT_NEAR(impulse.y() / kStep, 3 * 9.81, 0.01 * 3 * 9.81);
  for (int i = 0; i < 1500; ++i) world.step(kStep);
  EXPECT_FALSE(world.awake(1));
  EXPECT_TRUE(world.contacts().empty());  // what a sleeping pair remembers is no impulse
  EXPECT_NEAR(world.motion(1).position.y(), 0.1, 1e-3);
}

/// Eight cubes that fill a box of half side 0.2.
std::vector<BodySetup> octants(int32_t first, const RigidMotion& whole, double mass) {
  std::vector<BodySetup> parts;
  for (int i = 0; i < 8; ++i) {
    const Vec3 offset(i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1);
    BodySetup part = box(first + i, Vec3::Constant(0.1), mass / 8, whole.position + whole.rotation * offset);
    part.motion.rotation = whole.rotation;
    part.motion.velocity = whole.velocityAt(part.motion.position);
    part.motion.spin = whole.spin;
    part.family = 1;
    parts.push_back(part);
  }
  return parts;
}

TEST(RigidWorld, CrumbsFarBelowAPlaneComeBackOntoIt) {
  RigidWorld world{WorldOptions{}};
  world.add(ground(0));
  const Vec3 half(0.004, 0.002, 0.003);
  BodySetup crumb = box(1, half, 1e-4, {0, -0.02, 0});
  crumb.motion.rotation = Eigen::AngleAxisd(0.5, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  crumb.motion.spin = {30, 0, 20};
  world.add(crumb);
  for (int i = 0; i < 100; ++i) world.step(kStep);
  const RigidMotion motion = world.motion(1);
  double low = 1;
  for (int i = 0; i < 8; ++i) {
    const Vec3 corner = half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    low = std::min(low, (motion.position + motion.rotation * corner).y());
  }
  EXPECT_GT(low, -1e-3);
  EXPECT_LT(motion.velocity.norm(), 0.1);  // it was put back, not thrown
}

TEST(RigidWorld, PiecesThatTouchDoNotFlyApart) {
  WorldOptions options;
  options.gravity.setZero();
  RigidWorld world(options);
  RigidMotion whole;
  whole.velocity = {1, -2, 0.5};
  for (const BodySetup& part : octants(1, whole, 8)) world.add(part);
  for (int i = 0; i < 100; ++i) world.step(kStep);
  for (const int32_t id : world.ids()) EXPECT_EQ(world.motion(id).velocity, whole.velocity);
}

TEST(RigidWorld, FamiliesThatOverlapStayWhereTheyAre) {
  for (const bool family : {true, false}) {
    WorldOptions options;
    options.gravity.setZero();
    RigidWorld world(options);
    world.add(box(0, Vec3::Constant(0.2), 1, {0, 0, 0}));
    world.add(box(1, Vec3::Constant(0.1), 1e-6, {0, -0.31, 0}, {0, 1, 0}));  // hits, so that the world asks
    for (int i = 0; i < 40; ++i)
      world.step(kStep, [&](const std::vector<BodyContact>&) {
        RigidWorld::Swap swap;
        if (world.ids().front() != 0) return swap;
        swap.removed = {0};
        for (int k = 0; k < 2; ++k) {
          BodySetup part = box(2 + k, {0.11, 0.2, 0.2}, 0.5, {k ? 0.1 : -0.1, 0, 0});  // 2 cm too wide
          part.family = family ? 7 : -1;
          swap.added.push_back(part);
        }
        return swap;
      });
    const double apart = world.motion(3).position.x() - world.motion(2).position.x();
    EXPECT_NEAR(world.motion(3).velocity.x(), 0, 1e-3);
    if (family)
      EXPECT_NEAR(apart, 0.2, 1e-3);
    else
      EXPECT_GT(apart, 0.21);
  }
}

TEST(RigidWorld, RepeatsAStepWithOtherBodies) {
  RigidWorld world({});
  world.add(ground(0));
  world.add(box(1, Vec3::Constant(0.2), 8, {0, 0.28, 0}, {0, -4, 0}));
  int swaps = 0, asked = 0;
  double impulse = 0;
  for (int i = 0; i < 60; ++i) {
    world.step(kStep, [&](const std::vector<BodyContact>& contacts) {
      RigidWorld::Swap swap;
      ++asked;
      if (swaps > 0 || contacts.empty()) return swap;
      const RigidMotion before = world.motion(1);
      EXPECT_LT(before.velocity.y(), -4);  // not yet stopped
      ++swaps;
      swap.removed = {1};
      swap.added = octants(2, before, 8);
      return swap;
    });
    for (const BodyContact& c : world.contacts())
      if (c.a == 0 || c.b == 0) impulse += (c.a == 0 ? -1 : 1) * c.impulse.y();
  }
  EXPECT_EQ(swaps, 1);
  EXPECT_EQ(asked, 60);  // also without contacts: spin alone may break a body
  EXPECT_EQ(world.ids().size(), 9u);
  double momentum = 0;
  for (const int32_t id : world.ids())
    if (id > 0) momentum += world.motion(id).velocity.y();
  // All momentum went into the ground, and nothing more.
  EXPECT_NEAR(momentum, 8 * (-4 - 60 * kStep * 9.81) + impulse, 1e-8);
  EXPECT_GT(momentum, -1);
}

TEST(RigidWorld, CatchesABulletAtAThinPlate) {
  RigidWorld world({});
  BodySetup plate = box(1, {0.5, 0.5, 0.025}, 50, {0, 0, 0});
  world.add(plate);
  world.add(box(2, Vec3::Constant(0.02), 0.3, {0, 0, 1.03}, {0, 0, -200}));
  for (int i = 0; i < 10; ++i) world.step(kStep);
  EXPECT_GT(world.motion(2).position.z(), world.motion(1).position.z());
  const double momentum = 50 * world.motion(1).velocity.z() + 0.3 * world.motion(2).velocity.z();
  EXPECT_NEAR(momentum, 0.3 * -200, 1e-9);
}

/// A pile, stepped; restarted cold every 100 steps.
void runPile(RigidWorld& world, int from, int to) {
  for (int i = from; i < to; ++i) {
    if (i % 100 == 0) world.restartCold();
    world.step(kStep);
  }
}

void buildPile(RigidWorld& world) {
  world.add(ground(0));
  for (int i = 0; i < 30; ++i) {
    BodySetup b =
        box(i + 1, {0.1, 0.05 + 0.002 * i, 0.08}, 1, {0.07 * (i % 3), 0.2 + 0.2 * i, 0.05 * (i % 4)});
    b.motion.rotation = Eigen::AngleAxisd(0.3 * i, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    if (i % 4 == 0) {  // some compounds
      auto shape = std::make_shared<CollisionShape>(*b.shape);
      shape->hulls.push_back(shape->hulls[0]);
      for (Vec3& p : shape->hulls[1]) p += Vec3(0.1, 0.02, 0);
      b.shape = shape;
    }
    world.add(b);
  }
}

TEST(RigidWorld, ARestoredWorldGoesOnBitByBit) {
  RigidWorld one({});
  buildPile(one);
  runPile(one, 0, 300);
  ArchiveWriter writer("world", 1);
  one.restartCold();
  one.save(writer, "w.");
  const std::string bytes = writer.finish();
  RigidWorld two({});
  buildPile(two);
  two.restore(ArchiveReader(bytes, "world", 1), "w.");
  runPile(one, 300, 700);
  runPile(two, 300, 700);
  for (const int32_t id : one.ids()) {
    const RigidMotion a = one.motion(id), b = two.motion(id);
    EXPECT_TRUE(a.position == b.position && a.rotation == b.rotation && a.velocity == b.velocity) << id;
    EXPECT_EQ(one.awake(id), two.awake(id));
  }
}

TEST(RigidWorld, WakesWhatLosesItsSupport) {
  RigidWorld world({});
  world.add(ground(0));
  world.add(box(1, Vec3::Constant(0.1), 1, {0, 0.1001, 0}));
  world.add(box(2, Vec3::Constant(0.1), 1, {0, 0.3002, 0}));
  for (int i = 0; i < 1500; ++i) world.step(kStep);
  ASSERT_FALSE(world.awake(2));
  world.remove(1);
  for (int i = 0; i < 250; ++i) world.step(kStep);
  EXPECT_NEAR(world.motion(2).position.y(), 0.1, 2e-3);
}

TEST(RigidWorld, AnimatedBodiesPush) {
  RigidWorld world({});
  world.add(ground(0));
  BodySetup ram = box(1, Vec3::Constant(0.1), 0, {-0.5, 0.11, 0});
  ram.kind = BodyKind::Animated;
  world.add(ram);
  world.add(box(2, Vec3::Constant(0.1), 1, {0, 0.1, 0}));
  RigidMotion at = ram.motion;
  for (int i = 0; i < 250; ++i) {
    at.position.x() += 0.5 * kStep;
    world.setMotion(1, at);
    world.step(kStep);
  }
  EXPECT_GT(world.motion(2).position.x(), 0.15);
}

TEST(RigidWorld, RefusesBodiesWithoutMass) {
  RigidWorld world({});
  BodySetup weightless = box(1, Vec3::Constant(0.1), 1, {0, 0, 0});
  weightless.mass.inertia.setZero();
  EXPECT_THROW(world.add(weightless), Error);
}

}  // namespace
}  // namespace hackle
