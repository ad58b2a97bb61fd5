// Bodies that fall and break: laws of whole simulations, and that they come out the same.
#include <hackle/sim/cache.h>
#include <hackle/sim/frame.h>

#include <hackle/io/bytes.h>

#include <cell_engine.h>
#include <gtest/gtest.h>
#include <shapes.h>

#include <filesystem>

namespace hackle {
namespace {

namespace fs = std::filesystem;
using testing_support::CellEngine;

/// Two boxes fall; the lower one breaks on the ground, the other where it meets the pieces.
Scene fallingBoxes(int cells = 8, double threshold = 100) {
  Scene scene;
  scene.ground = SceneGround{};
  scene.frames = 40;
  scene.restart = 10;
  scene.key = "falling boxes";
  for (int i = 0; i < 2; ++i) {
    SceneBody body;
    body.name = i == 0 ? "low" : "high";
    body.geometry = shapes::box({-0.2, -0.1, -0.2}, {0.2, 0.1, 0.2});
    body.position = {0.05 * i, 0.4 + 0.7 * i, 0};
    body.rotation = Eigen::AngleAxisd(0.2 + 0.3 * i, Vec3::UnitZ()).toRotationMatrix();
    body.velocity = {0, -3, 0};
    body.engine = std::make_shared<CellEngine>(cells, threshold);
    scene.bodies.push_back(body);
  }
  return scene;
}

double totalMass(const Simulation& simulation) {
  double sum = 0;
  for (const auto& [id, body] : simulation.bodies())
    if (body.coupling.dynamic) sum += body.coupling.mass.mass;
  return sum;
}

TEST(Simulation, BreaksBodiesThatHitTheGround) {
  Context context;
  Simulation simulation(fallingBoxes(), context);
  const double mass = totalMass(simulation);
  size_t broken = 0;
  while (!simulation.done()) {
    simulation.advance(context);
    for (const SimEvent& event : simulation.events()) {
      if (event.number == 0) continue;
      ++broken;
      EXPECT_LT((event.after.linear - event.before.linear).norm(), 1e-9 * event.before.linear.norm());
      EXPECT_LT((event.after.angular - event.before.angular).norm(),
                1e-9 * event.before.angular.norm() + 1e-12);
      EXPECT_LE(event.after.energy, event.before.energy * (1 + 1e-12));
      EXPECT_GE(event.pieces.size(), 2u);
    }
    EXPECT_NEAR(totalMass(simulation), mass, 1e-9 * mass);
  }
  EXPECT_GE(broken, 2u);
  for (const auto& [id, body] : simulation.bodies()) {
    if (!body.coupling.dynamic) continue;
    EXPECT_TRUE(body.coupling.motion.allFinite());
    EXPECT_GT(body.coupling.motion.position.y(), -0.02) << body.coupling.name;  // nothing fell through
    EXPECT_LT(body.coupling.motion.position.norm(), 3) << body.coupling.name;   // nothing exploded
  }
}

/// Kinetic and potential energy: never more than at the start.
TEST(Simulation, NeverGainsEnergy) {
  Context context;
  Simulation simulation(fallingBoxes(), context);
  const auto energy = [&] {
    double sum = 0;
    for (const auto& [id, body] : simulation.bodies()) {
      if (!body.coupling.dynamic) continue;
      sum += momentumOf(body.coupling.mass, body.coupling.motion).energy;
      sum += 9.81 * body.coupling.mass.mass * body.coupling.motion.position.y();
    }
    return sum;
  };
  const double start = energy();
  double last = start;
  while (!simulation.done()) {
    simulation.advance(context);
    EXPECT_LT(energy(), last + 0.01 * start);
    last = energy();
  }
  EXPECT_LT(last, 0.5 * start);
}

TEST(Simulation, BelowTheThresholdNothingBreaks) {
  Context context;
  Scene scene = fallingBoxes(8, 1e9);
  scene.frames = 240;
  Simulation simulation(scene, context);
  while (!simulation.done()) {
    simulation.advance(context);
    EXPECT_TRUE(simulation.events().empty());
  }
  EXPECT_EQ(simulation.bodies().size(), 3u);
}

std::map<std::string, std::string> filesOf(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), folder).string()] = std::string(FileBytes(entry.path()).bytes());
  return files;
}

