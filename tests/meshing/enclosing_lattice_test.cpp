#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/geometry/triangle_distance.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/io/file.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>
#include <hackle/meshing/lattice/tet_locator.h>
#include <meshing/lattice_checks.h>
#include <shapes.h>

#include <filesystem>

namespace hackle {
namespace {

EnclosingLattice caged(const TriangleMesh& soup, double cells = 12) {
  Context context;
  EnclosingOptions options;
  options.cells = cells;
  return enclosingLattice(soup, options, context);
}

/// By sampling, with the winding number of the boundary: not how the library proves it.
void expectEncloses(const EnclosingLattice& cage, const TriangleMesh& soup) {
  test::expectSound(cage.lattice);
  EXPECT_GT(cage.clearance, 0);
  EXPECT_EQ(test::selfIntersections(latticeBoundary(cage.lattice)), 0u);
  Random random(1);
  for (size_t t = 0; t < soup.triangles.size(); t += 1 + soup.triangles.size() / 200) {
    const double u = random.uniform(), v = random.uniform() * (1 - u);
    const auto at = [&](size_t c) { return soup.points[soup.triangles[t][c]]; };
    for (const Vec3& p : {at(0), at(1), at(2), Vec3((1 - u - v) * at(0) + u * at(1) + v * at(2))})
      EXPECT_NEAR(windingNumberExact(cage.lattice.points, cage.lattice.boundary, p), 1.0, 1e-6);
  }
}

TEST(EnclosingLattice, HoldsCleanAndDirtySurfaces) {
  Geometry crossing = shapes::sphere(12);
  crossing.append(shapes::box({0.5, 0.5, 0.5}, {1.4, 1.4, 1.4}));
  Geometry open = shapes::box();
  open = open.extract(std::vector<int32_t>{0, 2, 3});
  Geometry sheet;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}) sheet.addPoint(p);
  sheet.addPolygon({0, 1, 2, 3});
  Geometry needle;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 1e-3, 0), Vec3(0.5, 0.3, 0.9)}) needle.addPoint(p);
  needle.addPolygon({0, 1, 2});
  needle.addPolygon({0, 1, 1});
  for (const Geometry& g :
       {shapes::sphere(16), shapes::torus(30, 12), crossing, open, sheet, needle, shapes::soup(40, 0.1, 3)}) {
    const TriangleMesh soup = triangleMesh(g);
    expectEncloses(caged(soup), soup);
  }
}

TEST(EnclosingLattice, HoldsTheDirtyMeshes) {
  const std::filesystem::path folder = std::filesystem::path(HACKLE_TEST_DATA) / "dirty";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no meshes in " << folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.file_size() < (1 << 15)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  size_t cages = 0;
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename());
    Context context;
    TriangleMesh soup;
    try {
      soup = triangleMesh(readGeometry(file, context));
    } catch (const Error&) {
      continue;
    }
    bool finite = true;
    for (const Vec3& p : soup.points) finite = finite && p.allFinite();
    if (soup.triangles.empty() || !finite) continue;
    expectEncloses(caged(soup, 8), soup);
    ++cages;
  }
  EXPECT_GT(cages, 20u);
}

TEST(EnclosingLattice, CoarseCagesStillHold) {
  // Parts far thinner than a cell: the offset has to grow.
  const TriangleMesh soup = triangleMesh(shapes::torus(60, 8, 1.0, 0.01));
  for (const double cells : {1.0, 3.0, 6.0}) expectEncloses(caged(soup, cells), soup);
}

TEST(EnclosingLattice, ScalesWithItsInput) {
  for (const double scale : {1e-4, 1e5}) {
    Geometry g = shapes::torus(30, 12);
    for (Vec3& p : g.editPositions()) p *= scale;
    const EnclosingLattice cage = caged(triangleMesh(g)),
                           natural = caged(triangleMesh(shapes::torus(30, 12)));
    EXPECT_EQ(cage.lattice.tetrahedra.size(), natural.lattice.tetrahedra.size());
    EXPECT_NEAR(cage.clearance, scale * natural.clearance, 1e-3 * scale);
  }
}

TEST(EnclosingLattice, APointHasACageToo) {
  Geometry g;
  for (int i = 0; i < 3; ++i) g.addPoint({2, 3, 4});
  g.addPolygon({0, 1, 2});
  const TriangleMesh soup = triangleMesh(g);
  EXPECT_GT(caged(soup).clearance, 0.0);
}

