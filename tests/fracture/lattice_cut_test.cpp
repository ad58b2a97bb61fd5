#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/fracture/pieces.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/cut/cutter.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/ops/registry.h>

#include <map>

namespace hackle {
namespace {

Geometry model(const std::string& shape) {
  Context context;
  return runOperator(findOperator("model"), Inputs(), {{"shape", shape}}, context).outputs.geometry();
}

struct Lattice {
  std::vector<Vec3> points;
  std::vector<Tetrahedron> tetrahedra;
};

/// Cubes of six tetrahedra each around a main diagonal, n along each axis of the box.
Lattice kuhnLattice(const Box3& box, int n) {
  Lattice lattice;
  const auto index = [&](int i, int j, int k) { return (k * (n + 1) + j) * (n + 1) + i; };
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        lattice.points.push_back(box.min + Vec3(i, j, k).cwiseProduct(box.size()) / n);
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        for (const auto& order : orders) {
          int at[3] = {i, j, k};
          Tetrahedron t{index(i, j, k), 0, 0, 0};
          for (size_t step = 0; step < 3; ++step) {
            ++at[order[step]];
            t[step + 1] = index(at[0], at[1], at[2]);
          }
          lattice.tetrahedra.push_back(t);
        }
  return lattice;
}

Box3 grown(const Box3& box, double share) {
  Box3 result = box;
  result.min -= share * box.size();
  result.max += share * box.size();
  return result;
}

template <class Score>
LatticeScores scoresOf(const Lattice& lattice, int labels, const Score& score) {
  LatticeScores scores;
  for (const Vec3& p : lattice.points) {
    for (int l = 0; l < labels; ++l) scores.add(l, score(l, p));
    scores.finishPoint();
  }
  return scores;
}

struct Broken {
  Cut cut;
  FracturePieces pieces;
  Value report;
};

Broken breakBy(const Geometry& solid, const std::function<Cut(const TriangleMesh&, Context&)>& cutter) {
  Context context;
  const TriangleMesh mesh = triangleMesh(solid);
  Broken broken;
  broken.cut = cutter(mesh, context);
  broken.pieces = makePieces(solid, mesh, broken.cut, PieceOptions(), context);
  broken.report = pieceReport(solid, broken.pieces, context);
  return broken;
}

Broken breakByLattice(const Geometry& solid, const Lattice& lattice, const LatticeScores& scores) {
  return breakBy(solid, [&](const TriangleMesh& mesh, Context& context) {
    return cutByLattice(solid, mesh, lattice.points, lattice.tetrahedra, scores, context);
  });
}

/// Without the second chance that cutByLattice gives to ties: the exact decisions must do alone.
Broken breakExactly(const Geometry& solid, const Lattice& lattice, const LatticeScores& scores) {
  return breakBy(solid, [&](const TriangleMesh& mesh, Context& context) {
    const LatticeEnvelope envelope(lattice.points, lattice.tetrahedra, scores, context);
    return cutByComplex(
        solid, mesh, envelope.facets(context), [&](const Vec3& p) { return envelope.labelAt(p); }, context);
  });
}

void expectSound(const Broken& broken, double tolerance) {
  EXPECT_TRUE(broken.report.find("closed")->asBool());
  EXPECT_TRUE(broken.report.find("manifold")->asBool());
  EXPECT_LE(broken.report.find("volume_error")->asNumber(), tolerance);
  broken.pieces.geometry.checkInvariants();
}

std::map<int32_t, double> volumeByCell(const Broken& broken) {
  std::map<int32_t, double> volumes;
  for (size_t p = 0; p < broken.pieces.cell.size(); ++p)
    volumes[broken.pieces.cell[p]] += broken.pieces.volume[p];
  return volumes;
}

std::vector<Vec3> randomSites(const Box3& box, int count, uint64_t seed) {
  std::vector<Vec3> sites;
  Random random(seed);
  for (int s = 0; s < count; ++s)
    sites.push_back(box.min +
                    Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(box.size()));
  return sites;
}

class LatticeShapes : public testing::TestWithParam<const char*> {};

// Voronoi scores are linear, so a lattice gives the same cells as the diagram itself, face by face.
TEST_P(LatticeShapes, LinearScoresGiveTheVoronoiCells) {
  const Geometry solid = model(GetParam());
  const std::vector<Vec3> sites = randomSites(solid.bounds(), 12, 3);
  const Lattice lattice = kuhnLattice(grown(solid.bounds(), 0.07), 5);
  const LatticeScores scores = scoresOf(lattice, static_cast<int>(sites.size()),
                                        [&](int l, const Vec3& p) { return -(p - sites[l]).squaredNorm(); });
  const Broken byLattice = breakByLattice(solid, lattice, scores);
  expectSound(byLattice, 1e-9);
  const Broken byVoronoi = breakBy(solid, [&](const TriangleMesh& mesh, Context& context) {
    return cutByVoronoi(solid, mesh, sites, context);
  });
  // -|x - p|^2 is not linear but for a term that all sites share.
  const auto a = volumeByCell(byLattice), b = volumeByCell(byVoronoi);
  ASSERT_EQ(a.size(), b.size());
  const double whole = byVoronoi.report.find("volume_in")->asNumber();
  for (const auto& [cell, volume] : b) EXPECT_NEAR(a.at(cell), volume, 1e-9 * whole);
  EXPECT_EQ(byLattice.report.find("pieces")->asInt(), byVoronoi.report.find("pieces")->asInt());
  EXPECT_EQ(byLattice.report.find("inside_faces")->asInt(), byVoronoi.report.find("inside_faces")->asInt());
  EXPECT_EQ(byLattice.report.find("outside_faces")->asInt(), byVoronoi.report.find("outside_faces")->asInt());
}

// Scores with curved ties: cells with bent faces, which still fill the solid.
TEST_P(LatticeShapes, CurvedScoresGiveSoundPieces) {
  const Geometry solid = model(GetParam());
  const Box3 box = solid.bounds();
  const std::vector<Vec3> sites = randomSites(box, 9, 5);
  const Lattice lattice = kuhnLattice(grown(box, 0.05), 9);
  const double size = box.diagonal();
  const LatticeScores scores = scoresOf(lattice, static_cast<int>(sites.size()), [&](int l, const Vec3& p) {
    const Vec3 d = (p - sites[l]) / size;
    return -d.norm() + 0.05 * std::sin(25 * d.x() + l) * std::cos(19 * d.y() - l);
  });
  expectSound(breakByLattice(solid, lattice, scores), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LatticeShapes,
                         testing::Values("box", "sphere", "torus", "goblet", "gear", "figure", "stairs"));

// A cube on the lattice's own points, cut along its faces, edges, corners and diagonals.
TEST(LatticeCut, DegenerateCutsOfACube) {
  Box3 box;
  box.add(Vec3::Constant(-1));
  box.add(Vec3::Constant(2));
  const Lattice lattice = kuhnLattice(box, 6);
  const auto cut = [&](const std::vector<Vec3>& sites) {
    const LatticeScores scores = scoresOf(lattice, static_cast<int>(sites.size()), [&](int l, const Vec3& p) {
      return -(p - sites[l]).squaredNorm();
    });
    return breakExactly(shapes::box(), lattice, scores);
  };
  std::vector<Vec3> grid;
  for (int i = 0; i < 8; ++i)
    grid.push_back(Vec3(0.25 + 0.5 * (i & 1), 0.25 + 0.5 * ((i >> 1) & 1), 0.25 + 0.5 * (i >> 2)));
  const std::vector<std::vector<Vec3>> cases{
      {Vec3(0.5, 0.5, 0.5)},
      {Vec3(0.25, 0.5, 0.5), Vec3(0.75, 0.5, 0.5)},
      {Vec3(0.25, 0.25, 0.5), Vec3(0.75, 0.75, 0.5)},
      {Vec3(0.25, 0.25, 0.25), Vec3(0.75, 0.75, 0.75)},
      {Vec3(0.5, 0.5, -0.5), Vec3(0.5, 0.5, 0.5)},
      {Vec3(0.5, 0.5, 0), Vec3(0.5, 0.5, 1), Vec3(0.5, 0, 0.5), Vec3(0.5, 1, 0.5), Vec3(0, 0.5, 0.5),
       Vec3(1, 0.5, 0.5)},
      grid,
  };
  for (const auto& sites : cases) {
    SCOPED_TRACE(testing::Message() << sites.size() << " sites, first at " << sites[0].transpose());
    const Broken broken = cut(sites);
    expectSound(broken, 1e-12);
    for (const auto& [cell, volume] : volumeByCell(broken))
      EXPECT_TRUE(volume < 1e-12 || volume > 0.1) << volume;
  }
}

// The lattice that engines use: a cage around the surface, finer than some of its parts.
TEST_P(LatticeShapes, ACageHoldsTheSolid) {
  const Geometry solid = model(GetParam());
  Context context;
  EnclosingOptions options;
  options.cellSize = 0.06 * solid.bounds().diagonal();
  const TetLattice cage = enclosingLattice(triangleMesh(solid), options, context).lattice;
  const std::vector<Vec3> sites = randomSites(solid.bounds(), 10, 6);
  const Lattice lattice{cage.points, cage.tetrahedra};
  const LatticeScores scores = scoresOf(lattice, static_cast<int>(sites.size()),
                                        [&](int l, const Vec3& p) { return -(p - sites[l]).norm(); });
  expectSound(breakByLattice(solid, lattice, scores), 1e-11);
}

// Scores that are small whole numbers tie everywhere, on a lattice that shares points, edges and faces with
// the cube.
TEST(LatticeCut, TiesEverywhere) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Box3 box;
    box.add(Vec3::Constant(-1));
    box.add(Vec3::Constant(2));
    const Lattice lattice = kuhnLattice(box, seed % 2 ? 3 : 6);
    const int labels = 2 + static_cast<int>(random.below(4));
    const uint64_t values = 2 + random.below(3);
    LatticeScores scores;
    for (size_t p = 0; p < lattice.points.size(); ++p) {
      for (int l = 0; l < labels; ++l) scores.add(l, static_cast<double>(random.below(values)));
      scores.finishPoint();
    }
    EXPECT_NO_THROW(expectSound(breakByLattice(shapes::box(), lattice, scores), 1e-12));
  }
}

TEST(LatticeCut, EqualScoresGoToTheLowerLabel) {
  const Geometry solid = model("box");
  const Lattice lattice = kuhnLattice(grown(solid.bounds(), 0.1), 3);
  const Broken broken =
      breakByLattice(solid, lattice, scoresOf(lattice, 3, [](int, const Vec3&) { return 1.0; }));
  ASSERT_EQ(broken.pieces.cell.size(), 1u);
  EXPECT_EQ(broken.pieces.cell[0], 0);
  EXPECT_EQ(broken.report.find("outside_faces")->asInt(), static_cast<int64_t>(solid.primitiveCount()));
}

TEST(LatticeCut, ALatticeThatEndsInsideIsRefused) {
  const Geometry solid = model("box");
  const Lattice lattice = kuhnLattice(grown(solid.bounds(), -0.2), 3);
  const LatticeScores scores =
      scoresOf(lattice, 2, [](int l, const Vec3& p) { return l == 0 ? p.x() : -p.x(); });
  try {
    breakByLattice(solid, lattice, scores);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(e.what()).find("ends inside the solid"), std::string::npos) << e.what();
  }
}

