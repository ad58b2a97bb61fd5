#include <hackle/meshing/surface/flat_polygon.h>

#include <algorithm>
#include <limits>

namespace hackle {

namespace {

double distanceToSegment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double length = d.squaredNorm();
  const double t = length > 0 ? std::clamp((p - a).dot(d) / length, 0.0, 1.0) : 0.0;
  return (a + t * d - p).norm();
}

}  // namespace

FlatPolygon::FlatPolygon(Span<const Vec3> places) : origin(places[0]) {
  for (size_t k = 1; k + 1 < places.size(); ++k)
    normal += 0.5 * (places[k] - origin).cross(places[k + 1] - origin);
  normal.normalize();
  Eigen::Index least = 0;
  normal.cwiseAbs().minCoeff(&least);
  u = normal.cross(Vec3::Unit(least)).normalized();
  v = normal.cross(u);
  low.setConstant(std::numeric_limits<double>::infinity());
  high = -low;
  for (const Vec3& p : places) {
    const Vec3 d = p - origin;
    corners.emplace_back(d.dot(u), d.dot(v));
    low = low.cwiseMin(corners.back());
    high = high.cwiseMax(corners.back());
  }
}

double FlatPolygon::rimDistance(const Vec2& p) const {
  bool inside = false;
  double distance = std::numeric_limits<double>::infinity();
  for (size_t k = 0, n = corners.size(); k < n; ++k) {
    const Vec2 &a = corners[k], &b = corners[(k + 1) % n];
    distance = std::min(distance, distanceToSegment(p, a, b));
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < a.x() + (b.x() - a.x()) * (p.y() - a.y()) / (b.y() - a.y()))
      inside = !inside;
  }
  return inside ? distance : -distance;
}

}  // namespace hackle
