// Speed of the growing dense Cholesky factorisation: GFlop/s beside Eigen's LLT, and what adding rows costs.
#include <hackle/linalg/growing_cholesky.h>

#include <benchmark/benchmark.h>

#include <Eigen/Cholesky>
#include <chrono>
#include <ctime>

namespace {

using namespace hackle;
using Matrix = Eigen::MatrixXd;

double entry(size_t i, size_t j) { return i == j ? 11.0 : 1.0 / (1.0 + static_cast<double>(i - j)); }

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void fill(GrowingCholesky& factor, size_t from) {
  for (size_t i = from; i < factor.rows(); ++i)
    for (size_t j = 0; j <= i; ++j) factor.entry(i, j) = entry(i, j);
}

double gigaflops(size_t n) {
  const double x = static_cast<double>(n);
  return x * x * x / 3e9;
}

void growingCholesky(benchmark::State& state) {
  const size_t n = static_cast<size_t>(state.range(0));
  Context context;
  double processor = 0;
  for (auto _ : state) {
    state.PauseTiming();
    GrowingCholesky factor;
    factor.grow(n, GrowingCholesky::Sign::Positive);
    fill(factor, 0);
    state.ResumeTiming();
    const double start = processorSeconds();
    factor.factorise(context);
    processor += processorSeconds() - start;
  }
  const double done = gigaflops(n) * static_cast<double>(state.iterations());
  state.counters["gflops"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["gflops_per_cpu_s"] = done / processor;
}

void eigenLLT(benchmark::State& state) {
  const size_t n = static_cast<size_t>(state.range(0));
  double processor = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Matrix a(n, n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j)
        a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = entry(i, j);
    state.ResumeTiming();
    const double start = processorSeconds();
    benchmark::DoNotOptimize(Eigen::LLT<Eigen::Ref<Matrix>>(a).info());
    processor += processorSeconds() - start;
  }
  const double done = gigaflops(n) * static_cast<double>(state.iterations());
  state.counters["gflops"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["gflops_per_cpu_s"] = done / processor;
}

/// 150 rows after n: processor time as a share of factorising n rows, and the share of multiplications, 3m/n.
void extension(benchmark::State& state) {
  const size_t n = static_cast<size_t>(state.range(0)), m = 150;
  Context context;
  double whole = 0, added = 0;
  for (auto _ : state) {
    state.PauseTiming();
    GrowingCholesky factor;
    factor.grow(n, GrowingCholesky::Sign::Positive);
    fill(factor, 0);
    double start = processorSeconds();
    factor.factorise(context);
    whole += processorSeconds() - start;
    factor.grow(m, GrowingCholesky::Sign::Positive);
    fill(factor, n);
    state.ResumeTiming();
    start = processorSeconds();
    factor.factorise(context);
    added += processorSeconds() - start;
  }
  state.counters["share_of_factorisation"] = added / whole;
  state.counters["share_of_flops"] = 3.0 * static_cast<double>(m) / static_cast<double>(n);
}

BENCHMARK(growingCholesky)->Arg(1500)->Arg(3000)->Arg(6000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(eigenLLT)->Arg(1500)->Arg(3000)->Arg(6000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(extension)->Arg(3000)->Arg(6000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
