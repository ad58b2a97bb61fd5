// Assembly and solution of boundary element systems by size; the exponent is printed as BigO.
#include <benchmark/benchmark.h>
#include <hackle/bem/compressed_solver.h>
#include <hackle/bem/operators.h>
#include <hackle/mechanics/elastic.h>

#include <Eigen/QR>

#include <cmath>
#include <ctime>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A bumpy torus of u by v by 2 triangles, close to the wanted number.
BemSurface surfaceOf(size_t triangles) {
  const int v = static_cast<int>(std::lround(std::sqrt(static_cast<double>(triangles) / 5))),
            u = static_cast<int>(triangles) / (2 * v);
  std::vector<Vec3> points;
  std::vector<Triangle> faces;
  for (int i = 0; i < u; ++i)
    for (int j = 0; j < v; ++j) {
      const double a = 2 * kPi * i / u, b = 2 * kPi * j / v,
                   tube = 0.4 * (1 + 0.15 * std::sin(5 * a) * std::cos(3 * b));
      const double r = 1 + tube * std::cos(b);
      points.push_back({r * std::cos(a), -tube * std::sin(b), r * std::sin(a)});
      const int i1 = (i + 1) % u, j1 = (j + 1) % v;
      faces.push_back({i * v + j, i1 * v + j, i1 * v + j1});
      faces.push_back({i * v + j, i1 * v + j1, i * v + j1});
    }
  return {points, faces};
}

/// Counters: triangles, CPU seconds of all threads, peak memory of the process and of the matrices, in MB.
class Meter {
 public:
  explicit Meter(benchmark::State& state) : mState(state), mStart(std::clock()) {}
  void finish(const BemSurface& surface, double matrixMb) {
    mState.counters["cpu_s"] = static_cast<double>(std::clock() - mStart) / CLOCKS_PER_SEC /
                               static_cast<double>(mState.iterations());
    mState.counters["triangles"] = static_cast<double>(surface.triangleCount());
    mState.counters["matrix_mb"] = matrixMb;
    mState.counters["peak_mb"] = peakMemoryMb();
    mState.SetComplexityN(static_cast<int64_t>(surface.triangleCount()));
  }

 private:
  benchmark::State& mState;
  std::clock_t mStart;
};

/// What a free body under given tractions needs: D, and Kᵀ q.
void assembleNeumann(benchmark::State& state) {
  const BemSurface surface = surfaceOf(static_cast<size_t>(state.range(0)));
  const Eigen::Index n = static_cast<Eigen::Index>(3 * surface.nodeCount());
  const HatSpace hats = nodeSpace(surface);
  Meter meter(state);
  for (auto _ : state) {
    Context context;
    Eigen::MatrixXd d(n, n);
    OperatorBlock block{BemOperator::D, {}, {}, &hats, &hats, d.data(), n};
    OperatorProducts products;
    products.q = Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(3 * surface.triangleCount()), 1);
    assemble(surface, {}, {}, {&block, 1}, {&products, 1}, context);
    benchmark::DoNotOptimize(d.data());
  }
  meter.finish(surface, 8e-6 * static_cast<double>(n * n));
}

/// Held on the lower half, loaded on the upper: V, K, D in one matrix.
void assembleMixed(benchmark::State& state) {
  const BemSurface surface = surfaceOf(static_cast<size_t>(state.range(0)));
  std::vector<int32_t> held, free;
  std::vector<bool> isHeld(surface.nodeCount(), false);
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    if (surface.centroid(t).x() < 0) {
      held.push_back(static_cast<int32_t>(t));
      for (int32_t node : surface.triangle(t)) isHeld[node] = true;
    }
  for (size_t i = 0; i < surface.nodeCount(); ++i)
    if (!isHeld[i]) free.push_back(static_cast<int32_t>(i));
  const HatSpace hats = nodeSpace(surface, free);
  const Eigen::Index nq = static_cast<Eigen::Index>(3 * held.size()),
                     nu = static_cast<Eigen::Index>(3 * free.size());
  Meter meter(state);
  for (auto _ : state) {
    Context context;
    Eigen::MatrixXd v(nq, nq), k(nq, nu), d(nu, nu);
    OperatorBlock blocks[3] = {{BemOperator::V, held, held, nullptr, nullptr, v.data(), nq},
                               {BemOperator::K, held, {}, nullptr, &hats, k.data(), nq},
                               {BemOperator::D, {}, {}, &hats, &hats, d.data(), nu}};
    assemble(surface, {}, {}, {blocks, 3}, {}, context);
    benchmark::DoNotOptimize(d.data());
  }
  meter.finish(surface, 8e-6 * static_cast<double>(nq * nq + nq * nu + nu * nu));
}

/// The whole of a free body under tractions by the compressed path: operators, right-hand side, solution.
/// `error` is the largest difference to the exact field u = G x, without rigid motions and relative.
void solveCompressedNeumann(benchmark::State& state) {
  const BemSurface surface = surfaceOf(static_cast<size_t>(state.range(0)));
  const HatSpace hats = nodeSpace(surface);
  const ElasticMaterial material;
  Mat3 gradient;
  gradient << 0.3, 0.1, 0.2, 0.1, 0.7, -0.4, 0.2, -0.4, -0.9;
  OperatorProducts known;
  known.q.resize(static_cast<Eigen::Index>(3 * surface.triangleCount()), 1);
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    known.q.middleRows<3>(static_cast<Eigen::Index>(3 * t)) =
        stressOf(material, gradient) * surface.normal(t);
  double matrixMb = 0;
  CompressedSolution solution;
  Meter meter(state);
  for (auto _ : state) {
    Context context;
    const CompressedOperators operators(surface, {}, context);
    matrixMb = 1e-6 * static_cast<double>(operators.memoryBytes());
    operators.multiply(material, known, context);
    const Eigen::VectorXd side = 0.5 * massTimesTriangles(surface, hats, known.q) - known.KTq;
    solution = solveCompressed(operators, material, {}, hats, Eigen::VectorXd(), side, {}, context);
  }
  meter.finish(surface, matrixMb);
  state.counters["iterations_of_minres"] = static_cast<double>(solution.iterations);

  // The exact field without its rigid part, which is a translation since the gradient is symmetric
  const Eigen::Index unknowns = static_cast<Eigen::Index>(3 * surface.nodeCount());
  Eigen::MatrixXd modes(unknowns, 6);
  Eigen::VectorXd exact(unknowns);
  for (size_t i = 0; i < surface.nodeCount(); ++i) {
    const Eigen::Index at = static_cast<Eigen::Index>(3 * i);
    exact.segment<3>(at) = gradient * surface.point(i);
    for (Eigen::Index k = 0; k < 3; ++k) {
      modes.col(k).segment<3>(at) = Vec3::Unit(k);
      modes.col(3 + k).segment<3>(at) = Vec3::Unit(k).cross(surface.point(i));
    }
  }
  const Eigen::VectorXd off = solution.u - exact;
  const Eigen::VectorXd rigid = modes.householderQr().solve(off);
  state.counters["error"] = (off - modes * rigid).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff();
}

void sizes(benchmark::internal::Benchmark* b) {
  for (int n : {500, 1000, 2000, 5000}) b->Arg(n);
  b->Unit(benchmark::kMillisecond)->UseRealTime()->Complexity();
}
BENCHMARK(assembleNeumann)->Apply(sizes);
BENCHMARK(assembleMixed)->Apply(sizes);
BENCHMARK(solveCompressedNeumann)
    ->Arg(5000)
    ->Arg(10000)
    ->Arg(20000)
    ->Arg(40000)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Complexity();

}  // namespace
}  // namespace hackle
