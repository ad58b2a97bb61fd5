#include <hackle/geometry/mass_properties.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>

#include <cmath>

namespace hackle {

namespace {

constexpr size_t kGrain = 4096;

/// Integrals over a body, relative to a local origin.
struct Moments {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();   // integral of x dV
  Mat3 second = Mat3::Zero();  // integral of x x^T dV
  double area = 0.0;
  Vec3 areaFirst = Vec3::Zero();  // integral of x dA

  /// The tetrahedron from the local origin to three points. For vertices v_i (one of them 0) and s their sum,
  /// the integral of x x^T is V/20 (s s^T + sum v_i v_i^T).
  void addCone(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vec3 sum = a + b + c;
    volume += v;
    first += v / 4.0 * sum;
    second += v / 20.0 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  void addTriangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double triangleArea = 0.5 * (b - a).cross(c - a).norm();
    area += triangleArea;
    areaFirst += triangleArea / 3.0 * (a + b + c);
  }
  Moments operator+(const Moments& o) const {
    return {volume + o.volume, first + o.first, second + o.second, area + o.area, areaFirst + o.areaFirst};
  }
};

template <class Cell>
Vec3 localOrigin(Span<const Vec3> points, Span<const Cell> cells, Context& context) {
  const auto boxOf = [&](size_t begin, size_t end) {
    Box3 box;
    for (size_t i = begin; i < end; ++i)
      for (const int32_t p : cells[i]) box.add(points[p]);
    return box;
  };
  const Box3 box = parallelReduce(context, cells.size(), kGrain, Box3(), boxOf, [](Box3 a, const Box3& b) {
    a.add(b);
    return a;
  });
  return box.empty() ? Vec3(0, 0, 0) : box.centre();
}

template <class Cell, class Add>
MassProperties integrate(Span<const Vec3> points, Span<const Cell> cells, Context& context, const Add& add) {
  const Vec3 origin = localOrigin(points, cells, context);
  const auto sumOf = [&](size_t begin, size_t end) {
    Moments moments;
    for (size_t i = begin; i < end; ++i) {
      const Cell& cell = cells[i];
      add(moments, [&](size_t c) -> Vec3 { return points[cell[c]] - origin; });
    }
    return moments;
  };
  const Moments m = parallelReduce(context, cells.size(), kGrain, Moments(), sumOf,
                                   [](const Moments& a, const Moments& b) { return a + b; });

  MassProperties result;
  result.volume = m.volume;
  result.area = m.area;
  // A volume that is rounding error only must not be divided by.
  const double noise = 1e-12 * std::pow(m.area, 1.5);
  if (std::abs(m.volume) > noise) {
    const Vec3 centre = m.first / m.volume;
    const Mat3 aboutCentre = m.second - m.volume * centre * centre.transpose();
    result.centre = origin + centre;
    result.inertia = aboutCentre.trace() * Mat3::Identity() - aboutCentre;
  } else {
    result.centre = m.area > 0 ? Vec3(origin + m.areaFirst / m.area) : origin;
  }
  return result;
}

}  // namespace

MassProperties massProperties(Span<const Vec3> points, Span<const Triangle> triangles, Context& context) {
  return integrate(points, triangles, context, [](Moments& moments, const auto& corner) {
    const Vec3 a = corner(0), b = corner(1), c = corner(2);
    moments.addCone(a, b, c);
    moments.addTriangle(a, b, c);
  });
}

MassProperties massProperties(const TriangleMesh& mesh, Context& context) {
  return massProperties(mesh.points, mesh.triangles, context);
}

MassProperties massProperties(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context) {
  // A tetrahedron is the sum of the cones to its faces, but directly it loses fewer digits.
  return integrate(points, tetrahedra, context, [](Moments& moments, const auto& corner) {
    const Vec3 a = corner(0), b = corner(1), c = corner(2), d = corner(3);
    const double v = (b - a).dot((c - a).cross(d - a)) / 6.0;
    const Vec3 sum = a + b + c + d;
    moments.volume += v;
    moments.first += v / 4.0 * sum;
    moments.second += v / 20.0 *
                      (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose() +
                       d * d.transpose());
  });
}

MassProperties massProperties(const TetrahedronMesh& mesh, Context& context) {
  return massProperties(mesh.points, mesh.tetrahedra, context);
}

double surfaceArea(Span<const Vec3> points, Span<const Triangle> triangles, Context& context) {
  const auto sumOf = [&](size_t begin, size_t end) {
    double area = 0.0;
    for (size_t t = begin; t < end; ++t) {
      const Vec3& a = points[triangles[t][0]];
      area += 0.5 * (points[triangles[t][1]] - a).cross(points[triangles[t][2]] - a).norm();
    }
    return area;
  };
  return parallelReduce(context, triangles.size(), kGrain, 0.0, sumOf,
                        [](double a, double b) { return a + b; });
}

double diameter(Span<const Vec3> points) {
  if (points.size() < 2) return 0.0;
  const auto farthestFrom = [&](const Vec3& from) {
    size_t best = 0;
    for (size_t i = 1; i < points.size(); ++i)
      if ((points[i] - from).squaredNorm() > (points[best] - from).squaredNorm()) best = i;
    return best;
  };
  // Start from the extreme points of each axis and from the one farthest from the middle.
  Box3 box;
  for (const Vec3& p : points) box.add(p);
  std::vector<size_t> starts{farthestFrom(box.centre())};
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      size_t best = 0;
      for (size_t i = 1; i < points.size(); ++i)
        if (sign * points[i][axis] > sign * points[best][axis]) best = i;
      starts.push_back(best);
    }
  double squared = 0.0;
  for (size_t from : starts) {
    double reached = -1.0;
    for (;;) {
      const size_t to = farthestFrom(points[from]);
      const double length = (points[to] - points[from]).squaredNorm();
      if (!(length > reached)) break;
      reached = length;
      from = to;
    }
    squared = std::max(squared, reached);
  }
  return std::sqrt(squared);
}

}  // namespace hackle
