#include <benchmark/benchmark.h>
#include <hackle/fem/free_body.h>
#include <hackle/fem/vibration.h>
#include <hackle/meshing/lattice/lattice.h>

namespace hackle {
namespace {

/// A ball of glass, 0.1 m in radius.
ElasticMesh ball(double cellSize) {
  Context context;
  SolidField solid;
  solid.value = [](const Vec3& p) { return p.norm() - 0.1; };
  solid.lipschitz = 1.0;
  solid.bounds.add(Vec3::Constant(-0.1));
  solid.bounds.add(Vec3::Constant(0.1));
  LatticeOptions options;
  options.cellSize = cellSize;
  const TetLattice lattice = stuffLattice(solid, options, context);
  return {lattice.points, lattice.tetrahedra, {ElasticMaterial()}};
}

Eigen::VectorXd push(const ElasticMesh& mesh) {
  Eigen::VectorXd load = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.points.size()));
  load[1] = -1000;
  return load;
}

void count(benchmark::State& state, const ElasticMesh& mesh) {
  state.counters["tetrahedra"] = static_cast<double>(mesh.tetrahedra.size());
  state.counters["unknowns"] = static_cast<double>(3 * mesh.points.size());
}

/// Matrices, factorisation and one load.
void factorAndSolve(benchmark::State& state, double cellSize) {
  const ElasticMesh mesh = ball(cellSize);
  const Eigen::VectorXd load = push(mesh);
  for (auto _ : state) {
    Context context;
    benchmark::DoNotOptimize(solveFreeBody(mesh, load, context));
  }
  count(state, mesh);
}

/// Another load on the same body.
void solveAgain(benchmark::State& state, double cellSize) {
  const ElasticMesh mesh = ball(cellSize);
  const Eigen::VectorXd load = push(mesh);
  Context context;
  const FreeBody body(mesh, context);
  for (auto _ : state) benchmark::DoNotOptimize(body.solve(load, context));
  count(state, mesh);
}

void assemble(benchmark::State& state, double cellSize) {
  const ElasticMesh mesh = ball(cellSize);
  for (auto _ : state) {
    Context context;
    benchmark::DoNotOptimize(stiffnessMatrix(mesh, context));
  }
  count(state, mesh);
}

void vibrate(benchmark::State& state, double cellSize) {
  const ElasticMesh mesh = ball(cellSize);
  for (auto _ : state) {
    Context context;
    benchmark::DoNotOptimize(vibrationModes(mesh, VibrationOptions(), context));
  }
  count(state, mesh);
}

BENCHMARK_CAPTURE(assemble, tets_100k, 0.0079)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(factorAndSolve, tets_5k, 0.0216)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(factorAndSolve, tets_100k, 0.0079)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(solveAgain, tets_5k, 0.0216)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(solveAgain, tets_100k, 0.0079)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(vibrate, tets_20k_20_modes, 0.0135)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hackle
