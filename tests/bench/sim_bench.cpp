// Speed of simulations: what the coupling adds to a pile of bodies, and the time from a contact to pieces.
#include <hackle/sim/simulation.h>

#include <benchmark/benchmark.h>
#include <cell_engine.h>
#include <shapes.h>

namespace {

using namespace hackle;

/// Bricks that lie in heaps, with an engine that never breaks them, or without one.
Scene pile(int count, bool coupled) {
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
    if (coupled) body.engine = engine;
    scene.bodies.push_back(body);
  }
  return scene;
}

/// One frame of ten steps after the pile has come down.
void BM_Pile(benchmark::State& state) {
  Context context;
  Simulation simulation(pile(static_cast<int>(state.range(0)), state.range(1) != 0), context);
  for (int i = 0; i < 40; ++i) simulation.advance(context);
  const double steps = static_cast<double>(simulation.times().steps);
  for (auto _ : state) simulation.advance(context);
  state.counters["ms_per_step"] =
      benchmark::Counter(1e-3 * (static_cast<double>(simulation.times().steps) - steps),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["fracture_s"] = simulation.times().fracture;
}
BENCHMARK(BM_Pile)->Args({500, 0})->Args({500, 1})->Args({2000, 0})->Args({2000, 1})->Iterations(10)->Unit(
    benchmark::kMillisecond);

}  // namespace
