// Meshes to solve on: well shaped, of the same volume, with the shape's own edges.
#include <gtest/gtest.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/remesh.h>
#include <hackle/meshing/surface/self_intersections.h>
#include <hackle/meshing/surface/solve_surface.h>
#include <hackle/meshing/surface/thickness.h>
#include <shapes.h>

#include <algorithm>

namespace hackle {
namespace {

struct Made {
  TriangleMesh mesh;
  double worst = 1, median = 0, volume = 0, area = 0;  // volume and area over the solid's
};

Made made(const Geometry& solid, size_t triangles) {
  Context context;
  const TriangleMesh mesh = triangleMesh(solid);
  const TriangleBvh bvh(mesh, context);
  const SolveSurface surface = solveSurface(mesh, bvh, triangles, context);
  EXPECT_FALSE(surface.levelSet);
  Made result{surface.mesh};
  std::vector<double> quality;
  for (const Triangle& t : surface.mesh.triangles)
    quality.push_back(
        triangleQuality(surface.mesh.points[t[0]], surface.mesh.points[t[1]], surface.mesh.points[t[2]]));
  std::sort(quality.begin(), quality.end());
  result.worst = quality.front();
  result.median = quality[quality.size() / 2];
  const MassProperties now = massProperties(surface.mesh, context), before = massProperties(mesh, context);
  result.volume = now.volume / before.volume;
  result.area = now.area / before.area;
  EXPECT_TRUE(selfIntersections(surface.mesh, context).empty());
  return result;
}

TEST(SolveSurface, SharpEdgesStay) {
  Context context;
  ShapeOptions options;
  options.shape = ShapeKind::Box;
  options.resolution = 30;
  const Geometry box = makeShape(options, context);
  for (const size_t triangles : {300u, 1000u}) {
    const Made result = made(box, triangles);
    const double wanted = static_cast<double>(triangles);
    EXPECT_NEAR(static_cast<double>(result.mesh.triangles.size()), wanted, 0.1 * wanted);
    EXPECT_NEAR(result.volume, 1, 1e-4);
    EXPECT_NEAR(result.area, 1, 1e-3);
    EXPECT_GT(result.worst, 0.5);
    EXPECT_GT(result.median, 0.9);
  }
}

TEST(SolveSurface, CurvedSolidsKeepTheirVolume) {
  Context context;
  for (const ShapeKind kind : {ShapeKind::Torus, ShapeKind::Link, ShapeKind::Figure}) {
    ShapeOptions options;
    options.shape = kind;
    options.resolution = 40;
    const Made result = made(makeShape(options, context), 1000);
    EXPECT_NEAR(result.volume, 1, 0.005);
    EXPECT_GT(result.median, 0.9);
    EXPECT_LT(result.mesh.triangles.size(), 2400u);
  }
}

struct Section {
  double area = 0, edge = 0;  // m^2; m, mean of the edges that it cuts
};

/// Of a closed mesh with the plane x = `at` (y = `at`, ... for other axes).
Section section(const TriangleMesh& mesh, Eigen::Index axis, double at) {
  double twice = 0, edges = 0, count = 0;
  const Eigen::Index u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (const Triangle& t : mesh.triangles) {
    // Along the section the solid is on the left, whichever corner is alone on its side.
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 &a = mesh.points[t[k]], &b = mesh.points[t[(k + 1) % 3]], &c = mesh.points[t[(k + 2) % 3]];
      if ((a[axis] < at) == (b[axis] < at) || (a[axis] < at) == (c[axis] < at)) continue;
      Vec3 p = a + (at - a[axis]) / (b[axis] - a[axis]) * (b - a);
      Vec3 q = a + (at - a[axis]) / (c[axis] - a[axis]) * (c - a);
      if (a[axis] < at) std::swap(p, q);
      twice += p[u] * q[v] - p[v] * q[u];
      edges += (b - a).norm() + (c - a).norm();
      count += 2;
    }
  }
  return {std::abs(twice) / 2, edges / count};
}

TEST(SolveSurface, LimbsKeepTheirSections) {
  Context context;
  int compared = 0;
  for (const ShapeKind kind : {ShapeKind::Figure, ShapeKind::Dumbbell}) {
    ShapeOptions options;
    options.shape = kind;
    options.resolution = 40;
    const Geometry solid = makeShape(options, context);
    const TriangleMesh fine = triangleMesh(solid), coarse = made(solid, 2000).mesh;
    const Box3 box = solid.bounds();
    for (const Eigen::Index axis : {0, 1})
      for (const double share : {0.12, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.88}) {
        const double at = box.min[axis] + share * (box.max[axis] - box.min[axis]);
        const Section now = section(coarse, axis, at);
        // What is thinner than that is not resolved.
        if (now.edge > 0.6 * std::sqrt(now.area)) continue;
        EXPECT_NEAR(now.area / section(fine, axis, at).area, 1, 0.05)
            << static_cast<int>(kind) << " " << axis << " " << share;
        ++compared;
      }
  }
  EXPECT_GT(compared, 24);  // of 32
}

TEST(SolveSurface, ThinPartsGetSmallerTriangles) {
  // A thick ball on a thin rod: edges on the rod are at most 0.6 of its thickness.
  Context context;
  ShapeOptions options;
  options.shape = ShapeKind::Dumbbell;
  options.resolution = 40;
  const Geometry solid = makeShape(options, context);
  const TriangleMesh mesh = triangleMesh(solid);
  const TriangleBvh bvh(mesh, context);
  const TriangleMesh result = solveSurface(mesh, bvh, 2000, context).mesh;
  double longest = 0;
  for (const Triangle& t : result.triangles) {
    const Vec3 &a = result.points[t[0]], &b = result.points[t[1]], &c = result.points[t[2]];
    const Vec3 n = (b - a).cross(c - a).normalized();
    const double thick = solidThickness(bvh, 1, bvh.closestPoint((a + b + c) / 3).point, n);
    longest = std::max(longest, std::sqrt((b - a).cross(c - a).norm() * 2 / std::sqrt(3.0)) / thick);
  }
  EXPECT_LT(longest, 0.8);
}

TEST(SolidThickness, IsThatOfWallsAndLimbs) {
  Context context;
  const TriangleMesh plate = triangleMesh(shapes::box(Vec3(-1, -0.05, -1), Vec3(1, 0.05, 1)));
  EXPECT_NEAR(solidThickness(TriangleBvh(plate, context), 1, Vec3(0.1, 0.05, 0.2), Vec3::UnitY()), 0.1,
              0.011);
  const TriangleMesh ball = triangleMesh(shapes::sphere(60));
  EXPECT_NEAR(solidThickness(TriangleBvh(ball, context), 1, Vec3(0, 1, 0), Vec3::UnitY()), 1.85, 0.1);
}

TEST(SolidThickness, OfARidgeIsThatOfWhatItIsOn) {
  // Rays from the sharp ridges between the flutes of a column leave through the next flute.
  Context context;
  ShapeOptions options;
  options.shape = ShapeKind::Column;
  options.resolution = 50;
  options.size = 1;
  const TriangleMesh mesh = triangleMesh(makeShape(options, context));
  const TriangleBvh bvh(mesh, context);
  const double diameter = options.size.value() / options.slenderness;
  size_t places = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
    const Vec3 n = (b - a).cross(c - a).normalized();
    if (std::abs(a.y() - 0.5) > 0.05) continue;
    ++places;
    const double thick = solidThickness(bvh, 1, 0.96 * a + 0.02 * (b + c), n);
    EXPECT_GT(thick, 0.6 * diameter);
    EXPECT_LT(thick, 1.1 * diameter);
  }
  EXPECT_GT(places, 100u);
}

}  // namespace
}  // namespace hackle
