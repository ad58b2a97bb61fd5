// The metrics of CVD fracture against each other: time, lengths against shortest ways inside, cells torn by
// gaps, and what each makes of a surface that is not welded. Kept in docs/figures/validate_cvd_metrics.tsv.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/fracture/voronoi/cvd.h>
#include <hackle/fracture/voronoi/geodesics.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/ops/registry.h>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace hackle {
namespace {

constexpr size_t kPieces = 40;

Geometry model(const std::string& shape) {
  Context context;
  return runOperator(findOperator("model"), Inputs(), {{"shape", shape}, {"size", 1.0}, {"resolution", 30}},
                     context)
      .outputs.geometry();
}

/// Every triangle with points of its own.
TriangleMesh unwelded(const TriangleMesh& mesh) {
  TriangleMesh soup;
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (const Triangle& t : mesh.triangles) {
    const auto first = static_cast<int32_t>(points.size());
    for (const int32_t p : t) points.push_back(mesh.points[p]);
    triangles.push_back({first, first + 1, first + 2});
  }
  soup.points = points;
  soup.triangles = triangles;
  return soup;
}

/// Mean difference between distances in the embedding, scaled to fit best, and shortest ways, as a share of
/// these.
double lengthError(const CvdBody& body) {
  Context context;
  const LatticeGeodesics geodesics(body.points, body.tetrahedra, body.graph);
  std::vector<std::pair<double, double>> pairs;  // way, embedded
  double cross = 0, square = 0;
  Random random(7);
  for (int source = 0; source < 12; ++source) {
    const size_t from = random.below(body.points.size());
    const std::vector<double> ways = geodesics.from(from, context);
    for (int k = 0; k < 400; ++k) {
      const size_t to = random.below(body.points.size());
      if (to == from || !std::isfinite(ways[to])) continue;
      const double embedded = std::sqrt(body.embedding.squaredDistance(from, to));
      pairs.emplace_back(ways[to], embedded);
      cross += embedded / ways[to];
      square += embedded * embedded / (ways[to] * ways[to]);
    }
  }
  const double scale = cross / square;
  double sum = 0;
  for (const auto& [way, embedded] : pairs) sum += std::abs(scale * embedded - way) / way;
  return sum / static_cast<double>(pairs.size());
}

/// Share of the nodes that lie apart from their cell.
double tornShare(const CvdBody& body) {
  Context context;
  CvdCellOptions options;
  options.pieces = kPieces;
  options.energies.granularity = 0;
  const CvdCells cells = cvdCells(body, std::vector<double>(body.points.size(), 1.0), options, context);
  return static_cast<double>(cells.connected.moved) / static_cast<double>(body.points.size());
}

class MetricTable {
 public:
  MetricTable() {
    add("body\tsurface\ttriangles\tnodes\tmetric\tdimensions\tseconds\tlength_error\ttorn_share\tproblem");
  }

  void measure(const std::string& shape, bool welded) {
    Context context;
    const TriangleMesh mesh = triangleMesh(model(shape));
    EnclosingOptions cage;
    cage.cells = 24;
    const TetLattice lattice = enclosingLattice(mesh, cage, context).lattice;
    const TriangleMesh surface = welded ? mesh : unwelded(mesh);
    const std::pair<const char*, Metric> metrics[] = {{"interior", Metric::Interior},
                                                      {"diffusion", Metric::Diffusion},
                                                      {"surface", Metric::Surface},
                                                      {"euclidean", Metric::Euclidean}};
    double ofInterior = 0;
    for (const auto& [name, metric] : metrics) {
      const std::string row = fmt::format("{}\t{}\t{}\t{}\t{}", shape, welded ? "welded" : "unwelded",
                                          surface.triangles.size(), lattice.points.size(), name);
      CvdBodyOptions options;
      options.metric = metric;
      const auto start = std::chrono::steady_clock::now();
      try {
        const CvdBody body = prepareCvd(lattice, surface, options, context);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double error = lengthError(body), torn = tornShare(body);
        // The default must keep cells together, and be nearer to true lengths than maps by diffusion.
        if (metric == Metric::Interior) ofInterior = error;
        const bool bad = metric == Metric::Interior ? !(torn < 0.02)
                                                    : metric != Metric::Euclidean && !(ofInterior < error);
        mFailed += bad;
        add(fmt::format("{}\t{}\t{:.2f}\t{:.3f}\t{:.4f}\t{}", row, body.embedding.dimensions, seconds, error,
                        torn, bad ? metric == Metric::Interior ? "torn" : "better than the default" : ""));
      } catch (const Error& e) {
        mFailed += metric == Metric::Interior;
        add(fmt::format("{}\t\t\t\t\t{}", row, e.what()));
      }
    }
  }

  int finish(bool record) const {
    if (record) {
      std::ofstream out("docs/figures/validate_cvd_metrics.tsv");
      out << "# ./run validate --record\n";
      for (const std::string& line : mLines) out << line << '\n';
    }
    std::printf("validate_cvd_metrics.tsv: %d failed\n", mFailed);
    return mFailed == 0 ? 0 : 1;
  }

 private:
  void add(const std::string& line) {
    mLines.push_back(line);
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
  std::vector<std::string> mLines;
  int mFailed = 0;
};

}  // namespace
}  // namespace hackle

int main(int argc, char** argv) {
  hackle::MetricTable table;
  for (const char* shape : {"figure", "goblet", "gear", "link", "knot", "bunny", "stairs"})
    table.measure(shape, true);
  table.measure("figure", false);
  return table.finish(argc > 1 && std::string(argv[1]) == "--record");
}
