// Speed of simulations: what the coupling adds to a pile of bodies, and the time from a contact to pieces.
#include <hackle/fracture/modes/modes_engine.h>
#include <hackle/fracture/modes/modes_of_solid.h>
#include <hackle/ops/scene_file.h>
#include <hackle/sim/body_shape.h>
#include <hackle/sim/simulation.h>

#include <benchmark/benchmark.h>
#include <cell_engine.h>
#include <shapes.h>

#include <chrono>
#include <ctime>

namespace {

using namespace hackle;

/// Bricks that lie in heaps, with an engine that never breaks them. With a strength it is not even asked, as
/// pieces of voronoi and cvd are not below theirs.
Scene pile(int count, std::optional<double> strength = {}) {
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
    body.limits.strength = strength;
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
void askPile(benchmark::State& state, std::optional<double> strength) {
  Context context;
  Simulation simulation(pile(static_cast<int>(state.range(0)), strength), context);
  for (int i = 0; i < kFalling; ++i) simulation.advance(context);
  for (auto _ : state) simulation.advance(context);
}
void BM_PileAsked(benchmark::State& state) { askPile(state, std::nullopt); }
BENCHMARK(BM_PileAsked)->Arg(500)->Arg(2000)->Iterations(10)->Unit(benchmark::kMillisecond);
/// The same of pieces whose engine knows no strength and gets that of the material (Pa, glass).
void BM_PileOfStrength(benchmark::State& state) { askPile(state, 45e6); }
BENCHMARK(BM_PileOfStrength)->Arg(2000)->Iterations(10)->Unit(benchmark::kMillisecond);

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// What the coupling adds, with frames of all three piles by turns, so that other programs disturb them
/// alike.
void BM_PileOverhead(benchmark::State& state) {
  Context context;
  const int count = static_cast<int>(state.range(0));
  PileAlone alone(pile(count));
  Simulation asked(pile(count), context), strong(pile(count, 45e6), context);
  double seconds[3] = {0, 0, 0};
  const auto frame = [&](bool counts) {
    const double start = processorSeconds();
    alone.advance();
    const double first = processorSeconds();
    asked.advance(context);
    const double second = processorSeconds();
    strong.advance(context);
    if (!counts) return;
    seconds[0] += first - start;
    seconds[1] += second - first;
    seconds[2] += processorSeconds() - second;
  };
  for (int i = 0; i < kFalling; ++i) frame(false);
  for (auto _ : state) frame(true);
  state.counters["asked"] = seconds[1] / seconds[0] - 1;
  state.counters["of_strength"] = seconds[2] / seconds[0] - 1;
}
BENCHMARK(BM_PileOverhead)->Arg(2000)->Iterations(10)->Unit(benchmark::kMillisecond);

/// From the contact to pieces in the world: the step in which a glass vase of 20,000 triangles breaks by its
/// modes, which are known.
void BM_ModesContactToPieces(benchmark::State& state) {
  Context context;
  const std::string text =
      "frames = 40\nrate = 250\nsubsteps = 1\n[ground]\n[[body]]\nname = \"vase\"\n"
      "model = { shape = \"vase\", size = 0.4, resolution = 35 }\nposition = [0, 0.06, 0]\n"
      "rotation = [25, 0, 35]\nvelocity = [0, -8, 0]\npreset = \"glass\"\n";
  Scene scene = readScene(text, "vase", ".", context).scene;
  const auto solid = std::make_shared<const Solid>(scene.bodies[0].geometry, context);
  ModesEngineOptions options;
  options.found = withHulls(modesOfSolid(solid, options.modes, context)->state, context);
  scene.bodies[0].engine = std::make_shared<ModesEngine>(options);
  size_t pieces = 0;
  SimTimes before, after;
  double cpu = 0, least = 1e30;
  for (auto _ : state) {
    Simulation simulation(scene, context);
    for (pieces = 0; !simulation.done() && pieces == 0;) {
      before = simulation.times();
      const double processor = processorSeconds();
      const auto start = std::chrono::steady_clock::now();
      simulation.advance(context);
      cpu = processorSeconds() - processor;
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      after = simulation.times();
      for (const SimEvent& event : simulation.events()) pieces += event.pieces.size();
    }
    least = std::min(least, cpu);
  }
  state.counters["cpu_ms"] = 1e3 * least;  // of both threads, in the step that breaks it
  state.counters["fracture_ms"] = 1e3 * (after.fracture - before.fracture);
  state.counters["shapes_ms"] = 1e3 * (after.shapes - before.shapes);
  state.counters["pieces"] = static_cast<double>(pieces);
  state.counters["triangles"] = static_cast<double>(solid->mesh.triangles.size());
}
BENCHMARK(BM_ModesContactToPieces)->UseManualTime()->Iterations(20)->Unit(benchmark::kMillisecond);

/// Scenes as in table 3 of [Hahn17] but for the engine, with what is printed there for fracture and rigid
/// bodies (s, by boundary elements, on four cores of 3.2 GHz).
void BM_Table3(benchmark::State& state, const std::string& name, double printedFracture,
               double printedRigid) {
  SimTimes times;
  size_t bodies = 0, events = 0;
  for (auto _ : state) {
    Context context;
    const std::string path = std::string(HACKLE_EXAMPLES) + "/sim/" + name + ".toml";
    Simulation simulation(readSceneFile(path, context).scene, context);
    while (!simulation.done()) {
      simulation.advance(context);
      for (const SimEvent& event : simulation.events()) events += event.number > 0 ? 1 : 0;
    }
    times = simulation.times();
    bodies = simulation.bodies().size() - 1;  // without the ground
  }
  state.counters["steps"] = static_cast<double>(times.steps);
  state.counters["bodies"] = static_cast<double>(bodies);
  state.counters["fractures"] = static_cast<double>(events);
  state.counters["fracture_s"] = times.fracture + times.shapes;
  state.counters["rigid_s"] = times.rigid;
  state.counters["printed_fracture_s"] = printedFracture;
  state.counters["printed_rigid_s"] = printedRigid;
}
#define HACKLE_TABLE3(name, fracture, rigid) \
  BENCHMARK_CAPTURE(BM_Table3, name, #name, fracture, rigid)->Iterations(1)->Unit(benchmark::kMillisecond)
HACKLE_TABLE3(pi, 181.03, 33.22);
HACKLE_TABLE3(shooting, 1328.17, 565.92);
HACKLE_TABLE3(column, 966.81, 2628.18);
HACKLE_TABLE3(window, 1256.85, 1731.38);
HACKLE_TABLE3(bricks, 216.11, 78.18);
HACKLE_TABLE3(falling, 706.43, 1498.49);
HACKLE_TABLE3(bowl, 845.99, 351.32);
#undef HACKLE_TABLE3

}  // namespace
