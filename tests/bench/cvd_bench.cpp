// Speed of CVD fracture against table 1 of [Schvartzman14], and how it grows.
//
// The paper's sizes: a horse of 38,016 triangles in 5,256 tetrahedra (67 pieces: 37 ms and 233 ms) and a
// bunny of 163,584 in 5,301 (48 pieces: 67 ms and 272 ms), on a quad core of 3.4 GHz. Here the blended figure
// stands in for both, with surfaces and lattices of these sizes. `cvd` is the diagram alone, `tessellate` the
// cut of the lattice and of the fine surface, `pieces` what makes closed pieces with attributes of it.
#include "growth.h"

#include <hackle/fracture/pieces.h>
#include <hackle/fracture/voronoi/cvd.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/ops/registry.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <ctime>

namespace {

using namespace hackle;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The blended figure of 1 m, in triangles with normals, as artists' meshes have them.
Geometry figure(int resolution) {
  Context context;
  const Geometry quads =
      runOperator(findOperator("model"), Inputs(),
                  {{"shape", "figure"}, {"size", 1.0}, {"resolution", resolution}}, context)
          .outputs.geometry();
  const TriangleMesh mesh = triangleMesh(quads);
  Geometry g;
  g.addPoints(quads.pointCount());
  g.editPositions().assign(quads.positions().begin(), quads.positions().end());
  std::vector<int32_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  g.addPrimitives(PrimitiveType::Polygon, corners.size() / 3, 3, corners);
  return runOperator(findOperator("normals"), Inputs({g}), {}, context).outputs.geometry();
}

struct Body {
  Geometry solid;
  TriangleMesh mesh;
  CvdBody body;
  std::vector<double> energies;  // as a blow on the head would leave
  double prepareSeconds = 0;     // on the wall
};

Body prepare(int resolution, double cellSize, std::optional<double> interior = std::nullopt) {
  Context context;
  Body b;
  b.solid = figure(resolution);
  b.mesh = triangleMesh(b.solid);
  EnclosingOptions options;
  options.cellSize = cellSize;
  options.interiorSize = interior;
  const TetLattice lattice = enclosingLattice(b.mesh, options, context).lattice;
  const double start = now();
  b.body = prepareCvd(lattice, b.mesh, CvdBodyOptions(), context);
  b.prepareSeconds = now() - start;
  const Box3 box = b.solid.bounds();
  const Vec3 top(box.centre().x(), box.max.y(), box.centre().z());
  b.energies = nodeVolumes(b.body.points, b.body.tetrahedra);
  for (size_t n = 0; n < b.energies.size(); ++n)
    b.energies[n] /= std::pow(0.15 + (b.body.points[n] - top).norm(), 4);
  return b;
}

/// Seconds on the wall, and of all processors together.
struct Seconds {
  double wall = 0, processor = 0;
  void add(const Seconds& o) { wall += o.wall, processor += o.processor; }
};

class Watch {
 public:
  /// Since the last lap.
  Seconds lap() {
    const Watch last = *this;
    *this = Watch();
    return {mWall - last.mWall, static_cast<double>(mProcessor - last.mProcessor) / CLOCKS_PER_SEC};
  }

 private:
  double mWall = now();
  std::clock_t mProcessor = std::clock();
};

struct Times {
  Seconds cvd, tessellate, pieces;
  size_t count = 0;
  int iterations = 0;
};

Times breakInto(const Body& b, size_t pieces) {
  Context context;
  CvdCellOptions options;
  options.pieces = pieces;
  Times times;
  Watch watch;
  const CvdCells cells = cvdCells(b.body, b.energies, options, context);
  times.cvd = watch.lap();
  const Cut cut = cutByCells(b.solid, b.mesh, b.body, cells, context);
  times.tessellate = watch.lap();
  const FracturePieces made = makePieces(b.solid, b.mesh, cut, PieceOptions(), context);
  times.pieces = watch.lap();
  times.count = made.names.size();
  times.iterations = cells.search.cells.iterations;
  return times;
}

void table1(benchmark::State& state) {
  const Body body = prepare(static_cast<int>(state.range(0)), 0.0001 * static_cast<double>(state.range(1)));
  Times sum;
  for (auto _ : state) {
    const Times t = breakInto(body, static_cast<size_t>(state.range(2)));
    sum.cvd.add(t.cvd), sum.tessellate.add(t.tessellate), sum.pieces.add(t.pieces);
    sum.count = t.count, sum.iterations = t.iterations;
  }
  const double runs = static_cast<double>(state.iterations());
  state.counters["triangles"] = static_cast<double>(body.mesh.triangles.size());
  state.counters["tetrahedra"] = static_cast<double>(body.body.tetrahedra.size());
  state.counters["dimensions"] = static_cast<double>(body.body.embedding.dimensions);
  state.counters["made"] = static_cast<double>(sum.count);
  state.counters["iterations_lloyd"] = sum.iterations;
  const std::pair<const char*, Seconds> parts[] = {
      {"cvd", sum.cvd}, {"tessellate", sum.tessellate}, {"pieces", sum.pieces}};
  for (const auto& [name, seconds] : parts) {
    state.counters[std::string(name) + "_ms"] = 1e3 * seconds.wall / runs;
    state.counters[std::string(name) + "_cpu_ms"] = 1e3 * seconds.processor / runs;
  }
  state.counters["embed_ms"] = 1e3 * body.prepareSeconds;
}

/// Exponents of processor time: 67 pieces from 16,000 to 800,000 tetrahedra, and 31 to 2,000 pieces of the
/// largest.
void growth(benchmark::State& state) {
  double byTets = 0, byPieces = 0, embed = 0, largest = 0, most = 0;
  for (auto _ : state) {
    std::vector<std::pair<double, double>> samples, embeds;
    Body body;
    for (const double cell : {0.028, 0.0165, 0.0099, 0.0060}) {
      body = prepare(60, cell);
      const Times t = breakInto(body, 67);
      const double tets = static_cast<double>(body.body.tetrahedra.size());
      samples.emplace_back(tets, t.cvd.processor + t.tessellate.processor);
      embeds.emplace_back(tets, body.prepareSeconds);
      largest = tets;
    }
    byTets = slope(samples);
    embed = slope(embeds);
    samples.clear();
    for (const size_t pieces : {31, 125, 500, 2000}) {
      const Times t = breakInto(body, pieces);
      samples.emplace_back(static_cast<double>(pieces), t.cvd.processor + t.tessellate.processor);
      most = t.cvd.wall + t.tessellate.wall;
    }
    byPieces = slope(samples);
  }
  state.counters["exponent_tetrahedra"] = byTets;
  state.counters["exponent_pieces"] = byPieces;
  state.counters["exponent_embedding"] = embed;
  state.counters["largest_tetrahedra"] = largest;
  state.counters["seconds_2000_pieces"] = most;
}

// resolution of the surface, cell size in 0.1 mm, pieces
BENCHMARK(table1)
    ->Args({59, 430, 67})
    ->Args({59, 430, 7})
    ->Args({122, 430, 48})
    ->Args({122, 430, 3})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(growth)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
