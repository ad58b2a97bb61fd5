#include <hackle/fracture/voronoi/cvd.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/cut/cutter.h>

#include <fmt/format.h>

#include <numeric>

namespace hackle {

namespace {

std::vector<Vec3> referencePositions(Span<const Vec3> points, const CvdBodyOptions& options,
                                     Context& context) {
  std::vector<Vec3> positions(points.begin(), points.end());
  if (!options.reference) return positions;
  parallelFor(context, positions.size(), 256, [&](size_t n) {
    positions[n] = options.reference(points[n]);
    if (!positions[n].allFinite())
      throw Error(ErrorCode::BadInput,
                  fmt::format("the warp of the reference space is not finite at ({:.4g}, {:.4g}, {:.4g})",
                              points[n].x(), points[n].y(), points[n].z()));
  });
  return positions;
}

}  // namespace

CvdBody prepareCvd(const TetLattice& lattice, const TriangleMesh& surface, const CvdBodyOptions& options,
                   Context& context) {
  CvdBody body;
  body.points = lattice.points;
  body.tetrahedra = lattice.tetrahedra;
  body.graph = NodeGraph(body.points.size(), body.tetrahedra, context);
  body.shares = solidShares(body.points, body.tetrahedra, surface, context);
  const std::vector<Vec3> positions = referencePositions(body.points, options, context);
  switch (options.metric) {
    case Metric::Interior:
      body.embedding = interiorEmbedding(positions, body.tetrahedra, body.graph, options.interior, context);
      break;
    case Metric::Diffusion:
      body.embedding = latticeDiffusion(positions, body.tetrahedra, body.graph, options.diffusion, context);
      break;
    case Metric::Surface:
      body.embedding =
          surfaceDiffusion(referencePositions(surface.points.span(), options, context),
                           surface.triangles.span(), positions, body.graph, options.diffusion, context);
      break;
    case Metric::Euclidean:
      body.embedding = euclideanEmbedding(positions);
      break;
  }
  return body;
}

std::vector<double> breakingEnergies(const CvdBody& body, Span<const double> energies,
                                     const NodeEnergyOptions& options, Context& context) {
  std::vector<double> shaped = shapedEnergies(body.points, body.tetrahedra, energies, options, context);
  for (size_t n = 0; n < shaped.size(); ++n) shaped[n] *= body.shares[n];
  return shaped;
}

CvdCells cvdCells(const CvdBody& body, Span<const double> energies, const CvdCellOptions& options,
                  Context& context) {
  const std::vector<double> shaped = breakingEnergies(body, energies, options.energies, context);
  CvdCells result;
  result.energy = std::accumulate(shaped.begin(), shaped.end(), 0.0);
  if (options.pieces) {
    result.search.cells =
        centroidalCells(body.embedding, body.graph, shaped, *options.pieces, options.search.lloyd, context);
    result.search.pieces = result.search.cells.count();
    result.search.wholeEnergy =
        centroidalCells(body.embedding, body.graph, shaped, 1, options.search.lloyd, context).energy();
    result.search.evaluations = 2;
  } else {
    result.search = searchPieces(body.embedding, body.graph, shaped, options.search, context);
  }
  result.connected.labels = result.search.cells.labels;
  if (options.connect) result.connected = connectedLabels(body.embedding, body.graph, result.search.cells);
  return result;
}

Cut cutByCells(const Geometry& solid, const TriangleMesh& mesh, const CvdBody& body, const CvdCells& cells,
               Context& context) {
  const LatticeScores scores =
      cellScores(body.embedding, body.graph, body.tetrahedra, cells.search.cells, cells.connected, context);
  return cutByLattice(solid, mesh, body.points, body.tetrahedra, scores, context);
}

}  // namespace hackle
