#include <hackle/core/random.h>
#include <hackle/fracture/voronoi/radial_sites.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kTwoPi = 6.283185307179586;

struct Pattern {
  Vec3 centre, u, v;
  double reach;  // m, to the farthest corner of the box
};

Pattern patternAcross(const Vec3& centre, const Vec3& normal, const Box3& box) {
  Pattern pattern;
  pattern.centre = centre;
  Eigen::Index least = 0;
  normal.cwiseAbs().minCoeff(&least);
  pattern.u = normal.cross(Vec3::Unit(least)).normalized();
  pattern.v = normal.cross(pattern.u);
  pattern.reach = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 d = box.min - centre;
    for (int c = 0; c < 3; ++c)
      if (corner >> c & 1) d[c] = box.max[c] - centre[c];
    pattern.reach = std::max(pattern.reach, std::hypot(d.dot(pattern.u), d.dot(pattern.v)));
  }
  return pattern;
}

Vec3 normalAt(const TriangleMesh& mesh, const TriangleBvh& surface, const Vec3& place) {
  const Triangle& t = mesh.triangles[surface.closestPoint(place).triangle];
  const Vec3 normal = (mesh.points[t[1]] - mesh.points[t[0]]).cross(mesh.points[t[2]] - mesh.points[t[0]]);
  return normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3(0, 1, 0);
}

/// Spokes run through all rings at one angle; rings are a constant factor apart, chosen so that cells are
/// long and narrow, and so much out of round that no circles show.
void addSites(const Pattern& pattern, size_t count, uint64_t seed, std::vector<Vec3>& sites) {
  constexpr double kLengthPerWidth = 3.5;
  const double spokes = std::clamp(std::round(2 * std::sqrt(static_cast<double>(count))), 5.0, 48.0);
  const double factor = 1 + kLengthPerWidth * kTwoPi / spokes;
  const auto rings = std::max(1.0, std::round(static_cast<double>(count) / spokes));
  Random random(seed, 17);
  std::vector<double> angles;
  for (int s = 0; s < static_cast<int>(spokes); ++s)
    angles.push_back((s + random.uniform(-0.3, 0.3)) * kTwoPi / spokes);
  sites.push_back(pattern.centre);
  // The outermost ring lies where its cells reach the corner.
  double radius = pattern.reach / std::sqrt(factor);
  for (int ring = 0; ring < static_cast<int>(rings); ++ring, radius /= factor)
    for (const double angle : angles) {
      const double a = angle + random.uniform(-0.06, 0.06) * kTwoPi / spokes;
      const double r = radius * (1 + random.uniform(-0.3, 0.3));
      sites.push_back(pattern.centre + r * (std::cos(a) * pattern.u + std::sin(a) * pattern.v));
    }
}

}  // namespace

std::vector<Vec3> radialSites(const TriangleMesh& mesh, const TriangleBvh& surface, Span<const Vec3> hits,
                              size_t count, uint64_t seed) {
  const Box3 box = surface.bounds();
  std::vector<Vec3> sites;
  if (hits.empty()) {
    Eigen::Index thin = 0;
    box.size().minCoeff(&thin);
    addSites(patternAcross(box.centre(), Vec3::Unit(thin), box), count, seed, sites);
    return sites;
  }
  const size_t share = std::max<size_t>(1, count / hits.size());
  for (size_t h = 0; h < hits.size(); ++h) {
    std::vector<Vec3> own;
    addSites(patternAcross(hits[h], normalAt(mesh, surface, hits[h]), box), share, seed + h, own);
    for (const Vec3& p : own) {
      const double distance = (p - hits[h]).squaredNorm();
      const bool nearest = std::all_of(
          hits.begin(), hits.end(), [&](const Vec3& other) { return distance <= (p - other).squaredNorm(); });
      if (nearest) sites.push_back(p);
    }
  }
  return sites;
}

}  // namespace hackle