// Scores that a point does not list count as `missing`; leaving out the hopeless ones changes nothing.
TEST(LatticeCut, SparseScoresGiveTheSameCut) {
  const Geometry solid = model("sphere");
  const std::vector<Vec3> sites = randomSites(solid.bounds(), 30, 8);
  const Lattice lattice = kuhnLattice(grown(solid.bounds(), 0.05), 8);
  const auto value = [&](size_t l, const Vec3& p) { return -(p - sites[l]).norm(); };
  const double cell = lattice.points[1].x() - lattice.points[0].x();
  LatticeScores full, sparse;
  full.missing = sparse.missing = -100.0;
  for (const Vec3& p : lattice.points) {
    double best = -1e9;
    for (size_t l = 0; l < sites.size(); ++l) best = std::max(best, value(l, p));
    for (size_t l = 0; l < sites.size(); ++l) {
      full.add(static_cast<int32_t>(l), value(l, p));
      // Scores change by at most the length of an edge from corner to corner, sqrt(3) cells, either way.
      if (value(l, p) > best - 4 * cell) sparse.add(static_cast<int32_t>(l), value(l, p));
    }
    full.finishPoint();
    sparse.finishPoint();
  }
  ASSERT_LT(sparse.labels.size(), full.labels.size());
  const Broken a = breakByLattice(solid, lattice, full), b = breakByLattice(solid, lattice, sparse);
  expectSound(b, 1e-11);
  ASSERT_EQ(a.pieces.geometry.pointCount(), b.pieces.geometry.pointCount());
  for (size_t p = 0; p < a.pieces.geometry.pointCount(); ++p)
    EXPECT_EQ(a.pieces.geometry.position(p), b.pieces.geometry.position(p));
}

}  // namespace
}  // namespace hackle
