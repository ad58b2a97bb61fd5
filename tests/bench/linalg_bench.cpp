#include <benchmark/benchmark.h>
#include <hackle/linalg/sparse_cholesky.h>

#include <Eigen/SparseCholesky>

#include <vector>

namespace hackle {
namespace {

/// Lower triangle of a 3-D Laplacian on a cube of side³ unknowns.
SparseMatrix laplacian(int side) {
  std::vector<Eigen::Triplet<double, int32_t>> entries;
  const int n = side * side * side, strides[3] = {1, side, side * side};
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 6.001);
    for (const int stride : strides)
      if (i / stride % side + 1 < side) entries.emplace_back(i + stride, i, -1.0);
  }
  SparseMatrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

void count(benchmark::State& state, const SparseCholesky& cholesky) {
  state.counters["unknowns"] = static_cast<double>(cholesky.unknowns());
  state.counters["factor_entries"] = static_cast<double>(cholesky.factorEntries());
  state.counters["multiplications"] = cholesky.factorWork();
}

void analyse(benchmark::State& state) {
  Context context;
  const SparseMatrix lower = laplacian(static_cast<int>(state.range(0)));
  SparseCholesky cholesky;
  for (auto _ : state) cholesky.analyse(lower, context);
  count(state, cholesky);
}

void factorise(benchmark::State& state) {
  Context context;
  context.setThreads(static_cast<int>(state.range(1)));
  const SparseMatrix lower = laplacian(static_cast<int>(state.range(0)));
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  cholesky.factorise(lower, context);
  for (auto _ : state) cholesky.factorise(lower, context);
  count(state, cholesky);
}

void solve(benchmark::State& state) {
  Context context;
  const SparseMatrix lower = laplacian(static_cast<int>(state.range(0)));
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  cholesky.factorise(lower, context);
  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(lower.rows(), state.range(1));
  for (auto _ : state) cholesky.solve(x, context);
  count(state, cholesky);
}

/// Eigen's simplicial factorisation of the same matrix, without its analysis.
void factoriseEigen(benchmark::State& state) {
  const SparseMatrix lower = laplacian(static_cast<int>(state.range(0)));
  Eigen::SimplicialLLT<SparseMatrix, Eigen::Lower> llt;
  llt.analyzePattern(lower);
  for (auto _ : state) llt.factorize(lower);
  state.counters["unknowns"] = static_cast<double>(lower.rows());
}

// 5,832, 12,167, 50,653 and 205,379 unknowns.
BENCHMARK(analyse)->Arg(18)->Arg(37)->Arg(59)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(factorise)->ArgsProduct({{18, 23, 37, 59}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(solve)->ArgsProduct({{18, 37, 59}, {1, 10}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(factoriseEigen)->Arg(18)->Arg(23)->Arg(37)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace hackle
