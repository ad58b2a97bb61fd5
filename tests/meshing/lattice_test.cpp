#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/lattice/lattice.h>
#include <hackle/meshing/shapes/implicit.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/surface_distance.h>
#include <meshing/lattice_checks.h>
#include <shapes.h>

namespace hackle {
namespace {

constexpr double kPi = 3.141592653589793;

SolidField solidOf(ImplicitFunction f, double halfSize) {
  SolidField solid;
  solid.value = std::move(f);
  solid.bounds.add(Vec3::Constant(-halfSize));
  solid.bounds.add(Vec3::Constant(halfSize));
  return solid;
}

SolidField ball() {
  SolidField solid = solidOf([](const Vec3& p) { return p.norm() - 1.0; }, 1.0);
  solid.lipschitz = 1.0;
  return solid;
}

LatticeOptions sized(double cellSize, double grading = 1.0) {
  LatticeOptions options;
  options.cellSize = cellSize;
  if (grading > 1.0) options.interiorSize = grading * cellSize;
  return options;
}

TetLattice stuffed(const SolidField& solid, const LatticeOptions& options) {
  Context context;
  return stuffLattice(solid, options, context);
}

ErrorCode codeOf(const SolidField& solid, const LatticeOptions& options) {
  try {
    stuffed(solid, options);
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::Internal;
}

/// Waves about as long as a cell, from all directions: cuts anywhere on edges, all cases of signs.
ImplicitFunction waves(uint64_t seed, double halfSize, double length) {
  Random random(seed);
  std::vector<std::pair<Vec3, double>> parts;
  for (int i = 0; i < 12; ++i) {
    const Vec3 direction(random.normal(), random.normal(), random.normal());
    parts.emplace_back(2 * kPi / length * random.uniform(0.5, 1.5) * direction.normalized(),
                       random.uniform(0, 2 * kPi));
  }
  return [parts, halfSize](const Vec3& p) {
    double sum = 0;
    for (const auto& [wave, phase] : parts) sum += std::sin(wave.dot(p) + phase);
    return std::max(sum, 10.0 * (p.cwiseAbs().maxCoeff() - halfSize));
  };
}

TEST(Lattice, BallConvergesWithSecondOrder) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const TetLattice lattice = stuffed(ball(), sized(i == 0 ? 0.2 : 0.1));
    test::expectSound(lattice);
    errors[i] = 4.0 / 3.0 * kPi - test::tetFacts(lattice).volume;
    for (size_t p = 0; p < lattice.points.size(); ++p)
      if (lattice.onSurface[p]) {
        EXPECT_NEAR(lattice.points[p].norm(), 1.0, 1e-4);
      }
  }
  EXPECT_GT(errors[1], 0);
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.5);
}

TEST(Lattice, AnyFunctionKeepsTheBoundsAndAManifoldBoundary) {
  double low = 180, high = 0;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    const TetLattice lattice = stuffed(solidOf(waves(seed, 0.5, 0.15), 0.6), sized(0.1));
    EXPECT_GT(lattice.tetrahedra.size(), 1000u);
    EXPECT_GT(lattice.clampedPoints, 0u);  // there are pinches to mend
    test::expectSound(lattice);
    const test::TetFacts facts = test::tetFacts(lattice);
    low = std::min(low, facts.minAngle);
    high = std::max(high, facts.maxAngle);
  }
  // The bounds are sharp; a wrong rule for diagonals or distances shows here.
  EXPECT_LT(low, 13.0);
  EXPECT_GT(high, 150.0);
}

TEST(Lattice, JumpsAreSurfacesToo) {
  // Blocks of random sign: a function without a gradient.
  const auto blocks = [](const Vec3& p) {
    if (p.cwiseAbs().maxCoeff() > 0.55) return 1.0;
    const auto cell = [](double x) { return static_cast<uint64_t>(std::llround(x / 0.13) + 1000000); };
    return Random(7, cell(p.x()) | cell(p.y()) << 21 | cell(p.z()) << 42).uniform() < 0.5 ? -1.0 : 1.0;
  };
  test::expectSound(stuffed(solidOf(blocks, 0.6), sized(0.1)));
}

