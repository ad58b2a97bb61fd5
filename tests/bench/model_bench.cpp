#include <benchmark/benchmark.h>
#include <hackle/meshing/shapes/shapes.h>

namespace hackle {
namespace {

void makeOne(benchmark::State& state, ShapeKind kind, double resolution) {
  ShapeOptions options;
  options.shape = kind;
  options.resolution = resolution;
  size_t faces = 0;
  for (auto _ : state) {
    Context context;
    const Geometry geometry = makeShape(options, context);
    faces = geometry.primitiveCount();
  }
  state.counters["faces"] = static_cast<double>(faces);
}

// At the default resolution, and at about half a million quads: a million triangles.
BENCHMARK_CAPTURE(makeOne, figure, ShapeKind::Figure, 50)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(makeOne, goblet, ShapeKind::Goblet, 50)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(makeOne, box_million, ShapeKind::Box, 289)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(makeOne, goblet_million, ShapeKind::Goblet, 270)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(makeOne, figure_million, ShapeKind::Figure, 300)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace hackle