void expectSameFiles(const fs::path& a, const fs::path& b) {
  const auto one = filesOf(a), two = filesOf(b);
  ASSERT_EQ(one.size(), two.size());
  for (const auto& [name, bytes] : one) {
    ASSERT_TRUE(two.count(name)) << name;
    EXPECT_TRUE(two.at(name) == bytes) << name;
  }
}

class Caches : public ::testing::Test {
 protected:
  Caches() {
    mFolder = fs::path(::testing::TempDir()) /
              ("hackle_sim_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(mFolder);
  }
  ~Caches() override { fs::remove_all(mFolder); }

  /// Runs to the end, or stops after a frame as a killed process would. Returns the frame it began at.
  int run(const fs::path& folder, bool resume, int stopAfter = 1 << 30, int threads = 0) {
    Context context;
    context.setThreads(threads);
    CacheOptions options;
    options.constraints = true;
    Simulation simulation(fallingBoxes(), context);
    SimCache cache(folder, options);
    const bool resumed = resume && cache.resume(simulation, context);
    if (!resumed) {
      cache.startAnew(simulation, context);
      cache.addFrame(simulation, context);
    }
    const int began = simulation.frame();
    while (!simulation.done()) {
      if (simulation.frame() >= stopAfter) return began;
      simulation.advance(context);
      cache.addFrame(simulation, context);
    }
    cache.finish(simulation, context);
    return began;
  }

  fs::path mFolder;
};

TEST_F(Caches, AreTheSameOnAnyNumberOfThreads) {
  run(mFolder / "one", false, 1 << 30, 1);
  run(mFolder / "seven", false, 1 << 30, 7);
  expectSameFiles(mFolder / "one", mFolder / "seven");
  EXPECT_TRUE(fs::exists(mFolder / "one" / "sim.usda"));
  EXPECT_TRUE(fs::exists(mFolder / "one" / "sim.glb"));
}

TEST_F(Caches, StoppedRunsGoOnWithTheSameBytes) {
  run(mFolder / "whole", false);
  int frames[] = {3, 12, 17, 23, 31, 39}, later = 0;
  for (const int stop : frames) {
    const int began = run(mFolder / "parts", true, stop);
    if (began > 1) ++later;
  }
  run(mFolder / "parts", true);
  EXPECT_GE(later, 3);  // it did not start anew each time
  expectSameFiles(mFolder / "whole", mFolder / "parts");
}

TEST_F(Caches, OfAnotherSceneAreNotResumed) {
  run(mFolder / "a", false, 25);
  Context context;
  Scene scene = fallingBoxes();
  scene.key = "another";
  Simulation simulation(scene, context);
  SimCache cache(mFolder / "a", {});
  EXPECT_FALSE(cache.resume(simulation, context));
  ASSERT_FALSE(context.warnings().empty());
  EXPECT_NE(context.warnings()[0].find("scene has changed"), std::string::npos);
}

TEST_F(Caches, FramesPlaceThePieces) {
  Context context;
  Simulation simulation(fallingBoxes(), context);
  SimCache cache(mFolder, {});
  cache.startAnew(simulation, context);
  while (!simulation.done()) {
    simulation.advance(context);
    cache.addFrame(simulation, context);
  }
  CachedFrames frames(mFolder);
  const Geometry placed = frames.placed(simulation.frame(), context);
  const Geometry baked = bakedFrame(simulation, context);
  ASSERT_EQ(placed.pointCount(), baked.pointCount());
  for (size_t p = 0; p < baked.pointCount(); ++p)
    EXPECT_LT((placed.position(p) - baked.position(p)).norm(), 1e-6);
  const Geometry points = frames.points(simulation.frame(), context);
  for (const char* name : {"name", "orient", "pivot", "v", "w", "mass", "active", "event"})
    EXPECT_TRUE(points.findAttribute(Owner::Point, name)) << name;
}

TEST(Simulation, StartTimesAndAnimation) {
  Context context;
  Scene scene = fallingBoxes(4, 1e9);
  scene.bodies[1].start = 0.5;
  scene.bodies[0].kind = BodyKind::Animated;
  scene.bodies[0].keys = {{0, {5, 0, 0}, Mat3::Identity()}, {1, {6, 0, 0}, Mat3::Identity()}};
  scene.bodies.push_back(scene.bodies[1]);
  scene.bodies[2].name = "other";
  scene.bodies[2].position.x() = 3;
  Simulation simulation(scene, context);
  while (simulation.time() < 0.49) simulation.advance(context);
  EXPECT_NEAR(simulation.bodies().at(1).coupling.motion.position.x(), 5 + simulation.time(), 1e-9);
  EXPECT_NEAR(simulation.bodies().at(2).coupling.motion.position.y(), 1.1, 1e-12);
  while (!simulation.done()) simulation.advance(context);
  EXPECT_LT(simulation.bodies().at(2).coupling.motion.position.y(), 0.5);
}

TEST(Simulation, WarnsOfBodiesThatOverlap) {
  Context context;
  Scene scene = fallingBoxes();
  scene.bodies[1].position = {0, 0.45, 0};
  Simulation simulation(scene, context);
  ASSERT_FALSE(context.warnings().empty());
  EXPECT_NE(context.warnings()[0].find("low and high overlap"), std::string::npos);
}

/// Overlaps stay if nobody asks; on request bodies come apart, and neither of them shoots off.
TEST(Simulation, SeparatesBodiesThatOverlapOnRequest) {
  double apart[2], fastest[2];
  for (const bool separate : {false, true}) {
    Context context;
    Scene scene = fallingBoxes(4, 1e30);
    scene.ground.reset();
    scene.gravity.setZero();
    scene.bodies.resize(2);
    for (SceneBody& body : scene.bodies) body.velocity.setZero(), body.spin.setZero();
    scene.bodies[0].rotation = scene.bodies[1].rotation = Mat3::Identity();
    const Vec3 size = scene.bodies[0].geometry.bounds().size();
    scene.bodies[1].position = scene.bodies[0].position + Vec3(0, 0.8 * size.y(), 0);
    scene.separate = separate;
    scene.frames = 24;
    Simulation simulation(scene, context);
    while (!simulation.done()) simulation.advance(context);
    const auto& bodies = simulation.bodies();
    const RigidMotion& a = bodies.begin()->second.coupling.motion;
    const RigidMotion& b = bodies.rbegin()->second.coupling.motion;
    apart[separate] = std::abs(b.position.y() - a.position.y()) / size.y();
    fastest[separate] = std::max(a.velocity.norm(), b.velocity.norm());
  }
  EXPECT_NEAR(apart[0], 0.8, 0.02);
  EXPECT_GT(apart[1], 0.97);
  EXPECT_LT(fastest[1], 0.05);
}

TEST(Simulation, RefusesBodiesWithoutMass) {
  Context context;
  Scene scene = fallingBoxes();
  scene.bodies[0].material.density = 0;
  try {
    Simulation simulation(scene, context);
    FAIL() << "a body without mass was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(e.what()).find(scene.bodies[0].name), std::string::npos) << e.what();
  }
}

TEST(Simulation, NothingIsEverNotFinite) {
  for (const double size : {1e-3, 1.0, 1e3})
    for (const double speed : {1.0, 1000.0}) {
      Context context;
      Scene scene = fallingBoxes(6, 0);
      for (SceneBody& body : scene.bodies) {
        for (Vec3& p : body.geometry.editPositions()) p *= size;
        body.position *= size;
        body.velocity = {0, -speed, 0.1 * speed};
        body.spin = {3, 50, 7};
      }
      scene.frames = 12;
      Simulation simulation(scene, context);
      while (!simulation.done()) simulation.advance(context);
      for (const auto& [id, body] : simulation.bodies())
        EXPECT_TRUE(body.coupling.motion.allFinite()) << size << " " << speed;
    }
}

}  // namespace
}  // namespace hackle
