#include <hackle/geometry/normals.h>

#include <hackle/geometry/transform.h>
#include <shapes.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

TEST(Normals, OfABoxAreFacetedBelowNinetyDegreesAndDiagonalAbove) {
  const Geometry g = shapes::box();
  Context context;
  const std::vector<Vec3> faces = faceNormals(g, context);
  const std::vector<Vec3> sharp = vertexNormals(g, 89, context), smooth = vertexNormals(g, 91, context);
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    for (size_t v = g.firstVertex(p); v < g.firstVertex(p + 1); ++v) {
      EXPECT_LT((sharp[v] - faces[p]).norm(), 1e-15);
      const Vec3 diagonal =
          (g.position(static_cast<size_t>(g.vertexPoint(v))) - Vec3(0.5, 0.5, 0.5)).normalized();
      EXPECT_LT((smooth[v] - diagonal).norm(), 1e-14);
    }
  EXPECT_LT((faces[0] - Vec3(0, 0, -1)).norm(), 1e-15);
}

TEST(Normals, OfASphereApproachTheRadius) {
  const Geometry g = shapes::sphere(40, 2.0, {1, 2, 3});
  Context context;
  const std::vector<Vec3> normals = pointNormals(g, context);
  for (size_t p = 0; p < g.pointCount(); ++p)
    EXPECT_LT((normals[p] - (g.position(p) - Vec3(1, 2, 3)) / 2.0).norm(), 0.005);
}

TEST(Normals, DoNotDependOnHowFacesAreCut) {
  Geometry quads = shapes::box(), triangles;
  triangles.addPoints(8);
  triangles.editPositions() = std::vector<Vec3>(quads.positions().begin(), quads.positions().end());
  for (size_t p = 0; p < 6; ++p) {
    const Span<const int32_t> c = quads.corners(p);
    triangles.addPolygon({c[0], c[1], c[2]});
    triangles.addPolygon({c[0], c[2], c[3]});
  }
  Context context;
  const std::vector<Vec3> a = pointNormals(quads, context), b = pointNormals(triangles, context);
  for (size_t p = 0; p < 8; ++p) EXPECT_LT((a[p] - b[p]).norm(), 1e-14);
}

TEST(Normals, TurnWithTheGeometry) {
  Geometry g = shapes::torus(15, 10);
  Context context;
  const std::vector<Vec3> before = vertexNormals(g, 30, context);
  const Mat3 turn = shapes::randomRotation(9);
  transformGeometry(g, turn, {1, 2, 3}, context);
  const std::vector<Vec3> after = vertexNormals(g, 30, context);
  for (size_t v = 0; v < before.size(); ++v) EXPECT_LT((after[v] - turn * before[v]).norm(), 1e-12);
}

TEST(Normals, AreSharpWhereFacesDisagreeOrMoreThanTwoMeet) {
  Geometry g;
  for (const Vec3& p :
       {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(2, 0, 0), Vec3(2, 1, 0)})
    g.addPoint(p);
  g.addPolygon({0, 1, 2, 3});
  g.addPolygon({1, 2, 5, 4});  // runs along 1-2 in the same direction
  Context context;
  const std::vector<Vec3> normals = vertexNormals(g, 180, context);
  for (size_t v = 0; v < 8; ++v) EXPECT_EQ(normals[v], Vec3(0, 0, v < 4 ? 1 : -1));
}

TEST(Normals, OfDegenerateFacesAreZeroAndDoNoHarm) {
  Geometry g = shapes::box();
  g.addPolygon({0, 0, 1});
  g.addPolygon({0, 1});
  g.addPolygon({});
  const std::vector<int32_t> line{0, 7};
  g.addPrimitive(PrimitiveType::Polyline, line);
  g.addPoint({9, 9, 9});
  Context context;
  const std::vector<Vec3> faces = faceNormals(g, context), points = pointNormals(g, context);
  EXPECT_TRUE(faces[6].isZero(0) && faces[7].isZero(0) && faces[8].isZero(0) && faces[9].isZero(0));
  EXPECT_TRUE(points[8].isZero(0));
  EXPECT_LT((points[0] + Vec3(1, 1, 1).normalized()).norm(), 1e-14);
  EXPECT_EQ(vertexNormals(g, 60, context).size(), g.vertexCount());
}

TEST(Normals, AreEqualOnAnyNumberOfThreads) {
  const Geometry g = shapes::torus(300, 200);
  Context one, many;
  one.setThreads(1);
  many.setThreads(4);
  EXPECT_EQ(vertexNormals(g, 1.3, one), vertexNormals(g, 1.3, many));
  EXPECT_EQ(pointNormals(g, one), pointNormals(g, many));
}

}  // namespace
}  // namespace hackle
