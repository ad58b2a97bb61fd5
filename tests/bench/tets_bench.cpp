#include <benchmark/benchmark.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/meshing/lattice/tet_locator.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <cmath>

namespace hackle {
namespace {

TriangleMesh shape(ShapeKind kind, double resolution) {
  Context context;
  ShapeOptions options;
  options.shape = kind;
  options.size = 1.0;
  options.resolution = resolution;
  return triangleMesh(makeShape(options, context));
}

/// From a triangle mesh to tetrahedra, the tree of distances included.
void fillMesh(benchmark::State& state, ShapeKind kind, double cellSize, double grading) {
  const TriangleMesh mesh = shape(kind, 100);
  size_t tetrahedra = 0;
  for (auto _ : state) {
    Context context;
    LatticeOptions options;
    options.cellSize = cellSize;
    if (grading > 1) options.interiorSize = grading * cellSize;
    tetrahedra = stuffLattice(solidInside(mesh, context), options, context).tetrahedra.size();
  }
  state.counters["tetrahedra"] = static_cast<double>(tetrahedra);
}

void encloseMesh(benchmark::State& state, ShapeKind kind, double resolution) {
  const TriangleMesh mesh = shape(kind, resolution);
  for (auto _ : state) {
    Context context;
    benchmark::DoNotOptimize(enclosingLattice(mesh, EnclosingOptions(), context));
  }
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
}

void locate(benchmark::State& state) {
  Context context;
  SolidField ball;
  ball.value = [](const Vec3& p) { return p.norm() - 1.0; };
  ball.lipschitz = 1.0;
  ball.bounds.add(Vec3::Constant(-1));
  ball.bounds.add(Vec3::Constant(1));
  LatticeOptions options;
  options.cellSize = 0.05;
  const TetLattice lattice = stuffLattice(ball, options, context);
  const TetLocator locator(lattice.points, lattice.tetrahedra, context);
  size_t i = 0;
  for (auto _ : state) {
    const auto t = static_cast<double>(i++ % 100000);
    benchmark::DoNotOptimize(
        locator.find(0.9 * Vec3(std::sin(t), std::sin(1.3 * t), std::sin(1.7 * t)) / std::sqrt(3)));
  }
}

// A million tetrahedra each.
BENCHMARK_CAPTURE(fillMesh, sphere_million, ShapeKind::Sphere, 0.0183, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(fillMesh, bunny_million, ShapeKind::Bunny, 0.0127, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(fillMesh, bunny_graded, ShapeKind::Bunny, 0.0127, 16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(encloseMesh, bunny_60k, ShapeKind::Bunny, 100)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(encloseMesh, figure_million, ShapeKind::Figure, 300)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(locate);

}  // namespace
}  // namespace hackle
