// Pictures: ./run bench render. The wish is under 2 s for 200k triangles at 960 x 540 on 2 cores.
#include <benchmark/benchmark.h>
#include <hackle/render/render.h>

#include "../shapes.h"

namespace hackle {
namespace {

void renderTorusOf200kTriangles(benchmark::State& state) {
  const Geometry torus = shapes::torus(500, 200, 1.0, 0.4);  // 100k quads
  RenderOptions options;
  options.colour = static_cast<ColourMode>(state.range(0));
  options.wireframe = state.range(1) != 0;
  for (auto _ : state) {
    Context context;
    benchmark::DoNotOptimize(renderGeometry(torus, options, context).rgb.data());
  }
}
BENCHMARK(renderTorusOf200kTriangles)
    ->ArgNames({"colour", "wireframe"})
    ->Args({static_cast<int>(ColourMode::Piece), 0})
    ->Args({static_cast<int>(ColourMode::Normal), 1})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace hackle
