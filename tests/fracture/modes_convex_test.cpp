// The parts of the solver of fracture modes, against brute force.
#include <fracture/mode_lattices.h>
#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/fracture/modes/l1_program.h>
#include <hackle/fracture/modes/mode_search.h>

#include <Eigen/Dense>

#include <fstream>
#include <sstream>

namespace hackle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A connected random graph with random costs and masses.
ElementGraph randomGraph(int32_t n, int extra, uint64_t seed) {
  Random random(seed);
  ElementGraph graph;
  std::map<std::array<int32_t, 2>, double> faces;
  for (int32_t v = 1; v < n; ++v)
    faces[{static_cast<int32_t>(random.below(static_cast<uint64_t>(v))), v}] = random.uniform(0.1, 1);
  for (int k = 0; k < extra; ++k) {
    const auto a = static_cast<int32_t>(random.below(static_cast<uint64_t>(n)));
    const auto b = static_cast<int32_t>(random.below(static_cast<uint64_t>(n)));
    if (a != b) faces[{std::min(a, b), std::max(a, b)}] = random.uniform(0.1, 1);
  }
  graph.costs.resize(static_cast<Eigen::Index>(faces.size()), 1);
  for (const auto& [pair, cost] : faces) {
    graph.costs(static_cast<Eigen::Index>(graph.faces.size()), 0) = cost;
    graph.faces.push_back(pair);
    graph.areas.push_back(cost);
  }
  for (int32_t v = 0; v < n; ++v) graph.masses.push_back(random.uniform(0.5, 2));
  graph.volumes = graph.masses;
  return graph;
}

double perimeter(const ElementGraph& graph, uint32_t set) {
  double sum = 0;
  for (size_t f = 0; f < graph.faces.size(); ++f)
    if ((set >> graph.faces[f][0] & 1) != (set >> graph.faces[f][1] & 1))
      sum += graph.costs(static_cast<Eigen::Index>(f), 0);
  return sum;
}

double sumOver(uint32_t set, const VectorXd& values) {
  double sum = 0;
  for (Eigen::Index e = 0; e < values.size(); ++e)
    if (set >> e & 1) sum += values[e];
  return sum;
}

VectorXd randomGuess(const ElementGraph& graph, uint64_t seed) {
  Random random(seed);
  const auto n = static_cast<Eigen::Index>(graph.size());
  const VectorXd masses = Eigen::Map<const VectorXd>(graph.masses.data(), n);
  VectorXd guess(n);
  for (double& g : guess) g = random.normal();
  guess.array() -= guess.dot(masses) / masses.sum();
  return guess / std::sqrt(guess.cwiseAbs2().dot(masses));
}

TEST(MinCut, EqualsTheBestOfAllSets) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Context context;
    const ElementGraph graph = randomGraph(11, 12, seed);
    const detail::CutNetwork network(graph, 0);
    detail::CutNetwork::Flow flow = network.emptyFlow();
    for (uint64_t round = 0; round < 4; ++round) {  // each begins with the flow of the one before
      Random random(seed, round);
      VectorXd supply(11);
      for (double& s : supply) s = random.normal() * (round == 3 ? 0.05 : 0.7);
      supply.array() -= supply.mean();
      double best = 0;
      for (uint32_t set = 0; set < 1u << 11; ++set)
        best = std::max(best, sumOver(set, supply) - perimeter(graph, set));
      const auto cut = network.largestExcess(supply, flow, context);
      EXPECT_NEAR(cut.excess, best, 1e-12);
      uint32_t set = 0;
      for (uint32_t e = 0; e < 11; ++e) set |= static_cast<uint32_t>(cut.inside[e]) << e;
      EXPECT_NEAR(sumOver(set, supply) - perimeter(graph, set), best, 1e-12);
    }
  }
}

TEST(L1Program, EqualsTheBestOfAllBases) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    MatrixXd columns(3, 9);
    for (double& c : columns.reshaped()) c = random.normal();
    VectorXd costs(9);
    for (double& c : costs) c = random.uniform(0.5, 2);
    const VectorXd target = VectorXd::Unit(3, 0);
    double best = 1e300;
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < i; ++j)
        for (int k = 0; k < j; ++k) {
          MatrixXd basis(3, 3);
          basis << columns.col(i), columns.col(j), columns.col(k);
          const VectorXd w = basis.fullPivLu().solve(target);
          best = std::min(best,
                          std::abs(w[0]) * costs[i] + std::abs(w[1]) * costs[j] + std::abs(w[2]) * costs[k]);
        }
    const detail::L1Solution solution = detail::cheapestCombination(columns, costs, target, {});
    ASSERT_TRUE(solution.solved);
    EXPECT_NEAR(solution.objective, best, 1e-9 * best);
    EXPECT_NEAR(solution.prices[0], best, 1e-6 * best);
  }
}

