// Shapes with known properties, for tests and benchmarks.
#pragma once

#include <hackle/core/random.h>
#include <hackle/geometry/geometry.h>

#include <cmath>
#include <functional>
#include <vector>

namespace hackle::shapes {

constexpr double kPi = 3.14159265358979323846;

/// Closed box of six quads.
inline Geometry box(const Vec3& low = {0, 0, 0}, const Vec3& high = {1, 1, 1}) {
  Geometry g;
  for (int i = 0; i < 8; ++i)
    g.addPoint({(i & 1) ? high.x() : low.x(), (i & 2) ? high.y() : low.y(), (i & 4) ? high.z() : low.z()});
  g.addPolygon({0, 2, 3, 1});
  g.addPolygon({4, 5, 7, 6});
  g.addPolygon({0, 1, 5, 4});
  g.addPolygon({2, 6, 7, 3});
  g.addPolygon({0, 4, 6, 2});
  g.addPolygon({1, 3, 7, 5});
  return g;
}

/// u by v quads of a surface that closes in both directions (a torus of any kind).
inline Geometry wrappedGrid(int u, int v, const std::function<Vec3(double, double)>& surface) {
  Geometry g;
  g.addPoints(static_cast<size_t>(u) * static_cast<size_t>(v));
  std::vector<Vec3>& positions = g.editPositions();
  std::vector<int32_t> points;
  points.reserve(4 * positions.size());
  for (int i = 0; i < u; ++i)
    for (int j = 0; j < v; ++j) {
      positions[i * v + j] = surface(2 * kPi * i / u, 2 * kPi * j / v);
      const int i1 = (i + 1) % u, j1 = (j + 1) % v;
      points.insert(points.end(), {i * v + j, i1 * v + j, i1 * v + j1, i * v + j1});
    }
  g.addPrimitives(PrimitiveType::Polygon, positions.size(), 4, points);
  return g;
}

/// About the y axis.
inline Geometry torus(int u, int v, double major = 1.0, double minor = 0.25) {
  return wrappedGrid(u, v, [&](double a, double b) {
    const double r = major + minor * std::cos(b);
    return Vec3(r * std::cos(a), -minor * std::sin(b), r * std::sin(a));
  });
}

/// Sphere of quads and triangles with shared poles; `rings` from pole to pole, 2 * rings around.
inline Geometry sphere(int rings, double radius = 1.0, const Vec3& centre = {0, 0, 0}) {
  Geometry g;
  const int around = 2 * rings;
  g.addPoint(centre + Vec3(0, radius, 0));
  for (int r = 1; r < rings; ++r)
    for (int a = 0; a < around; ++a) {
      const double polar = kPi * r / rings, angle = 2 * kPi * a / around;
      g.addPoint(centre + radius * Vec3(std::sin(polar) * std::cos(angle), std::cos(polar),
                                        -std::sin(polar) * std::sin(angle)));
    }
  const int32_t bottom = static_cast<int32_t>(g.addPoint(centre - Vec3(0, radius, 0)));
  const auto at = [&](int r, int a) { return 1 + (r - 1) * around + a % around; };
  for (int a = 0; a < around; ++a) {
    g.addPolygon({0, at(1, a), at(1, a + 1)});
    for (int r = 1; r + 1 < rings; ++r)
      g.addPolygon({at(r, a), at(r + 1, a), at(r + 1, a + 1), at(r, a + 1)});
    g.addPolygon({bottom, at(rings - 1, a + 1), at(rings - 1, a)});
  }
  return g;
}

/// Unconnected random triangles of about the given size in the unit cube.
inline Geometry soup(size_t triangles, double size, uint64_t seed) {
  Geometry g;
  g.addPoints(3 * triangles);
  std::vector<int32_t> points(3 * triangles);
  Random random(seed);
  std::vector<Vec3>& positions = g.editPositions();
  for (size_t t = 0; t < triangles; ++t) {
    const Vec3 middle(random.uniform(), random.uniform(), random.uniform());
    for (size_t c = 0; c < 3; ++c) {
      positions[3 * t + c] = middle + size * Vec3(random.normal(), random.normal(), random.normal());
      points[3 * t + c] = static_cast<int32_t>(3 * t + c);
    }
  }
  g.addPrimitives(PrimitiveType::Polygon, triangles, 3, points);
  return g;
}

inline Mat3 randomRotation(uint64_t seed) {
  Random random(seed);
  return Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
      .normalized()
      .toRotationMatrix();
}

/// Names every primitive.
inline void setNames(Geometry& g, const std::function<std::string(size_t)>& nameOf) {
  Attribute& name = g.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t p = 0; p < g.primitiveCount(); ++p) name.setString(p, nameOf(p));
}

}  // namespace hackle::shapes
