// A whole boundary element system, assembled and factorised, by size; and what a growing crack costs.
#include <hackle/bem/system.h>

#include "../bem/elastic_bodies.h"

#include <benchmark/benchmark.h>

#include <ctime>

namespace hackle {
namespace {

using namespace bodies;

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double stage(const Context& context, const std::string& name) {
  for (const StageTime& s : context.stageTimes())
    if (s.name == name) return s.seconds;
  return 0;
}

/// A sphere of about this many triangles; free under a pressure, or held on its lower half.
BemSurface sphereOf(int64_t triangles) {
  return surfaceOf(sphere(static_cast<int>(std::lround(std::sqrt(static_cast<double>(triangles) / 8))), 1));
}

BoundaryData dataOf(const BemSurface& body, bool held) {
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    data.traction[t] = -1e6 * body.normal(t);
    if (held && body.centroid(t).y() < -0.8) data.fixed[t] = {1, 1, 1};
  }
  return data;
}

void systemOf(benchmark::State& state, bool held) {
  const BemSurface body = sphereOf(state.range(0));
  const BoundaryData data = dataOf(body, held);
  double processor = 0, assembly = 0, factorisation = 0, unknowns = 0, bytes = 0;
  for (auto _ : state) {
    Context context;
    const double start = processorSeconds();
    const BemSystem system(body, {70e9, 0.22, 2500}, data, {}, context);
    processor += processorSeconds() - start;
    assembly += stage(context, "assembly");
    factorisation += stage(context, "factorisation");
    unknowns = static_cast<double>(system.unknowns());
    bytes = static_cast<double>(system.bytes());
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["triangles"] = static_cast<double>(body.triangleCount());
  state.counters["unknowns"] = unknowns;
  state.counters["cpu_s"] = processor / runs;
  state.counters["assembly_s"] = assembly / runs;
  state.counters["factorisation_s"] = factorisation / runs;
  state.counters["factor_mb"] = 1e-6 * bytes;
  state.counters["dense_mb"] = 8e-6 * unknowns * unknowns;
  state.counters["peak_mb"] = peakMemoryMb();
  state.SetComplexityN(static_cast<int64_t>(body.triangleCount()));
}

void freeBody(benchmark::State& state) { systemOf(state, false); }
void heldBody(benchmark::State& state) { systemOf(state, true); }

/// 50 nodes of a crack in a body of about 3,000 unknowns: processor time as a share of that of a new system
/// (with the crack) and of a new factorisation alone.
void crackGrowth(benchmark::State& state) {
  const BemSurface body = sphereOf(2048);
  CrackGrowth crack = crackOf(disk(5, 0.3), body.nodeCount());
  crack.opened.resize(50);
  double whole = 0, grown = 0, factorised = 0, unknowns = 0;
  for (auto _ : state) {
    Context context;
    double start = processorSeconds();
    BemSystem system(body, {70e9, 0.22, 2500}, dataOf(body, false), {}, context);
    whole += processorSeconds() - start;
    start = processorSeconds();
    system.growCracks(crack, context);
    grown += processorSeconds() - start;
    unknowns = static_cast<double>(system.unknowns());
    GrowingCholesky alone;
    alone.grow(system.unknowns(), GrowingCholesky::Sign::Positive);
    for (size_t i = 0; i < alone.rows(); ++i)
      for (size_t j = 0; j <= i; ++j) alone.entry(i, j) = i == j ? 11 : 1 / (1 + static_cast<double>(i - j));
    start = processorSeconds();
    alone.factorise(context);
    factorised += processorSeconds() - start;
  }
  state.counters["unknowns"] = unknowns;
  state.counters["growth_cpu_s"] = grown / static_cast<double>(state.iterations());
  state.counters["share_of_new_system"] = grown / (whole + grown);
  state.counters["share_of_factorisation"] = grown / factorised;
}

BENCHMARK(freeBody)
    ->Arg(1000)
    ->Arg(2000)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity();
BENCHMARK(heldBody)
    ->Arg(1000)
    ->Arg(2000)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity();
BENCHMARK(crackGrowth)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hackle
