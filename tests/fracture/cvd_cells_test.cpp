#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/fracture/pieces.h>
#include <hackle/fracture/voronoi/cvd.h>
#include <hackle/fracture/voronoi/geodesics.h>
#include <hackle/fracture/voronoi/mean_value.h>
#include <hackle/meshing/cut/cutter.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/ops/registry.h>

#include <map>
#include <numeric>
#include <set>

namespace hackle {
namespace {

/// Two arms of width 0.3 and height 1, a gap of 0.1 between them, on a bar of height 0.3.
Geometry horseshoe() {
  const double xs[4] = {0, 0.3, 0.4, 0.7};
  Geometry g;
  const std::vector<Vec2> outline{{xs[0], 0},   {xs[3], 0},   {xs[3], 1}, {xs[2], 1},
                                  {xs[2], 0.3}, {xs[1], 0.3}, {xs[1], 1}, {xs[0], 1}};
  const int32_t n = static_cast<int32_t>(outline.size());
  for (const double z : {0.0, 0.3})
    for (const Vec2& p : outline) g.addPoint({p.x(), p.y(), z});
  std::vector<int32_t> back, front;
  for (int32_t k = 0; k < n; ++k) {
    back.push_back(n - 1 - k);
    front.push_back(n + k);
    const int32_t next = (k + 1) % n;
    g.addPolygon({k, next, n + next, n + k});
  }
  g.addPrimitives(PrimitiveType::Polygon, 1, static_cast<size_t>(n), back);
  g.addPrimitives(PrimitiveType::Polygon, 1, static_cast<size_t>(n), front);
  return g;
}

TetLattice cage(const Geometry& solid, double cellSize) {
  Context context;
  EnclosingOptions options;
  options.cellSize = cellSize;
  options.offset = 0.1 * cellSize;
  return enclosingLattice(triangleMesh(solid), options, context).lattice;
}

CvdBody bodyOf(const Geometry& solid, double cellSize, Metric metric = Metric::Interior, int threads = 0) {
  Context context;
  context.setThreads(threads);
  CvdBodyOptions options;
  options.metric = metric;
  return prepareCvd(cage(solid, cellSize), triangleMesh(solid), options, context);
}

/// As a blow at `at` would leave: density falls with the fourth power of the distance.
std::vector<double> blow(const CvdBody& body, const Vec3& at, double joule = 1.0) {
  std::vector<double> energies = nodeVolumes(body.points, body.tetrahedra);
  for (size_t n = 0; n < energies.size(); ++n) energies[n] /= std::pow(0.1 + (body.points[n] - at).norm(), 4);
  const double sum = std::accumulate(energies.begin(), energies.end(), 0.0);
  for (double& e : energies) e *= joule / sum;
  return energies;
}

size_t nodeAt(const CvdBody& body, const Vec3& p) {
  size_t best = 0;
  for (size_t n = 0; n < body.points.size(); ++n)
    if ((body.points[n] - p).norm() < (body.points[best] - p).norm()) best = n;
  return best;
}

TEST(Lloyd, EnergyNeverRisesAndEveryNodeHasItsNearestSite) {
  const CvdBody body = bodyOf(shapes::torus(24, 12), 0.12);
  const std::vector<double> energies = blow(body, {1.25, 0, 0});
  for (const size_t count : {1, 2, 7, 40, 150}) {
    SCOPED_TRACE(count);
    Context context;
    const CentroidalCells cells =
        centroidalCells(body.embedding, body.graph, energies, count, LloydOptions(), context);
    ASSERT_EQ(cells.count(), count);
    for (size_t k = 1; k < cells.energies.size(); ++k) EXPECT_LE(cells.energies[k], cells.energies[k - 1]);
    double energy = 0;
    for (size_t n = 0; n < body.points.size(); ++n) {
      size_t nearest = 0;
      double least = 1e300;
      for (size_t s = 0; s < count; ++s) {
        const double d = squaredDistance(body.embedding.of(n), cells.site(s), cells.dimensions);
        if (d < least) least = d, nearest = s;
      }
      ASSERT_EQ(static_cast<size_t>(cells.labels[n]), nearest) << "node " << n;
      energy += energies[n] * least;
    }
    EXPECT_NEAR(energy, cells.energy(), 1e-12 * energy);
  }
}

TEST(Lloyd, SitesEndNearTheCentroidsOfTheirCells) {
  const CvdBody body = bodyOf(shapes::box(), 0.1);
  const std::vector<double> energies = blow(body, {1, 1, 1});
  LloydOptions options;
  options.iterations = 1000;
  options.tolerance = 0;
  Context context;
  const CentroidalCells cells = centroidalCells(body.embedding, body.graph, energies, 12, options, context);
  EXPECT_LT(cells.iterations, 1000);
  const size_t d = cells.dimensions;
  std::vector<double> sums(cells.sites.size(), 0.0), totals(cells.count(), 0.0);
  for (size_t n = 0; n < body.points.size(); ++n) {
    const auto label = static_cast<size_t>(cells.labels[n]);
    totals[label] += energies[n];
    for (size_t k = 0; k < d; ++k) sums[label * d + k] += energies[n] * body.embedding.of(n)[k];
  }
  for (size_t s = 0; s < cells.count(); ++s)
    for (size_t k = 0; k < d; ++k) EXPECT_NEAR(sums[s * d + k] / totals[s], cells.site(s)[k], 1e-6);
}

// Where more energy is, pieces are smaller.
TEST(Lloyd, PiecesAreSmallWhereTheEnergyIs) {
  const CvdBody body = bodyOf(shapes::box({0, 0, 0}, {3, 1, 1}), 0.15);
  Context context;
  const CentroidalCells cells =
      centroidalCells(body.embedding, body.graph, blow(body, {0, 0.5, 0.5}), 30, LloydOptions(), context);
  std::set<int32_t> near, far;
  for (size_t n = 0; n < body.points.size(); ++n)
    (body.points[n].x() < 1 ? near : far).insert(cells.labels[n]);
  EXPECT_GT(near.size(), 2 * far.size());
}

TEST(Lloyd, SitesForFewerAreAmongThoseForMore) {
  const CvdBody body = bodyOf(shapes::box(), 0.12);
  const std::vector<double> energies = blow(body, {0, 0, 0});
  LloydOptions options;
  options.iterations = 0;
  Context context;
  const CentroidalCells few = centroidalCells(body.embedding, body.graph, energies, 9, options, context);
  const CentroidalCells more = centroidalCells(body.embedding, body.graph, energies, 20, options, context);
  EXPECT_TRUE(std::equal(few.sites.begin(), few.sites.end(), more.sites.begin()));
}

TEST(Lloyd, AsManySitesAsNodesLeaveNoEnergy) {
  const CvdBody body = bodyOf(shapes::box(), 0.4);
  Context context;
  const CentroidalCells cells =
      centroidalCells(body.embedding, body.graph, blow(body, {0, 0, 0}), 1000000, LloydOptions(), context);
  EXPECT_EQ(cells.count(), body.points.size());
  EXPECT_EQ(cells.energy(), 0.0);
}

// Also without any energy.
TEST(Lloyd, EnergyOfNothingBreaksNothing) {
  const CvdBody body = bodyOf(shapes::box(), 0.3);
  const std::vector<double> none(body.points.size(), 0.0);
  Context context;
  EXPECT_EQ(searchPieces(body.embedding, body.graph, none, PieceSearchOptions(), context).pieces, 1u);
  EXPECT_EQ(centroidalCells(body.embedding, body.graph, none, 5, LloydOptions(), context).count(), 5u);
}

TEST(PieceSearch, FallsWithTheThresholdAndRisesWithTheEnergy) {
  const CvdBody body = bodyOf(horseshoe(), 0.07);
  const std::vector<double> energies = blow(body, {0.15, 1, 0.15});
  Context context;
  PieceSearchOptions options;
  options.threshold = 1e9;
  const double whole = searchPieces(body.embedding, body.graph, energies, options, context).wholeEnergy;
  size_t before = 1000000;
  for (double share = 0.02; share < 2; share *= 1.25) {
    options.threshold = share * whole;
    const PieceSearch search = searchPieces(body.embedding, body.graph, energies, options, context);
    EXPECT_LE(search.pieces, before);
    EXPECT_LT(search.cells.energy(), options.threshold);
    EXPECT_EQ(search.cells.count(), search.pieces);
    before = search.pieces;
    // One piece less does not do.
    if (search.pieces == 1) continue;
    const CentroidalCells fewer =
        centroidalCells(body.embedding, body.graph, energies, search.pieces - 1, options.lloyd, context);
    EXPECT_GE(fewer.energy(), options.threshold);
  }
  EXPECT_EQ(before, 1u);
  options.threshold = 0.1 * whole;
  before = 1;
  for (double height = 0.5; height < 5; height *= 1.3) {
    std::vector<double> more = energies;
    for (double& e : more) e *= height;
    const size_t pieces = searchPieces(body.embedding, body.graph, more, options, context).pieces;
    EXPECT_GE(pieces, before);
    before = pieces;
  }
  EXPECT_GT(before, 3u);
}

TEST(PieceSearch, StopsAtTheMaximum) {
  const CvdBody body = bodyOf(shapes::box(), 0.2);
  PieceSearchOptions options;
  options.threshold = 1e-12;
  options.maximum = 11;
  Context context;
  const PieceSearch search =
      searchPieces(body.embedding, body.graph, blow(body, {0, 0, 0}), options, context);
  EXPECT_TRUE(search.capped);
  EXPECT_EQ(search.pieces, 11u);
  EXPECT_EQ(search.cells.count(), 11u);
}

TEST(NodeEnergies, GranularityZeroLeavesOnlyTheTotal) {
  const CvdBody body = bodyOf(shapes::sphere(12), 0.2);
  NodeEnergyOptions options;
  options.granularity = 0;
  Context context;
  const auto a = shapedEnergies(body.points, body.tetrahedra, blow(body, {0, 1, 0}), options, context);
  const auto b = shapedEnergies(body.points, body.tetrahedra, blow(body, {1, 0, 0}), options, context);
  for (size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 1e-12 * a[n]);
  for (const double alpha : {0.0, 0.5, 1.0, 2.0}) {
    options.granularity = alpha;
    const auto shaped =
        shapedEnergies(body.points, body.tetrahedra, blow(body, {0, 1, 0}, 7), options, context);
    EXPECT_NEAR(std::accumulate(shaped.begin(), shaped.end(), 0.0), 7.0, 1e-11);
  }
  options.granularity = 1;
  options.fragility = [](const Vec3& p) { return p.x() > 0 ? 3.0 : 0.5; };
  const auto plain = blow(body, {0, 1, 0});
  const auto painted = shapedEnergies(body.points, body.tetrahedra, plain, options, context);
  for (size_t n = 0; n < plain.size(); ++n)
    EXPECT_DOUBLE_EQ(painted[n], (body.points[n].x() > 0 ? 3.0 : 0.5) * plain[n]);
}

TEST(Geodesics, StraightInConvexBodies) {
  const CvdBody body = bodyOf(shapes::sphere(16), 0.15);
  Context context;
  const LatticeGeodesics geodesics(body.points, body.tetrahedra, body.graph);
  const size_t source = nodeAt(body, {0, 1, 0});
  const std::vector<double> lengths = geodesics.from(source, context);
  for (size_t n = 0; n < lengths.size(); ++n)
    EXPECT_NEAR(lengths[n], (body.points[n] - body.points[source]).norm(), 0.06);
}

TEST(Geodesics, GoAroundTheGap) {
  const CvdBody body = bodyOf(horseshoe(), 0.05);
  Context context;
  const LatticeGeodesics geodesics(body.points, body.tetrahedra, body.graph);
  // From one tip to the other: down to the corners of the gap and up again.
  const size_t a = nodeAt(body, {0.3, 1, 0.15}), b = nodeAt(body, {0.4, 1, 0.15});
  EXPECT_NEAR(geodesics.from(a, context)[b], 0.7 + 0.1 + 0.7, 0.1);
}

TEST(InteriorEmbedding, GoesAroundTheGap) {
  const CvdBody body = bodyOf(horseshoe(), 0.05);
  const size_t a = nodeAt(body, {0.25, 1, 0.15}), b = nodeAt(body, {0.45, 1, 0.15});
  const size_t foot = nodeAt(body, {0.25, 0.3, 0.15});
  const double across = std::sqrt(body.embedding.squaredDistance(a, b));
  const double down = std::sqrt(body.embedding.squaredDistance(a, foot));
  EXPECT_GT(across, 1.0);
  EXPECT_NEAR(down, 0.7, 0.1);
}

// Nothing bends the ways in a convex body: three dimensions, and the distances of space.
TEST(InteriorEmbedding, IsEuclideanInConvexBodies) {
  const CvdBody body = bodyOf(shapes::box({0, 0, 0}, {2, 1, 1}), 0.15);
  EXPECT_EQ(body.embedding.dimensions, 3u);
  double worst = 0;
  for (size_t n = 0; n < body.points.size(); n += 7)
    for (size_t m = 0; m < n; m += 5)
      worst = std::max(worst, std::abs(std::sqrt(body.embedding.squaredDistance(n, m)) -
                                       (body.points[n] - body.points[m]).norm()));
  EXPECT_LT(worst, 0.1);
}

// Positions as values come out at the places themselves: inside, outside, on faces and corners.
TEST(MeanValueCoordinates, ReproduceLinearFunctions) {
  const TriangleMesh mesh = triangleMesh(horseshoe());
  Eigen::MatrixXd values(static_cast<Eigen::Index>(mesh.points.size()), 3);
  for (size_t p = 0; p < mesh.points.size(); ++p)
    values.row(static_cast<Eigen::Index>(p)) = mesh.points[p].transpose();
  std::vector<Vec3> places{{0.15, 0.5, 0.15}, {0.35, 0.15, 0.1}, {0.35, 0.7, 0.1}, {2, 1, -1},
                           {0.5, 0.9, 0.2},   {0.1, 0.0, 0.15},  mesh.points[3],   {0.55, 1, 0.1}};
  Context context;
  const Eigen::MatrixXd at =
      meanValueInterpolation(mesh.points.span(), mesh.triangles.span(), values, places, context);
  for (size_t k = 0; k < places.size(); ++k)
    EXPECT_LE((at.row(static_cast<Eigen::Index>(k)).transpose() - places[k]).norm(), 1e-6) << k;
}

// Maps by diffusion go around the gap as well: both places are 0.4 m away as the crow flies.
TEST(DiffusionEmbedding, GoesAroundTheGap) {
  for (const Metric metric : {Metric::Diffusion, Metric::Surface}) {
    const CvdBody body = bodyOf(horseshoe(), 0.08, metric);
    const size_t a = nodeAt(body, {0.15, 0.9, 0.15}), b = nodeAt(body, {0.55, 0.9, 0.15});
    const size_t below = nodeAt(body, {0.15, 0.5, 0.15});
    EXPECT_GT(body.embedding.squaredDistance(a, b), 1.3 * body.embedding.squaredDistance(a, below));
  }
}

struct Broken {
  CvdCells cells;
  FracturePieces pieces;
  Value report;
};

Broken breakInto(const Geometry& solid, const CvdBody& body, const std::vector<double>& energies,
                 size_t count, int threads = 0) {
  Context context;
  context.setThreads(threads);
  CvdCellOptions options;
  options.pieces = count;
  Broken broken;
  broken.cells = cvdCells(body, energies, options, context);
  const TriangleMesh mesh = triangleMesh(solid);
  const Cut cut = cutByCells(solid, mesh, body, broken.cells, context);
  PieceOptions pieces;
  pieces.minVolume = 1e-6;
  broken.pieces = makePieces(solid, mesh, cut, pieces, context);
  broken.report = pieceReport(solid, broken.pieces, context);
  return broken;
}

void expectSound(const Broken& broken) {
  EXPECT_TRUE(broken.report.find("closed")->asBool());
  EXPECT_TRUE(broken.report.find("manifold")->asBool());
  EXPECT_LE(broken.report.find("volume_error")->asNumber(), 1e-9);
}

// One piece a cell: none reaches across the gap. With the straight metric, some do.
TEST(CvdPieces, AreConnectedInConcaveBodies) {
  const Geometry solid = horseshoe();
  size_t torn = 0;
  for (const Metric metric : {Metric::Interior, Metric::Euclidean}) {
    const CvdBody body = bodyOf(solid, 0.06, metric);
    for (const size_t count : {2, 3, 5, 9}) {
      SCOPED_TRACE(count);
      const Broken broken = breakInto(solid, body, blow(body, {0.3, 0.9, 0.15}), count);
      expectSound(broken);
      const bool isTorn = 100 * broken.cells.connected.moved > body.points.size();
      if (metric == Metric::Interior) {
        EXPECT_EQ(broken.pieces.names.size(), count);
        EXPECT_FALSE(isTorn);
      } else {
        torn += isTorn ? 1 : 0;
      }
    }
  }
  EXPECT_GT(torn, 0u);
}

class CvdShapes : public testing::TestWithParam<const char*> {};

TEST_P(CvdShapes, PiecesAreSound) {
  Context context;
  const Geometry solid =
      runOperator(findOperator("model"), Inputs(), {{"shape", GetParam()}, {"size", 1.0}}, context)
          .outputs.geometry();
  const CvdBody body = bodyOf(solid, 0.06);
  const Vec3 top = {solid.bounds().centre().x(), solid.bounds().max.y(), solid.bounds().centre().z()};
  for (const size_t count : {2, 12, 60}) {
    SCOPED_TRACE(count);
    const Broken broken = breakInto(solid, body, blow(body, top), count);
    expectSound(broken);
    EXPECT_GE(broken.pieces.names.size(), count * 9 / 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CvdShapes,
                         testing::Values("box", "torus", "goblet", "gear", "figure", "knot"));

std::map<int32_t, double> volumeByCell(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut) {
  Context context;
  const FracturePieces pieces = makePieces(solid, mesh, cut, PieceOptions(), context);
  std::map<int32_t, double> volumes;
  for (size_t p = 0; p < pieces.cell.size(); ++p) volumes[pieces.cell[p]] += pieces.volume[p];
  return volumes;
}

// Sites that are left out of a tetrahedron win nowhere in it: all sites everywhere give the same cells.
TEST(CvdPieces, LeaveNoSiteOutThatWins) {
  Context context;
  const Geometry solid = horseshoe();
  const TriangleMesh mesh = triangleMesh(solid);
  const CvdBody body = bodyOf(solid, 0.08);
  CvdCellOptions options;
  options.pieces = 40;
  options.connect = false;
  const CvdCells cells = cvdCells(body, blow(body, {0.3, 0.9, 0.15}), options, context);
  const CentroidalCells& sites = cells.search.cells;
  LatticeScores all;
  for (size_t n = 0; n < body.points.size(); ++n) {
    for (size_t s = 0; s < sites.count(); ++s)
      all.add(static_cast<int32_t>(s),
              -squaredDistance(body.embedding.of(n), sites.site(s), sites.dimensions));
    all.finishPoint();
  }
  const auto a = volumeByCell(solid, mesh, cutByCells(solid, mesh, body, cells, context));
  const auto b =
      volumeByCell(solid, mesh, cutByLattice(solid, mesh, body.points, body.tetrahedra, all, context));
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [cell, volume] : b) EXPECT_NEAR(a.at(cell), volume, 1e-12);
}

TEST(CvdPieces, AreTheSameOnAnyNumberOfThreads) {
  const Geometry solid = horseshoe();
  const CvdBody one = bodyOf(solid, 0.06, Metric::Interior, 1),
                many = bodyOf(solid, 0.06, Metric::Interior, 4);
  ASSERT_EQ(one.embedding.coordinates, many.embedding.coordinates);
  const std::vector<double> energies = blow(one, {0.3, 0.9, 0.15});
  const Broken a = breakInto(solid, one, energies, 14, 1), b = breakInto(solid, many, energies, 14, 4);
  EXPECT_EQ(a.cells.search.cells.sites, b.cells.search.cells.sites);
  EXPECT_EQ(a.cells.search.cells.energies, b.cells.search.cells.energies);
  ASSERT_EQ(a.pieces.geometry.pointCount(), b.pieces.geometry.pointCount());
  for (size_t p = 0; p < a.pieces.geometry.pointCount(); ++p)
    ASSERT_EQ(a.pieces.geometry.position(p), b.pieces.geometry.position(p));
}

}  // namespace
}  // namespace hackle