TEST(Lattice, ModelShapesKeepTheirVolume) {
  for (const ShapeKind kind : {ShapeKind::Box, ShapeKind::Torus, ShapeKind::Column, ShapeKind::Gear,
                               ShapeKind::Knot, ShapeKind::Figure, ShapeKind::NotchedBar, ShapeKind::Brick}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Context context;
    ShapeOptions options;
    options.shape = kind;
    options.size = 1.0;
    options.resolution = 8;
    Geometry g = makeShape(options, context);
    const Mat3 turn = shapes::randomRotation(static_cast<uint64_t>(kind));
    for (Vec3& p : g.editPositions()) p = turn * p + Vec3(10, -3, 7);
    const test::SurfaceFacts surface = test::surfaceFacts(g);
    const double size = std::cbrt(surface.volume) / 10;
    const TetLattice lattice = stuffLattice(solidInside(triangleMesh(g), context), sized(size, 4), context);
    test::expectSound(lattice);
    // Creases are cut off within a part of a cell.
    EXPECT_NEAR(test::tetFacts(lattice).volume, surface.volume, 0.1 * surface.area * size);
  }
}

TEST(Lattice, SurfaceOnTheLatticeItself) {
  // A box whose faces lie on lattice planes, as artists' boxes do: cells of 1/8 around a centre at 0.
  SolidField solid = solidOf([](const Vec3& p) { return p.cwiseAbs().maxCoeff() - 0.5; }, 0.5);
  solid.lipschitz = 1.0;
  for (const double size : {0.125, 0.25, 0.1}) {
    const TetLattice lattice = stuffed(solid, sized(size));
    test::expectSound(lattice);
    EXPECT_NEAR(test::tetFacts(lattice).volume, 1.0, size);
  }
}

TEST(Lattice, GradingIsBalancedAndSparesTetrahedra) {
  const TetLattice uniform = stuffed(ball(), sized(0.06)), graded = stuffed(ball(), sized(0.06, 16));
  test::expectSound(graded);
  EXPECT_LT(5 * graded.tetrahedra.size(), 3 * uniform.tetrahedra.size());
  // The same surface.
  EXPECT_NEAR(test::tetFacts(graded).volume, test::tetFacts(uniform).volume, 1e-3);
  // Tetrahedra that share a point differ by a factor of four in length at most: neighbours by two.
  std::vector<double> longest(graded.points.size(), 0), shortest(graded.points.size(), 1e300);
  double largest = 0;
  for (const Tetrahedron& t : graded.tetrahedra) {
    double edge = 0;
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = i + 1; j < 4; ++j)
        edge = std::max(edge, (graded.points[t[i]] - graded.points[t[j]]).norm());
    for (const int32_t p : t)
      if (!graded.onSurface[p]) {
        longest[p] = std::max(longest[p], edge);
        shortest[p] = std::min(shortest[p], edge);
      }
    largest = std::max(largest, edge);
  }
  for (size_t p = 0; p < longest.size(); ++p) EXPECT_LE(longest[p], 4.0 * shortest[p]);
  EXPECT_GE(largest, 0.19);
}

TEST(Lattice, SizeFieldRefinesWhereItAsks) {
  LatticeOptions options = sized(0.06, 8);
  options.sizeField = [](const Vec3& p) { return p.x() > 0 ? 0.06 : 1.0; };
  const TetLattice lattice = stuffed(ball(), options);
  test::expectSound(lattice);
  size_t left = 0, right = 0;
  for (const Vec3& p : lattice.points) {
    left += p.x() < -0.2 && p.norm() < 0.6;
    right += p.x() > 0.2 && p.norm() < 0.6;
  }
  EXPECT_GT(right, 5 * left);
}

TEST(Lattice, ALipschitzBoundChangesNothing) {
  SolidField dense = ball();
  dense.lipschitz.reset();
  const TetLattice a = stuffed(ball(), sized(0.1)), b = stuffed(dense, sized(0.1));
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.tetrahedra, b.tetrahedra);
}

TEST(Lattice, CavitiesAreFilledOnRequest) {
  // A hollow ball, and one with a hole to the outside.
  for (const bool open : {false, true}) {
    const SolidField solid = solidOf(
        [&](const Vec3& p) {
          const double shell = std::abs(p.norm() - 0.8) - 0.2;
          return open ? std::max(shell, 0.3 - std::hypot(p.x(), p.y()) + (p.z() < 0 ? 10 : 0)) : shell;
        },
        1.0);
    LatticeOptions options = sized(0.1);
    const double hollow = test::tetFacts(stuffed(solid, options)).volume;
    options.fillCavities = true;
    const TetLattice filled = stuffed(solid, options);
    test::expectSound(filled);
    const double cavity = 4.0 / 3.0 * kPi * 0.6 * 0.6 * 0.6;
    EXPECT_NEAR(test::tetFacts(filled).volume - hollow, open ? 0.0 : cavity, open ? 0.0 : 0.05 * cavity);
  }
}

