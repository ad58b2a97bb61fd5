// Speed of the Voronoi fracture: a mesh of 70,000 triangles into 10 to 10,000 pieces, seconds by stage, how
// the time grows, what a second thread brings, and the whole way from file to file.
#include "growth.h"

#include <hackle/core/wanted_outputs.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/file.h>
#include <hackle/ops/registry.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

namespace {

using namespace hackle;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The blended figure, in triangles.
Geometry figure(int resolution) {
  Context context;
  const Geometry quads =
      runOperator(findOperator("model"), Inputs(), {{"shape", "figure"}, {"resolution", resolution}}, context)
          .outputs.geometry();
  const TriangleMesh mesh = triangleMesh(quads);
  Geometry g;
  g.addPoints(quads.pointCount());
  g.editPositions().assign(quads.positions().begin(), quads.positions().end());
  std::vector<int32_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  g.addPrimitives(PrimitiveType::Polygon, corners.size() / 3, 3, corners);
  return g;
}

struct Timing {
  double seconds;
  std::map<std::string, double> stages;
};

Timing breakInto(const Geometry& solid, int pieces, int threads = 0) {
  Context context;
  context.setThreads(threads);
  const double start = now();
  const auto run = runOperator(findOperator("voronoi"), Inputs({solid}), {{"pieces", pieces}}, context);
  benchmark::DoNotOptimize(run.outputs.geometry().pointCount());
  Timing timing{now() - start, {}};
  for (const auto& stage : context.stageTimes()) timing.stages[stage.name] += stage.seconds;
  return timing;
}

void pieces(benchmark::State& state) {
  const Geometry solid = figure(80);
  std::map<std::string, double> stages;
  for (auto _ : state)
    for (const auto& [name, seconds] : breakInto(solid, static_cast<int>(state.range(0))).stages)
      stages[name] += seconds;
  for (const auto& [name, seconds] : stages)
    state.counters[name + "_s"] = seconds / static_cast<double>(state.iterations());
  state.counters["triangles"] = static_cast<double>(solid.primitiveCount());
}

/// All outputs of 10,000 pieces on one and on two threads, by turns: the medians of five.
void threads(benchmark::State& state) {
  const Geometry solid = figure(80);
  double alone = 0, two = 0;
  for (auto _ : state) {
    std::vector<double> ones, twos;
    for (int round = 0; round < 5; ++round) {
      ones.push_back(breakInto(solid, static_cast<int>(state.range(0)), 1).seconds);
      twos.push_back(breakInto(solid, static_cast<int>(state.range(0)), 2).seconds);
    }
    alone = median(ones);
    two = median(twos);
  }
  state.counters["one_thread_s"] = alone;
  state.counters["two_threads_s"] = two;
  state.counters["speedup"] = alone / two;
}

/// As the command line does it on two threads: read a mesh, break it, write the pieces.
void files(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "hackle_voronoi_bench";
  std::filesystem::create_directories(folder);
  Context unhurried;
  writeGeometry((folder / "solid.obj").string(), figure(static_cast<int>(state.range(0))), unhurried);
  size_t triangles = 0;
  for (auto _ : state) {
    Context context;
    context.setThreads(2);
    setWantedOutputs(context, {true});
    const Geometry solid = readGeometry((folder / "solid.obj").string(), context);
    triangles = solid.primitiveCount();
    const Run run = runOperator(findOperator("voronoi"), Inputs({solid}),
                                {{"pieces", static_cast<int64_t>(state.range(1))}}, context);
    writeGeometry((folder / "pieces.bgeo").string(), run.outputs.geometry(), context);
  }
  std::filesystem::remove_all(folder);
  state.counters["triangles"] = static_cast<double>(triangles);
}

/// n from 2,000 to 32,000 pieces, and from 35,000 to 550,000 triangles.
void growth(benchmark::State& state) {
  const Geometry solid = figure(80);
  std::vector<Geometry> meshes;
  for (const int resolution : {57, 80, 113, 160, 226}) meshes.push_back(figure(resolution));
  double byPieces = 0, byTriangles = 0;
  for (auto _ : state) {
    std::vector<std::pair<double, double>> samples;
    for (int n = 2000; n <= 32000; n *= 2) samples.emplace_back(n, breakInto(solid, n).seconds);
    byPieces = slope(samples);
    samples.clear();
    for (const Geometry& mesh : meshes)
      samples.emplace_back(mesh.primitiveCount(), breakInto(mesh, 20).seconds);
    byTriangles = slope(samples);
  }
  state.counters["exponent_pieces"] = byPieces;
  state.counters["exponent_triangles"] = byTriangles;
}

BENCHMARK(pieces)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(threads)->Arg(10000)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();
BENCHMARK(files)->Args({74, 1000})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(growth)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
