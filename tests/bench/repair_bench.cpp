// Speed of the input check and of repair.
#include <hackle/meshing/repair/checked_solid.h>
#include <hackle/meshing/repair/repair.h>

#include "../shapes.h"

#include <benchmark/benchmark.h>

#include <numeric>

namespace hackle {
namespace {

/// 100k triangles.
Geometry triangleTorus() {
  const Geometry quads = shapes::torus(250, 200);
  Geometry result;
  result.addPoints(quads.pointCount());
  result.editPositions().assign(quads.positions().begin(), quads.positions().end());
  std::vector<int32_t> points;
  for (size_t p = 0; p < quads.primitiveCount(); ++p) {
    const Span<const int32_t> c = quads.corners(p);
    points.insert(points.end(), {c[0], c[1], c[2], c[0], c[2], c[3]});
  }
  result.addPrimitives(PrimitiveType::Polygon, points.size() / 3, 3, points);
  return result;
}

void checkCleanSolid(benchmark::State& state) {
  const Geometry torus = triangleTorus();
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(checkedSolid(torus, context));
}
BENCHMARK(checkCleanSolid)->Unit(benchmark::kMillisecond)->UseRealTime();

void repairSoup(benchmark::State& state) {
  Geometry soup = triangleTorus();
  const std::vector<int32_t> sources(soup.vertexPoints().begin(), soup.vertexPoints().end());
  std::vector<int32_t> points(sources.size());
  std::iota(points.begin(), points.end(), 0);
  soup.replacePoints(sources, points);
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(repairSolid(soup, RepairOptions(), context));
}
BENCHMARK(repairSoup)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hackle
