// Seconds per fracture mode, counted as the paper does (a scalar mode is three vector modes), and the same
// problems with a general conic solver (ECOS, from Debian's r-cran-ecosolver, as a program of its own).
#include <benchmark/benchmark.h>
#include <fracture/mode_lattices.h>
#include <hackle/core/error.h>
#include <hackle/fracture/modes/mode_search.h>
#include <hackle/fracture/modes/mode_solver.h>
#include <hackle/meshing/lattice/lattice.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace hackle {
namespace {

/// The largest connected part of the bunny's lattice, with about this many elements.
const ElementGraph& bunny(double wanted) {
  static std::map<double, ElementGraph> graphs;
  ElementGraph& graph = graphs[wanted];
  if (graph.size() > 0) return graph;
  Context context;
  ShapeOptions shape;
  shape.shape = ShapeKind::Bunny;
  shape.size = 1.0;
  shape.resolution = 60;
  const TriangleMesh mesh = triangleMesh(makeShape(shape, context));
  const SolidField solid = solidInside(mesh, context);
  LatticeOptions options;
  options.cellSize = 0.06;
  TetLattice lattice;
  for (int i = 0; i < 6; ++i) {
    lattice = stuffLattice(solid, options, context);
    const double ratio = static_cast<double>(lattice.tetrahedra.size()) / wanted;
    if (std::abs(ratio - 1) < 0.03) break;
    options.cellSize *= std::cbrt(ratio);
  }
  std::vector<int32_t> part;
  std::vector<size_t> size(elementParts(elementGraph(lattice.points, lattice.tetrahedra, {}, context), &part),
                           0);
  for (const int32_t p : part) ++size[p];
  const auto largest = static_cast<int32_t>(std::max_element(size.begin(), size.end()) - size.begin());
  std::vector<Tetrahedron> kept;
  for (size_t t = 0; t < part.size(); ++t)
    if (part[t] == largest) kept.push_back(lattice.tetrahedra[t]);
  graph = elementGraph(lattice.points, kept, {}, context);
  return graph;
}

double seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

/// All of it: vibrations, starts, minimum cuts. The exponent of growth is from the smallest size to this one.
void modes(benchmark::State& state, double elements, size_t count) {
  const ElementGraph& graph = bunny(elements);
  static double firstSize = 0, firstSeconds = 0;
  for (auto _ : state) {
    Context context;
    ModeOptions options;
    options.count = count;
    const auto start = std::chrono::steady_clock::now();
    const FractureModes result = fractureModes(graph, options, context);
    const double perMode = seconds(start) / static_cast<double>(3 * count),
                 size = static_cast<double>(graph.size());
    if (firstSize == 0 || size < firstSize) {
      firstSize = size;
      firstSeconds = perMode;
    }
    double energy = 0, converged = 0;
    for (const FractureMode& mode : result.modes) {
      energy += mode.energy;
      converged += mode.converged;
    }
    state.counters["elements"] = size;
    state.counters["scalar_modes"] = static_cast<double>(count);
    state.counters["seconds_per_mode"] = perMode;
    state.counters["cuts"] = static_cast<double>(result.cuts);
    state.counters["energy"] = energy;
    state.counters["converged"] = converged;
    if (size > firstSize)
      state.counters["growth_exponent"] = std::log(perMode / firstSeconds) / std::log(size / firstSize);
  }
}

struct ConicMode {
  double seconds = 0, problems = 0, firstObjective = 0, energy = 0;
};

/// What modes_ecos.R says of a problem; empty if there is no such program.
std::vector<ConicMode> conicModes(const ElementGraph& graph, const Eigen::MatrixXd& guesses) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "hackle_modes_problem.txt";
  {
    std::ofstream out(file);
    out.precision(17);
    out << graph.size() << ' ' << graph.faces.size() << ' ' << guesses.cols() << '\n';
    for (const double m : graph.masses) out << m << '\n';
    for (size_t f = 0; f < graph.faces.size(); ++f)
      out << graph.faces[f][0] << ' ' << graph.faces[f][1] << ' '
          << graph.costs(static_cast<Eigen::Index>(f), 0) << '\n';
    out << guesses.reshaped();
  }
  const std::filesystem::path script = std::filesystem::path(__FILE__).parent_path() / "modes_ecos.R";
  std::vector<ConicMode> result;
  FILE* pipe = popen(("Rscript '" + script.string() + "' '" + file.string() + "' 2>/dev/null").c_str(), "r");
  if (!pipe) return result;
  std::string text;
  char buffer[4096];
  while (const size_t got = std::fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, got);
  pclose(pipe);
  std::filesystem::remove(file);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    ConicMode mode;
    if (words >> mode.seconds >> mode.problems >> mode.firstObjective >> mode.energy) result.push_back(mode);
  }
  return result;
}

