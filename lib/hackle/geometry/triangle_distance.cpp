#include <hackle/geometry/triangle_distance.h>

#include <hackle/geometry/bvh.h>

#include <algorithm>

namespace hackle {

double squaredSegmentDistance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  // Minimise |a + s u - c - t v|^2 over the square of s and t: t for the best s, then s again for that t.
  const Vec3 u = b - a, v = d - c, w = a - c;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), uw = u.dot(w), vw = v.dot(w);
  const double determinant = uu * vv - uv * uv;
  double s = determinant > 0 ? std::clamp((uv * vw - vv * uw) / determinant, 0.0, 1.0) : 0.0;
  double t = vv > 0 ? (uv * s + vw) / vv : 0.0;
  if (t < 0 || t > 1 || vv == 0) {
    t = std::clamp(t, 0.0, 1.0);
    s = uu > 0 ? std::clamp((uv * t - uw) / uu, 0.0, 1.0) : 0.0;
  }
  return (w + s * u - t * v).squaredNorm();
}

namespace {

double sixVolumes(const Vec3& o, const Vec3& a, const Vec3& b, const Vec3& c) {
  return (a - o).dot((b - o).cross(c - o));
}

bool segmentCrosses(const Vec3& p, const Vec3& q, const TriangleCorners& t) {
  if (sixVolumes(p, t[0], t[1], t[2]) * sixVolumes(q, t[0], t[1], t[2]) > 0) return false;
  const double u = sixVolumes(p, q, t[0], t[1]), v = sixVolumes(p, q, t[1], t[2]),
               w = sixVolumes(p, q, t[2], t[0]);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

/// How far `points` lie on one side of the plane of `t`.
double beyondPlane(const TriangleCorners& t, const TriangleCorners& points) {
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
  const double length = normal.norm();
  if (!(length > 0)) return 0.0;
  double low = 1e300, high = -1e300;
  for (const Vec3& p : points) {
    const double height = normal.dot(p - t[0]) / length;
    low = std::min(low, height);
    high = std::max(high, height);
  }
  return std::max({0.0, low, -high});
}

}  // namespace

double squaredTriangleDistance(const TriangleCorners& a, const TriangleCorners& b) {
  double best = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < 3; ++i) {
    best = std::min(best, closestPointOnTriangle(a[i], b[0], b[1], b[2]).squaredDistance);
    best = std::min(best, closestPointOnTriangle(b[i], a[0], a[1], a[2]).squaredDistance);
    for (size_t j = 0; j < 3; ++j)
      best = std::min(best, squaredSegmentDistance(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    if (segmentCrosses(a[i], a[(i + 1) % 3], b) || segmentCrosses(b[i], b[(i + 1) % 3], a)) return 0.0;
  }
  return best;
}

double planeSeparation(const TriangleCorners& a, const TriangleCorners& b) {
  return std::max(beyondPlane(a, b), beyondPlane(b, a));
}

}  // namespace hackle
