// Speed of simulations: what the coupling adds to a pile of bodies, and the time from a contact to pieces.
#include <hackle/sim/body_shape.h>
#include <hackle/sim/simulation.h>

#include <benchmark/benchmark.h>
#include <cell_engine.h>
#include <shapes.h>

namespace {

using namespace hackle;

/// Bricks that lie in heaps, with an engine that never breaks them.
Scene pile(int count) {
  Scene scene;
  scene.ground = SceneGround{};
  scene.frames = 1 << 20;
  scene.rate = 25;
  scene.substeps = 10;  // 250 steps per second
  const auto engine = std::make_shared<testing_support::CellEngine>(5, 1e30);
  for (int i = 0; i < count; ++i) {
    SceneBody body;
    body.name = "b" + std::to_string(i);
    body.geometry = shapes::box({-0.1, -0.06, -0.08}, {0.1, 0.06, 0.08});
    body.position = {0.27 * (i % 10), 0.2 + 0.2 * (i / 100), 0.25 * (i / 10 % 10)};
    body.rotation = Eigen::AngleAxisd(0.1 * i, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    body.engine = engine;
    scene.bodies.push_back(body);
  }
  return scene;
}

/// The same bodies in a world that nobody asks.
class PileAlone {
 public:
  explicit PileAlone(const Scene& scene) : mScene(scene), mWorld(worldOptions(scene)) {
    Context context;
    BodySetup ground;
    ground.kind = BodyKind::Static;
    ground.shape = groundShape(0);
    mWorld.add(ground);
    for (const SceneBody& given : scene.bodies) {
      const Solid solid(given.geometry, context);
      BodySetup body;
      body.id = ++mLast;
      body.shape = hullShape(given.geometry, 16, context);
      body.mass = rigidMass(solid.mass, given.material.density);
      body.motion.position = given.position + given.rotation * body.mass.centre;
      body.motion.rotation = given.rotation;
      mWorld.add(body);
    }
    mWorld.tolerate(mWorld.overlaps());
  }
  void advance() {
    if (mFrame++ % mScene.restart == 0) mWorld.restartCold();
    for (int i = 0; i < mScene.substeps; ++i) mWorld.step(stepSeconds(mScene));
  }

 private:
  static WorldOptions worldOptions(const Scene& scene) {
    WorldOptions options;
    options.length = typicalLength(scene.bodies);
    return options;
  }
  Scene mScene;
  RigidWorld mWorld;
  int32_t mLast = 0;
  int mFrame = 0;
};

constexpr int kFalling = 40;  // frames until the pile has come down

void BM_PileAlone(benchmark::State& state) {
  PileAlone alone(pile(static_cast<int>(state.range(0))));
  for (int i = 0; i < kFalling; ++i) alone.advance();
  for (auto _ : state) alone.advance();
}
BENCHMARK(BM_PileAlone)->Arg(500)->Arg(2000)->Iterations(10)->Unit(benchmark::kMillisecond);

/// One frame of ten steps; every body is asked whether it breaks.
void BM_PileAsked(benchmark::State& state) {
  Context context;
  Simulation simulation(pile(static_cast<int>(state.range(0))), context);
  for (int i = 0; i < kFalling; ++i) simulation.advance(context);
  for (auto _ : state) simulation.advance(context);
}
BENCHMARK(BM_PileAsked)->Arg(500)->Arg(2000)->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