TEST(Lattice, EqualOnAnyNumberOfThreads) {
  const Geometry torus = shapes::torus(40, 20);
  const auto make = [&](int threads) {
    Context context;
    context.setThreads(threads);
    return stuffLattice(solidInside(triangleMesh(torus), context), sized(0.08, 4), context);
  };
  const TetLattice one = make(1);
  for (const int threads : {2, 4}) {
    const TetLattice other = make(threads);
    EXPECT_EQ(one.points, other.points);
    EXPECT_EQ(one.tetrahedra, other.tetrahedra);
    EXPECT_EQ(one.boundary, other.boundary);
    EXPECT_EQ(one.onSurface, other.onSurface);
  }
}

TEST(Lattice, RefusesWhatItCannotFill) {
  EXPECT_EQ(codeOf(ball(), sized(0.0)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(ball(), sized(1e-7)), ErrorCode::Usage);
  LatticeOptions small = sized(0.1);
  small.interiorSize = 0.05;
  EXPECT_EQ(codeOf(ball(), small), ErrorCode::Usage);
  SolidField beyond = ball();
  beyond.bounds = {};
  beyond.bounds.add(Vec3::Constant(-0.3));
  beyond.bounds.add(Vec3::Constant(0.3));
  EXPECT_EQ(codeOf(beyond, sized(0.1)), ErrorCode::BadInput);
  SolidField steep = ball();
  steep.value = [](const Vec3& p) { return 1e-3 + 100 * (p.norm() - 1.0) * (p.x() > 0 ? 1.0 : -1.0); };
  steep.lipschitz = 0.01;
  EXPECT_THROW(stuffed(steep, sized(0.1)), Error);
  const SolidField broken = solidOf([](const Vec3& p) { return p.x() > 0 ? std::nan("") : 1.0; }, 1.0);
  EXPECT_EQ(codeOf(broken, sized(0.1)), ErrorCode::BadInput);
}

TEST(Lattice, NothingInsideIsEmpty) {
  EXPECT_TRUE(stuffed(solidOf([](const Vec3&) { return 1.0; }, 1.0), sized(0.2)).tetrahedra.empty());
  EXPECT_TRUE(stuffed(SolidField(), sized(0.2)).tetrahedra.empty());
}

TEST(Lattice, CanBeCancelled) {
  Context context;
  SolidField solid = ball();
  solid.value = [&](const Vec3& p) {
    context.cancel();
    return p.norm() - 1.0;
  };
  EXPECT_THROW(stuffLattice(solid, sized(0.05), context), Error);
}

TEST(Lattice, GeometryHoldsItAll) {
  const TetLattice lattice = stuffed(ball(), sized(0.3));
  const Geometry g = latticeGeometry(lattice), boundary = latticeBoundary(lattice);
  g.checkInvariants();
  boundary.checkInvariants();
  EXPECT_EQ(g.countOf(PrimitiveType::Tetrahedron), lattice.tetrahedra.size());
  EXPECT_EQ(g.findGroup(Owner::Point, "surface")->count(), boundary.pointCount());
  EXPECT_EQ(boundary.primitiveCount(), lattice.boundary.size());
}

TEST(TetQuality, KnowsRegularAndRightAngledTetrahedra) {
  Context context;
  const std::vector<Vec3> regular{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const std::vector<Vec3> corner{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<Tetrahedron> up{{0, 1, 2, 3}}, down{{0, 2, 1, 3}};
  const auto orientation = [](const std::vector<Vec3>& p) {
    return (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0]));
  };
  const TetQuality r = tetQuality(regular, orientation(regular) > 0 ? up : down, context);
  EXPECT_NEAR(r.minDihedral, 70.528779366, 1e-8);
  EXPECT_NEAR(r.maxDihedral, 70.528779366, 1e-8);
  EXPECT_NEAR(r.worstShape, 1.0, 1e-12);
  EXPECT_NEAR(r.volume, 8.0 / 3.0, 1e-12);
  const TetQuality c = tetQuality(corner, up, context);
  EXPECT_NEAR(c.minDihedral, 54.735610317, 1e-8);
  EXPECT_NEAR(c.maxDihedral, 90.0, 1e-8);
  EXPECT_LT(tetQuality(corner, down, context).worstShape, 0);
}

}  // namespace
}  // namespace hackle