/// Every convex problem is optimal: its dual prices respect all 2^n sets, and cost what the solution costs
/// (README eq. 4), which no better solution could.
TEST(ConvexProblem, IsOptimalBesideAllSets) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Context context;
    const ElementGraph graph = randomGraph(13, 16, 100 + seed);
    const VectorXd masses = Eigen::Map<const VectorXd>(graph.masses.data(), 13);
    MatrixXd seeds(13, 6), found(13, 0);
    for (Eigen::Index s = 0; s < 6; ++s)
      seeds.col(s) = randomGuess(graph, 10 * seed + static_cast<uint64_t>(s));
    ModeOptions options;
    options.starts = 2;
    detail::ModeSearch search(graph, 0, seeds, options, context);
    for (int k = 0; k < 5; ++k) {
      const VectorXd guess = randomGuess(graph, 1000 + seed);
      const detail::ConvexSolution solution = search.solveConvex(guess, context);
      ASSERT_TRUE(solution.converged && solution.mode);
      EXPECT_NEAR(solution.prices[0], solution.objective, 1e-6 * solution.objective);
      VectorXd function = solution.prices[0] * guess;
      if (k > 0) function += found * solution.prices.tail(k);
      const VectorXd supply = masses.cwiseProduct(function);
      for (uint32_t set = 0; set < 1u << 12; ++set)
        ASSERT_LE(std::abs(sumOver(set, supply)), perimeter(graph, set) + 1e-6 * solution.objective);
      // The solution is feasible and costs as much.
      const VectorXd s = solution.mode->perElement();
      const double along = s.cwiseProduct(masses).dot(guess);
      EXPECT_NEAR(solution.energy / std::abs(along), solution.objective, 1e-6 * solution.objective);
      EXPECT_LT((found.transpose() * masses.asDiagonal() * s).norm(), 1e-9);
      EXPECT_LE(solution.mode->size(), k + 2);
      FractureMode mode;
      found.conservativeResize(Eigen::NoChange, k + 1);
      found.col(k) = search.next(mode, context);
    }
  }
}

/// On few elements the first mode is a single cut: the best start finds the best of all cuts if it is tried
/// as a guess.
TEST(ConvexProblem, AFixedPointIsCheaperThanItsNeighbours) {
  Context context;
  const ElementGraph graph = randomGraph(12, 10, 5);
  const VectorXd masses = Eigen::Map<const VectorXd>(graph.masses.data(), 12);
  double best = 1e300;
  VectorXd bestCut;
  for (uint32_t set = 1; set < 1u << 11; ++set) {
    VectorXd s(12);
    for (Eigen::Index e = 0; e < 12; ++e) s[e] = set >> e & 1;
    s.array() -= s.dot(masses) / masses.sum();
    const double energy = perimeter(graph, set) / std::sqrt(s.cwiseAbs2().dot(masses));
    if (energy < best) {
      best = energy;
      bestCut = s;
    }
  }
  ModeOptions options;
  options.starts = 1;
  options.leastShare = 0;
  detail::ModeSearch search(graph, 0, bestCut, options, context);
  FractureMode mode;
  search.next(mode, context);
  EXPECT_NEAR(mode.energy, best, 1e-9 * best);
}

/// data/modes_ecos.txt is what tests/bench/modes_ecos.R, a general conic solver, says of the bar (bench_modes
/// writes its problem): seconds, convex problems, objective of the first, energy, faces with a jump.
TEST(ConvexProblem, AgreesWithAConicSolver) {
  const test::UnevenBar bar;
  Context context;
  ModeOptions options;
  options.starts = 1;
  options.leastShare = 0;
  detail::ModeSearch search(bar.graph, 0, bar.guesses, options, context);
  std::ifstream file(HACKLE_SOURCE_DIR "/tests/fracture/data/modes_ecos.txt");
  size_t compared = 0;
  for (std::string line; std::getline(file, line); ++compared) {
    std::istringstream words(line);
    double seconds = 0, objective = 0, energy = 0;
    size_t problems = 0;
    ASSERT_TRUE(words >> seconds >> problems >> objective >> energy);
    std::vector<size_t> jumps, expected;
    for (size_t f = 0; words >> f;) expected.push_back(f);
    EXPECT_NEAR(search.solveConvex(bar.guesses.col(static_cast<Eigen::Index>(compared)), context).objective,
                objective, 1e-6 * objective);
    FractureMode mode;
    const VectorXd values = search.next(mode, context);
    EXPECT_LE(mode.energy, energy * (1 + 1e-6));
    EXPECT_EQ(mode.iterations, problems);
    for (size_t f = 0; f < bar.graph.faces.size(); ++f)
      if (values[bar.graph.faces[f][0]] != values[bar.graph.faces[f][1]]) jumps.push_back(f);
    EXPECT_EQ(jumps, expected) << compared;
  }
  EXPECT_EQ(compared, 4u);
}

}  // namespace
}  // namespace hackle
