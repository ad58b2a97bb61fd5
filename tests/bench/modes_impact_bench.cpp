// What an impact costs at run time: 30 modes, about 150 parts, 10,000 points on the boundaries of parts.
#include <hackle/core/random.h>
#include <hackle/fracture/modes/impact_projection.h>

#include <benchmark/benchmark.h>

#include <cmath>

namespace {

using namespace hackle;

/// A cache as `modes` would make it, but of random numbers: a block of cubes of six tetrahedra, with a share
/// for the nearest parts at each point, and modes that are constant on parts.
ModesCache randomCache(int cells, size_t parts, size_t modes) {
  ModesCache cache;
  Random random(1);
  const int n = cells + 1;
  std::vector<Vec3> middles;
  for (size_t p = 0; p < parts; ++p) {
    middles.emplace_back(random.uniform(), random.uniform(), random.uniform());
    cache.parts.names.push_back("piece");
    cache.masses.push_back(random.uniform(0.5, 1.5));
  }
  for (size_t p = 0; p < parts; ++p)
    for (size_t q = p + 1; q < parts; ++q)
      if ((middles[p] - middles[q]).norm() < 0.25) {
        PieceContact contact;
        contact.a = static_cast<int32_t>(p), contact.b = static_cast<int32_t>(q), contact.area = 0.01;
        cache.parts.contacts.push_back(contact);
      }
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Vec3 x = Vec3(i, j, k) / cells;
        cache.shares.points.push_back(x);
        double sum = 0;
        std::vector<double> shares;
        for (const Vec3& m : middles) sum += shares.emplace_back(std::exp(-8 * (m - x).norm()));
        for (size_t p = 0; p < parts; ++p) {
          cache.shares.parts.push_back(static_cast<int32_t>(p));
          cache.shares.shares.push_back(static_cast<float>(shares[p] / sum));
        }
        cache.shares.starts.push_back(static_cast<int32_t>(cache.shares.parts.size()));
      }
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int cell = 0; cell < cells * cells * cells; ++cell)
    for (const auto& order : orders) {
      int at[3] = {cell % cells, cell / cells % cells, cell / cells / cells};
      Tetrahedron t{};
      for (size_t c = 0; c < 4; ++c) {
        t[c] = (at[2] * n + at[1]) * n + at[0];
        if (c < 3) ++at[order[c]];
      }
      cache.shares.tetrahedra.push_back(t);
    }
  cache.values =
      Eigen::MatrixXd::NullaryExpr(static_cast<Eigen::Index>(parts), static_cast<Eigen::Index>(modes),
                                   [&] { return random.normal() * 0.1; });
  for (size_t m = 0; m < modes; ++m) cache.modes.push_back({7, static_cast<int32_t>(m), 1.0});
  return cache;
}

/// The whole answer to an impact: where it is, shares, projection, which contacts break, groups of parts; and
/// for `points` above 0 the movement of that many boundary points, one look-up each.
void impact(benchmark::State& state) {
  Context context;
  const ModesCache cache = randomCache(21, 150, 30);  // 22^3 = 10,648 points
  const ImpactProjector projector(cache, context);
  ProjectionOptions options;
  options.limits.speed = 0.02;
  options.projection = state.range(1) ? Projection::Parts : Projection::Modes;
  std::vector<int32_t> partOf(static_cast<size_t>(state.range(0)));
  for (size_t p = 0; p < partOf.size(); ++p) partOf[p] = static_cast<int32_t>(p % cache.masses.size());
  std::vector<Vec3> moved(partOf.size());
  Random random(2);
  size_t pieces = 0;
  for (auto _ : state) {
    Impact hit;
    hit.position = Vec3(random.uniform(), random.uniform(), random.uniform());
    const ProjectionResult result = projector.project(Span<const Impact>(&hit, 1), options);
    pieces = glueContacts(cache.parts, result.glued, "piece").names.size();
    for (size_t p = 0; p < partOf.size(); ++p) moved[p] = result.velocity[partOf[p]];
    benchmark::DoNotOptimize(moved.data());
  }
  state.counters["modes"] = static_cast<double>(cache.modes.size());
  state.counters["boundary_points"] = static_cast<double>(cache.shares.points.size());
  state.counters["parts"] = static_cast<double>(cache.masses.size());
  state.counters["contacts"] = static_cast<double>(cache.parts.contacts.size());
  state.counters["pieces"] = static_cast<double>(pieces);
}

}  // namespace

BENCHMARK(impact)
    ->ArgNames({"points", "by_parts"})
    ->Args({10000, 0})
    ->Args({10000, 1})
    ->Unit(benchmark::kMicrosecond);