/// The same problems, guesses and tolerance for both, one start each. Gaps are (ours − theirs) / theirs:
/// negative is better. The first mode's problems are the same to the bit; later ones follow from what was
/// found before.
void compare(benchmark::State& state, const ElementGraph& graph, const Eigen::MatrixXd& guesses) {
  const auto count = static_cast<size_t>(guesses.cols());
  for (auto _ : state) {
    Context context;
    const std::vector<ConicMode> theirs = conicModes(graph, guesses);
    if (theirs.size() != count) {
      state.SkipWithError("ECOS is not there: install r-cran-ecosolver");
      return;
    }
    ModeOptions options;
    options.starts = 1;
    options.leastShare = 0;
    const auto start = std::chrono::steady_clock::now();
    detail::ModeSearch search(graph, 0, guesses, options, context);
    const detail::ConvexSolution first = search.solveConvex(guesses.col(0), context);
    double ours = 0, conic = 0, conicSeconds = 0;
    for (const ConicMode& other : theirs) {
      FractureMode mode;
      search.next(mode, context);
      ours += mode.energy;
      conic += other.energy;
      conicSeconds += other.seconds;
    }
    const auto vectorModes = static_cast<double>(3 * count);
    state.counters["elements"] = static_cast<double>(graph.size());
    state.counters["seconds_per_mode"] = seconds(start) / vectorModes;
    state.counters["ecos_seconds_per_mode"] = conicSeconds / vectorModes;
    state.counters["objective_gap"] = first.objective / theirs[0].firstObjective - 1;
    state.counters["energy_gap"] = ours / conic - 1;
  }
}

void besideEcos(benchmark::State& state, double elements, size_t count) {
  Context context;
  compare(state, bunny(elements), detail::vibrations(bunny(elements), 0, count, context));
}

/// The bar of tests/fracture/data/modes_ecos.txt.
void besideEcosBar(benchmark::State& state) {
  const test::UnevenBar bar;
  compare(state, bar.graph, bar.guesses);
}

#define HACKLE_ONCE Iterations(1)->Unit(benchmark::kSecond)->UseRealTime()
BENCHMARK_CAPTURE(modes, 3500, 3500, 10)->HACKLE_ONCE;
BENCHMARK_CAPTURE(modes, 6000, 6000, 10)->HACKLE_ONCE;
BENCHMARK_CAPTURE(modes, 12000, 12000, 10)->HACKLE_ONCE;
BENCHMARK_CAPTURE(modes, 50000, 50000, 5)->HACKLE_ONCE->Repetitions(1);
BENCHMARK_CAPTURE(modes, 200000, 200000, 3)->HACKLE_ONCE->Repetitions(1);
BENCHMARK(besideEcosBar)->HACKLE_ONCE->Repetitions(1);
BENCHMARK_CAPTURE(besideEcos, 3500, 3500, 3)->HACKLE_ONCE->Repetitions(1);
BENCHMARK_CAPTURE(besideEcos, 6000, 6000, 3)->HACKLE_ONCE->Repetitions(1);
BENCHMARK_CAPTURE(besideEcos, 12000, 12000, 2)->HACKLE_ONCE->Repetitions(1);

}  // namespace
}  // namespace hackle
