#include <hackle/coupling/contact_patch.h>

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

// Corners of a patch beyond which neighbours are joined: as many places take part of the load.
constexpr size_t kMostSamples = 8;

using Polygon = std::vector<Vec2>;

/// Two axes of the plane across a normal.
struct PlaneFrame {
  Vec3 origin, u, v;
  PlaneFrame(const Vec3& at, const Vec3& normal) : origin(at) {
    const Vec3 n = normal.normalized();
    const Vec3 away = std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
    u = n.cross(away).normalized();
    v = n.cross(u);
  }
  Vec2 flat(const Vec3& p) const { return {u.dot(p - origin), v.dot(p - origin)}; }
  Vec3 back(const Vec2& p) const { return origin + p.x() * u + p.y() * v; }
};

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Counter-clockwise, without corners on straight sides.
Polygon hullOf(Polygon points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return std::tie(a.x(), a.y()) < std::tie(b.x(), b.y()); });
  if (points.size() < 3) return points;
  Polygon hull;
  const auto grow = [&](const Vec2& p, size_t least) {
    while (hull.size() >= least + 2 &&
           cross(hull.back() - hull[hull.size() - 2], p - hull[hull.size() - 2]) <= 0)
      hull.pop_back();
    hull.push_back(p);
  };
  for (const Vec2& p : points) grow(p, 0);
  const size_t lower = hull.size() - 1;
  for (size_t i = points.size() - 1; i-- > 0;) grow(points[i], lower);
  hull.pop_back();
  return hull;
}

/// The part of a convex polygon in another one (Sutherland and Hodgman).
Polygon clipped(Polygon polygon, const Polygon& by) {
  for (size_t i = 0; i < by.size() && !polygon.empty(); ++i) {
    const Vec2 &from = by[i], side = by[(i + 1) % by.size()] - from;
    Polygon kept;
    for (size_t k = 0; k < polygon.size(); ++k) {
      const Vec2 &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
      const double da = cross(side, a - from), db = cross(side, b - from);
      if (da >= 0) kept.push_back(a);
      if ((da >= 0) != (db >= 0)) kept.push_back(a + (da / (da - db)) * (b - a));
    }
    polygon = std::move(kept);
  }
  return polygon;
}

Polygon footprint(const SurfacePoints& points, const PlaneFrame& frame, const Vec3& normal, double reach) {
  Polygon near;
  for (const Vec3& p : points)
    if (std::abs(normal.dot(p - frame.origin)) <= reach) near.push_back(frame.flat(p));
  return hullOf(std::move(near));
}

/// The two corners that are farthest from each other.
std::array<Vec2, 2> farthest(const Polygon& corners) {
  std::array<Vec2, 2> ends{Vec2::Zero(), Vec2::Zero()};
  for (const Vec2& a : corners)
    for (const Vec2& b : corners)
      if ((b - a).squaredNorm() > (ends[1] - ends[0]).squaredNorm()) ends = {a, b};
  return ends;
}

/// k of a pressure 1 + k . x at places x whose centre is then at `wanted`, as far as places on a line allow.
Vec2 pressureSlope(const std::vector<Vec2>& places, const Vec2& wanted) {
  Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
  for (const Vec2& p : places) second += p * p.transpose() / static_cast<double>(places.size());
  const double trace = second.trace();
  if (!(trace > 0)) return Vec2::Zero();
  if (second.determinant() > 1e-6 * trace * trace) return second.inverse() * wanted;
  const Vec2 along = second.col(second(0, 0) > second(1, 1) ? 0 : 1).normalized();
  return along.dot(wanted) / trace * along;
}

}  // namespace

ContactPatch contactPatch(const SurfacePoints& a, const SurfacePoints& b, const Vec3& position,
                          const Vec3& normal, double reach) {
  const PlaneFrame frame(position, normal);
  const Polygon of[2] = {footprint(a, frame, normal, reach), footprint(b, frame, normal, reach)};
  Polygon shared;
  if (!a.empty() && !b.empty()) {
    if (of[0].size() > 2 && of[1].size() > 2) shared = clipped(of[0], of[1]);
  } else {
    shared = a.empty() ? of[1] : of[0];
  }
  ContactPatch patch;
  patch.centre = position;
  double twice = 0;
  Vec2 moment = Vec2::Zero();
  for (size_t k = 0; k < shared.size(); ++k) {
    const Vec2 &p = shared[k], &q = shared[(k + 1) % shared.size()];
    twice += cross(p, q);
    moment += cross(p, q) * (p + q) / 3;
  }
  // Slivers are edges, up to the tolerance with which their points were found.
  if (!(0.5 * twice > reach * reach)) {
    const std::array<Vec2, 2> ends = farthest(shared);
    if (!((ends[1] - ends[0]).norm() > 4 * reach)) return patch;
    for (const Vec2& p : ends) patch.corners.push_back(frame.back(p));
    patch.centre = 0.5 * (patch.corners[0] + patch.corners[1]);
    return patch;
  }
  patch.area = 0.5 * twice;
  patch.centre = frame.back(moment / twice);
  for (const Vec2& p : shared) patch.corners.push_back(frame.back(p));
  return patch;
}

std::vector<PatchSample> patchSamples(const ContactPatch& patch, const Vec3& centre, const Vec3& normal,
                                      const std::function<bool(const Vec3&)>& touches) {
  if (patch.corners.empty()) return {{centre, 1}};
  // Places two thirds of the way from the middle to the corners: the centroids of the patch's triangles.
  const PlaneFrame frame(patch.centre, normal);
  const size_t count = std::min(patch.corners.size(), kMostSamples);
  std::vector<Vec2> places;
  for (size_t i = 0; i < count; ++i) {
    const Vec2 corner = frame.flat(patch.corners[i * patch.corners.size() / count]);
    const Vec2 inner = corner * (2.0 / 3);
    places.push_back(!touches || touches(frame.back(inner)) ? inner : corner);
  }

  // Pressure 1 + k . x, with the k that puts the load's centre where it is.
  const Vec2 slope = pressureSlope(places, frame.flat(centre));
  std::vector<PatchSample> samples;
  double sum = 0;
  for (const Vec2& p : places) {
    samples.push_back({frame.back(p), std::max(0.0, 1 + slope.dot(p))});
    sum += samples.back().share;
  }
  if (!(sum > 0)) return {{centre, 1}};
  std::vector<PatchSample> loaded;
  for (const PatchSample& sample : samples)
    if (sample.share > 1e-3 * sum) loaded.push_back(sample);
  sum = 0;
  for (const PatchSample& sample : loaded) sum += sample.share;
  for (PatchSample& sample : loaded) sample.share /= sum;
  return loaded;
}

}  // namespace hackle
