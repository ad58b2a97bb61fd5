// What an impact costs beside the table of [Glondu12], stages apart: a slab of its four sizes, 100 modes. The
// paper's numbers are of a Core 2 Extreme of 2.3 GHz from 2008, one thread; with its GPU in brackets:
//   tetrahedra       1,740       8,190       39,901     175,095
//   initiation ms    12 (1.7)    17 (3.9)    25 (7)     26 (7)
//   propagation ms   0.8         2.4         6          25
//   fragments ms     0.6         0.37        17         21
// HACKLE_IMPACT_LIMIT leaves out slabs of more tetrahedra.
#include <hackle/core/memo.h>
#include <hackle/fracture/impact/impact_engine.h>
#include <hackle/fracture/impact/lattice_fragments.h>

#include <shapes.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <map>

namespace {

using namespace hackle;

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A slab, 0.4 x 0.4 x 0.024 m, of the paper's stiffness.
struct Slab {
  explicit Slab(size_t elements)
      : solid(std::make_shared<const Solid>(shapes::box({0, 0, 0}, {0.4, 0.024, 0.4}), context)) {
    options.body.elements = elements;
    options.body.material = {100e9, 0.2, 2500};
    options.strength = 60e6;
    options.toughness = 3.2e6;  // 100 J/m^2
    options.alpha = 1e-10;
    options.beta = 5;
    const double start = now();
    state = ImpactEngine(options).prepare(solid, context);
    prepared = 1e-3 * (now() - start);
  }

  LoadCase load(int turn) const {
    Impact hit;
    hit.position = {0.2 + 0.01 * (turn % 7), 0.024, 0.18 + 0.01 * (turn % 5)};
    hit.direction = {0, -1, 0};
    hit.impulse = 30;
    hit.striker.mass = 1;
    hit.striker.radius = 0.02;
    LoadCase load;
    load.impacts = {hit};
    return load;
  }

  Context context;
  SolidPtr solid;
  ImpactEngineOptions options;
  EngineStatePtr state;
  double prepared = 0;  // s
};

/// Made once per size; null above the limit.
Slab* slabOf(benchmark::State& state) {
  static std::map<int64_t, std::unique_ptr<Slab>> slabs;
  const char* limit = std::getenv("HACKLE_IMPACT_LIMIT");
  if (limit && state.range(0) > std::atol(limit)) {
    state.SkipWithError("above HACKLE_IMPACT_LIMIT");
    return nullptr;
  }
  std::unique_ptr<Slab>& slab = slabs[state.range(0)];
  if (!slab) slab = std::make_unique<Slab>(static_cast<size_t>(state.range(0)));
  return slab.get();
}

void stages(benchmark::State& state) {
  Slab* slab = slabOf(state);
  if (!slab) return;
  Context& context = slab->context;
  const ImpactState& prepared = stateAs<ImpactState>(*slab->state);
  const ModalBody& body = *prepared.body;
  double strike = 0, initiation = 0, propagation = 0, fragments = 0;
  size_t cracks = 0, pieces = 0, turn = 0;
  GrowthOptions growth = slab->options.growth;
  growth.toughness = slab->options.toughness;
  for (auto _ : state) {
    const LoadCase load = slab->load(static_cast<int>(turn++));
    double t = now();
    const auto lap = [&](double& sum) {
      const double next = now();
      sum += next - t;
      t = next;
    };
    const std::vector<Strike> strikes =
        strikesOf(body, *slab->solid, load.impacts, slab->options.strike, context);
    lap(strike);
    MotionOptions motionOptions;
    motionOptions.damping = {*slab->options.alpha, *slab->options.beta};
    motionOptions.extra = body.diagonal() / (0.6 * rayleighWaveSpeed(body.material()));
    const Motion motion(body, strikes, motionOptions, context);
    const Failures failures = findFailures(prepared.flaws, motion, Grain(), 1, context);
    lap(initiation);
    const CrackSet set = growCracks(body, motion, prepared.flaws, failures, growth, context);
    lap(propagation);
    const LatticeFragments parts = fragmentsOf(body, set);
    benchmark::DoNotOptimize(fragmentScores(body, set, parts));
    lap(fragments);
    cracks = set.cracks.size();
    pieces = parts.countAbove(1e-4);
  }
  const auto mean = [&](double sum) { return sum / static_cast<double>(state.iterations()); };
  state.counters["tetrahedra"] = static_cast<double>(body.tetrahedra().size());
  state.counters["prepare_s"] = slab->prepared;
  state.counters["strike_ms"] = mean(strike);
  state.counters["initiation_ms"] = mean(initiation);
  state.counters["propagation_ms"] = mean(propagation);
  state.counters["fragments_ms"] = mean(fragments);
  state.counters["cracks"] = static_cast<double>(cracks);
  state.counters["pieces"] = static_cast<double>(pieces);
}
BENCHMARK(stages)
    ->Arg(1740)
    ->Arg(8190)
    ->Arg(39901)
    ->Arg(175095)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Dragging an impact: everything but the precomputation, with cut and pieces. Goal: 60 ms at 10,000.
void dragged(benchmark::State& state) {
  Slab* slab = slabOf(state);
  if (!slab) return;
  const ImpactEngine engine(slab->options);
  size_t turn = 0, pieces = 0;
  for (auto _ : state)
    pieces = engine.fracture(*slab->solid, *slab->state, slab->load(static_cast<int>(turn++)), slab->context)
                 .pieces.names.size();
  state.counters["pieces"] = static_cast<double>(pieces);
}
BENCHMARK(dragged)->Arg(10000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
