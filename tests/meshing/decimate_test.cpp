// Decimation keeps what matters: closed, manifold, genus, volume, no crossings.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/box_tree.h>
#include <hackle/meshing/surface/decimate.h>
#include <hackle/meshing/surface/quadric.h>
#include <hackle/meshing/surface/self_intersections.h>
#include <hackle/meshing/surface/surface_deviation.h>
#include <meshing/surface_checks.h>
#include <shapes.h>

namespace hackle {
namespace {

DecimateResult decimated(const Geometry& geometry, size_t triangles, bool mayCross = false) {
  Context context;
  DecimateOptions options;
  options.triangles = triangles;
  options.mayCross = mayCross;
  return decimate(triangleMesh(geometry), options, context);
}

size_t crossings(const Geometry& geometry) {
  Context context;
  return selfIntersections(triangleMesh(geometry), context).size();
}

TEST(Quadric, IsTheSumOfSquaredDistances) {
  Random random(1);
  Quadric sum;
  const Vec3 x(0.3, -0.2, 0.9);
  double expected = 0;
  for (int i = 0; i < 10; ++i) {
    const Vec3 n = Vec3(random.normal(), random.normal(), random.normal()).normalized();
    const double d = random.normal(), w = random.uniform();
    sum += Quadric::plane(n, d, w);
    expected += w * (n.dot(x) - d) * (n.dot(x) - d);
  }
  EXPECT_NEAR(sum(x), expected, 1e-12);
  const Vec3 least = *sum.minimum();
  for (int i = 0; i < 20; ++i)
    EXPECT_GT(sum(least + 0.1 * Vec3(random.normal(), random.normal(), random.normal())), sum(least));
  EXPECT_FALSE(Quadric::plane(Vec3::UnitX(), 1, 1).minimum().has_value());
}

TEST(BoxTree, FindsWhatBruteForceFinds) {
  Random random(2);
  const auto randomBox = [&] {
    Box3 box;
    box.add(Vec3(random.uniform(), random.uniform(), random.uniform()));
    box.add(Vec3(box.min + 0.1 * Vec3(random.uniform(), random.uniform(), random.uniform())));
    return box;
  };
  std::vector<Box3> boxes(300);
  for (Box3& box : boxes) box = randomBox();
  BoxTree tree(boxes);
  for (int round = 0; round < 60; ++round) {
    const size_t changed = static_cast<size_t>(random.below(300));
    boxes[changed] = round % 3 == 0 ? Box3() : randomBox();
    tree.update(static_cast<int32_t>(changed), boxes[changed]);
    const Box3 query = randomBox();
    std::vector<int32_t> found, expected;
    tree.forEachNear(query, [&](int32_t i) { found.push_back(i); });
    for (size_t i = 0; i < 300; ++i)
      if (BoxTree::meet(boxes[i], query)) expected.push_back(static_cast<int32_t>(i));
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(SurfaceDeviation, OfConcentricSpheresAndBoxes) {
  Context context;
  const TriangleMesh one = triangleMesh(shapes::sphere(40)), two = triangleMesh(shapes::sphere(40, 1.2));
  const SurfaceDeviation d = surfaceDeviation(one, two, 0.1, context);
  EXPECT_NEAR(d.hausdorff, 0.2, 4e-3);
  EXPECT_NEAR(d.mean, 0.2, 4e-3);
  // A box with a needle of length 1: one-sided distances differ, the larger counts.
  const TriangleMesh box = triangleMesh(shapes::box());
  const TriangleMesh taller = triangleMesh(shapes::box({0, 0, 0}, {1, 2, 1}));
  EXPECT_NEAR(surfaceDeviation(box, taller, 0.05, context).hausdorff, 1.0, 1e-12);
  EXPECT_LT(surfaceDeviation(box, box, 0.05, context).hausdorff, 1e-15);
}

TEST(Decimate, ShapesKeepGenusAndVolume) {
  Context context;
  for (const ShapeKind kind : {ShapeKind::Torus, ShapeKind::Knot, ShapeKind::Goblet, ShapeKind::Gear}) {
    ShapeOptions shape;
    shape.shape = kind;
    shape.resolution = 18;
    const Geometry geometry = makeShape(shape, context);
    const test::SurfaceFacts before = test::surfaceFacts(geometry);
    SCOPED_TRACE(static_cast<int>(kind));
    const bool clean = crossings(geometry) == 0;
    for (const size_t target : {size_t(2000), size_t(1200)}) {
      const DecimateResult result = decimated(geometry, target);
      EXPECT_TRUE(result.reached);
      EXPECT_LE(result.triangles, target);
      EXPECT_GE(result.triangles, target - 1);
      EXPECT_EQ(result.triangles, result.surface.primitiveCount());
      const test::SurfaceFacts facts = test::surfaceFacts(result.surface);
      EXPECT_EQ(facts.badEdges + facts.badPoints + facts.repeatedFaces, 0u);
      EXPECT_EQ(facts.euler, before.euler);
      EXPECT_NEAR(facts.volume, before.volume, 0.02 * before.volume);
      if (clean) {
        EXPECT_EQ(crossings(result.surface), 0u);
      }
    }
  }
}

TEST(Decimate, FlatFacesLoseNothing) {
  // A box of many quads comes down to its corners.
  ShapeOptions shape;
  shape.shape = ShapeKind::Box;
  shape.resolution = 12;
  Context context;
  const Geometry box = makeShape(shape, context);
  const DecimateResult result = decimated(box, 12);
  EXPECT_TRUE(result.reached);
  const test::SurfaceFacts before = test::surfaceFacts(box), facts = test::surfaceFacts(result.surface);
  EXPECT_TRUE(facts.closedManifold());
  EXPECT_NEAR(facts.volume, before.volume, 0.01 * before.volume);
}

TEST(Decimate, ThinWallsDoNotPassThroughEachOther) {
  // Two sheets of a hollow shell, much closer than triangles become.
  Geometry shell = shapes::sphere(40);
  Geometry inner = shapes::sphere(40, 0.985);
  inner.flipWinding();
  shell.append(inner);
  const DecimateResult result = decimated(shell, 600);
  EXPECT_EQ(result.crossingBefore, 0u);
  EXPECT_GT(result.refusedCrossing, 0u);
  EXPECT_EQ(crossings(result.surface), 0u);
  const test::SurfaceFacts facts = test::surfaceFacts(result.surface);
  EXPECT_EQ(facts.badEdges + facts.badPoints + facts.repeatedFaces, 0u);
  EXPECT_EQ(facts.euler, 4);
}

TEST(Decimate, ImpossibleTargetsStopAtASoundMesh) {
  Context context;
  DecimateOptions options;
  options.triangles = 0;
  const DecimateResult result = decimate(triangleMesh(shapes::torus(20, 10)), options, context);
  EXPECT_FALSE(result.reached);
  EXPECT_EQ(context.warnings().size(), 1u);
  const test::SurfaceFacts facts = test::surfaceFacts(result.surface);
  EXPECT_EQ(facts.badEdges + facts.badPoints + facts.repeatedFaces, 0u);
  EXPECT_EQ(facts.euler, 0);
  EXPECT_EQ(crossings(result.surface), 0u);
}

TEST(Decimate, IsCloseAndDeterministic) {
  Context context;
  const Geometry ball = shapes::sphere(50);
  const DecimateResult one = decimated(ball, 800), two = decimated(ball, 800);
  ASSERT_EQ(one.surface.pointCount(), two.surface.pointCount());
  for (size_t p = 0; p < one.surface.pointCount(); ++p)
    ASSERT_EQ(one.surface.position(p), two.surface.position(p));
  // Ideal triangles of a sphere sink below it by about edge^2 / 6; ours are not far from ideal.
  const double edge = std::sqrt(4 * shapes::kPi / 800 * 4 / std::sqrt(3.0));
  const SurfaceDeviation d = surfaceDeviation(triangleMesh(one.surface), triangleMesh(ball), 0.05, context);
  EXPECT_LT(d.hausdorff, edge * edge / 6 * 3);
  EXPECT_GT(d.hausdorff, 0);
}

TEST(Decimate, WithoutTheTestForCrossingsItIsTheSameWhereNoneComesUp) {
  const Geometry ball = shapes::sphere(50);
  const DecimateResult tested = decimated(ball, 800), fast = decimated(ball, 800, true);
  EXPECT_EQ(tested.refusedCrossing, 0u);
  ASSERT_EQ(tested.surface.pointCount(), fast.surface.pointCount());
  for (size_t p = 0; p < fast.surface.pointCount(); ++p)
    ASSERT_EQ(tested.surface.position(p), fast.surface.position(p));
  // Two sheets of a shell do pass through each other: who leaves the test out has to look.
  Geometry shell = ball, inner = shapes::sphere(50, 0.985);
  inner.flipWinding();
  shell.append(inner);
  EXPECT_GT(crossings(decimated(shell, 600, true).surface), 0u);
}

TEST(Decimate, OpenSurfacesAreRefusedByName) {
  const Geometry box = shapes::box();
  const Geometry open = box.extract(std::vector<int32_t>{0, 1, 2});
  try {
    decimated(open, 4);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(e.what()).find("open edges"), std::string::npos);
  }
  Context context;
  context.cancel();
  EXPECT_THROW(decimate(triangleMesh(shapes::torus(60, 40)), {}, context), Error);
}

}  // namespace
}  // namespace hackle