TEST(EnclosingLattice, ClearanceIsTheDistanceOfTheBoundary) {
  const TriangleMesh soup = triangleMesh(shapes::soup(20, 0.2, 5));
  const EnclosingLattice cage = caged(soup, 6);
  double least = 1e300;
  const auto corners = [](Span<const Vec3> points, const Triangle& t) {
    return TriangleCorners{points[t[0]], points[t[1]], points[t[2]]};
  };
  for (const Triangle& b : cage.lattice.boundary)
    for (const Triangle& t : soup.triangles)
      least =
          std::min(least, squaredTriangleDistance(corners(cage.lattice.points, b), corners(soup.points, t)));
  EXPECT_NEAR(cage.clearance, std::sqrt(least), 1e-12);
}

TEST(EnclosingLattice, ProofFailsForACageThatIsTooSmall) {
  Context context;
  const EnclosingLattice cage = caged(triangleMesh(shapes::sphere(12, 1.0)));
  EXPECT_TRUE(enclosingClearance(cage.lattice, triangleMesh(shapes::sphere(12, 0.9)), context));
  // One that pokes through, and one that is wholly outside.
  EXPECT_FALSE(
      enclosingClearance(cage.lattice, triangleMesh(shapes::box({0, 0, 0}, {0.1, 0.1, 2})), context));
  EXPECT_FALSE(enclosingClearance(cage.lattice, triangleMesh(shapes::box({5, 5, 5}, {6, 6, 6})), context));
  // A triangle whose corners are inside the torus while its middle is not.
  const EnclosingLattice ring = caged(triangleMesh(shapes::torus(40, 12)), 20);
  Geometry across;
  for (const double a : {0.0, 2.1, 4.2}) across.addPoint({std::cos(a), 0, std::sin(a)});
  across.addPolygon({0, 1, 2});
  EXPECT_FALSE(enclosingClearance(ring.lattice, triangleMesh(across), context));
}

TEST(EnclosingLattice, NeedsTriangles) { EXPECT_THROW(caged(TriangleMesh()), Error); }

TEST(TriangleDistance, AgreesWithSampling) {
  Random random(11);
  const auto triangle = [&] {
    TriangleCorners t;
    for (Vec3& p : t) p = Vec3(random.uniform(), random.uniform(), random.uniform());
    return t;
  };
  for (int i = 0; i < 200; ++i) {
    const TriangleCorners a = triangle();
    TriangleCorners b = triangle();
    if (i % 2)
      for (Vec3& p : b) p.x() += 1.0;
    const double exact = std::sqrt(squaredTriangleDistance(a, b));
    EXPECT_LE(planeSeparation(a, b), exact + 1e-12);
    double sampled = 1e300;
    constexpr int n = 24;
    for (int u = 0; u <= n; ++u)
      for (int v = 0; u + v <= n; ++v) {
        const Vec3 p = (a[0] * (n - u - v) + a[1] * u + a[2] * v) / n;
        sampled = std::min(sampled, std::sqrt(closestPointOnTriangle(p, b[0], b[1], b[2]).squaredDistance));
      }
    EXPECT_LE(exact, sampled + 1e-12);
    EXPECT_GE(exact, sampled - 1.8 / n);
  }
}

TEST(TetLocator, AgreesWithBruteForce) {
  Context context;
  const EnclosingLattice cage = caged(triangleMesh(shapes::torus(30, 12)), 10);
  const TetLattice& lattice = cage.lattice;
  const TetLocator locator(lattice.points, lattice.tetrahedra, context);
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p(random.uniform(-1.6, 1.6), random.uniform(-0.6, 0.6), random.uniform(-1.6, 1.6));
    const std::optional<TetPlace> place = locator.find(p);
    const double winding = windingNumberExact(lattice.points, lattice.boundary, p);
    ASSERT_EQ(place.has_value(), winding > 0.5);
    if (!place) continue;
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_GE(place->weights[c], 0);
      total += place->weights[c];
      sum += place->weights[c] * lattice.points[lattice.tetrahedra[place->tetrahedron][c]];
    }
    EXPECT_NEAR(total, 1, 1e-14);
    EXPECT_LT((sum - p).norm(), 1e-13);
  }
}

TEST(TetLocator, FindsCornersEdgesAndFaces) {
  Context context;
  const TetLattice lattice = caged(triangleMesh(shapes::sphere(8)), 6).lattice;
  const TetLocator locator(lattice.points, lattice.tetrahedra, context);
  for (const Vec3& p : lattice.points) EXPECT_TRUE(locator.find(p));
  for (const Tetrahedron& t : lattice.tetrahedra) {
    const auto at = [&](size_t c) -> const Vec3& { return lattice.points[t[c]]; };
    EXPECT_TRUE(locator.find((at(0) + at(1)) / 2));
    EXPECT_TRUE(locator.find((at(1) + at(2) + at(3)) / 3));
  }
  EXPECT_FALSE(locator.find({5, 0, 0}));
  EXPECT_FALSE(locator.find({std::nan(""), 0, 0}));
  EXPECT_FALSE(TetLocator({}, {}, context).find({0, 0, 0}));
}

}  // namespace
}  // namespace hackle
