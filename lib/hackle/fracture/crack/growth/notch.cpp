#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>
#include <hackle/fracture/crack/growth/notch.h>
#include <hackle/meshing/surface/sharp_edges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

struct HalfEdge {
  Edge edge;  // smaller point first
  int32_t triangle, opposite;
  bool operator<(const HalfEdge& o) const { return edge != o.edge ? edge < o.edge : triangle < o.triangle; }
};

/// Unit, outwards; zero if the triangle has no area.
Vec3 normalOf(const TriangleMesh& mesh, size_t triangle) {
  const Triangle& c = mesh.triangles[triangle];
  const Vec3& a = mesh.points[c[0]];
  return (mesh.points[c[1]] - a).cross(mesh.points[c[2]] - a).stableNormalized();
}

/// The plane across a groove.
struct GrooveSection {
  const TriangleBvh& surface;
  Vec3 along, outwards;  // unit
  Vec3 middle;           // between the walls
  double halfWidth;      // m, about

  /// m, to the surface in a direction, if it is within a reach.
  std::optional<double> wall(const Vec3& from, const Vec3& direction, double reach) const {
    const std::optional<RayHit> hit = surface.firstHit({from, direction, 0, reach});
    return hit ? std::optional<double>(hit->t) : std::nullopt;
  }
  /// The walls on both sides of a place, if they are within a reach.
  struct Walls {
    double width;  // m, between them
    Vec3 middle;
  };
  std::optional<Walls> walls(const Vec3& place, double reach) const {
    const Vec3 across = along.cross(outwards);
    const std::optional<double> a = wall(place, across, reach), b = wall(place, -across, reach);
    if (!a || !b) return {};
    return Walls{*a + *b, place + 0.5 * (*a - *b) * across};
  }

  /// Of the groove on whose bottom a place is, from rays at 45 degrees to the normal: in a round one they
  /// meet the walls at sqrt(2) times its radius.
  static std::optional<GrooveSection> at(const TriangleMesh& mesh, const TriangleBvh& surface,
                                         const Vec3& place, const Vec3& normal, double length);
  /// Turns towards the mouth, and moves to the middle. False if there is none.
  bool centre(double length);
};

std::optional<GrooveSection> GrooveSection::at(const TriangleMesh& mesh, const TriangleBvh& surface,
                                               const Vec3& place, const Vec3& normal, double length) {
  constexpr int kPairs = 6;
  constexpr double kReach = 1.8;  // of the length: sqrt(2), and more for walls that open
  constexpr double kLift = 1e-3;  // of the length, off the surface
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u), from = place + kLift * length * normal;
  double least = std::numeric_limits<double>::infinity();
  std::optional<GrooveSection> best;
  for (int i = 0; i < kPairs; ++i) {
    const Vec3 aside = std::cos(kPi * i / kPairs) * u + std::sin(kPi * i / kPairs) * v;
    std::optional<RayHit> hits[2];
    Vec3 normals[2];
    for (const int k : {0, 1}) {
      const Vec3 direction = (normal + (k == 0 ? 1 : -1) * aside).normalized();
      hits[k] = surface.firstHit({from, direction, 0, kReach * length});
      if (!hits[k]) break;
      normals[k] = normalOf(mesh, static_cast<size_t>(hits[k]->triangle));
    }
    if (!hits[0] || !hits[1] || hits[0]->t + hits[1]->t >= least) continue;
    // Walls face each other across the groove.
    const Vec3 axis = (normals[0] - normals[1]).cross(normal);
    if (!(axis.norm() > 1)) continue;
    least = hits[0]->t + hits[1]->t;
    const double radius = least / std::sqrt(8.0);
    best.emplace(GrooveSection{surface, axis.normalized(), normal, place + radius * normal, radius});
  }
  return best;
}

bool GrooveSection::centre(double length) {
  // The mouth is where rays from the middle go far.
  constexpr int kRays = 48;
  Vec3 sum = Vec3::Zero();
  const Vec3 x = outwards, y = along.cross(outwards);
  for (int i = 0; i < kRays; ++i) {
    const double angle = 2 * kPi * i / kRays;
    const Vec3 direction = std::cos(angle) * x + std::sin(angle) * y;
    const double free = wall(middle, direction, 3 * length).value_or(3 * length) / halfWidth;
    sum += free * free * direction;
  }
  if (!(sum.norm() > 0)) return false;
  outwards = sum.normalized();
  // Straighten it by the middle farther out.
  for (int i = 0; i < 2; ++i) {
    const std::optional<Walls> here = walls(middle, 2 * halfWidth);
    const std::optional<Walls> farther = walls(middle + length * outwards, length + 2 * halfWidth);
    if (!here || !farther) return false;
    middle = here->middle;
    outwards = (farther->middle - middle).normalized();
  }
  return true;
}

/// m, of the largest ball that touches a root from outside of the solid, up to facets; 0 at a sharp edge, and
/// if it is as large as a length.
double rootRadius(const TriangleBvh& surface, const Vec3& root, const Vec3& outwards, double length) {
  constexpr double kFacets = 0.95, kLeast = 0.01;
  const auto isFree = [&](double radius) {
    return surface.closestPoint(root + radius * outwards, kFacets * radius).triangle < 0;
  };
  double low = kLeast * length, high = length;
  if (!isFree(low) || isFree(high)) return 0;
  for (int i = 0; i < 12; ++i) {
    const double radius = 0.5 * (low + high);
    (isFree(radius) ? low : high) = radius;
  }
  return kFacets * low;  // walls beside it let it grow by as much
}

}  // namespace

std::vector<NotchEdge> notchEdges(const TriangleMesh& mesh, Context& context) {
  std::vector<Vec3> normals;
  std::vector<HalfEdge> halves;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    normals.push_back(normalOf(mesh, t));
    for (size_t k = 0; k < 3; ++k)
      halves.push_back({{std::min(c[k], c[(k + 1) % 3]), std::max(c[k], c[(k + 1) % 3])},
                        static_cast<int32_t>(t),
                        c[(k + 2) % 3]});
  }
  parallelStableSort(context, halves, std::less<>());
  std::vector<NotchEdge> edges;
  for (size_t h = 0; h + 1 < halves.size(); ++h) {
    if (halves[h].edge != halves[h + 1].edge) continue;
    const Vec3 &n = normals[halves[h].triangle], &m = normals[halves[h + 1].triangle];
    if (n.isZero() || m.isZero() || n.dot(m) > std::cos(kSharpAngle * kPi / 180)) continue;
    NotchEdge edge{mesh.points[halves[h].edge[0]], mesh.points[halves[h].edge[1]], {}};
    if (n.dot(mesh.points[halves[h + 1].opposite] - edge.from) <= 0 || (n + m).isZero(1e-6)) continue;
    edge.notch.along = (edge.to - edge.from).stableNormalized();
    edge.notch.inwards = -(n + m).normalized();
    edge.notch.angle = kPi + std::acos(std::clamp(n.dot(m), -1.0, 1.0));
    edges.push_back(edge);
  }
  return edges;
}

bool isNotch(const TriangleBvh& surface, const Vec3& place, const Notch& notch, double length) {
  constexpr double kAside = 0.1;  // of the length
  const Vec3 across = notch.along.cross(notch.inwards);
  for (const double side : {-0.5, 0.5})
    for (const double part : {0.5, 1.0}) {
      const double a = side * notch.angle;
      const Vec3 p = place + part * length * (std::cos(a) * notch.inwards + std::sin(a) * across);
      if (surface.closestPoint(p, kAside * length).triangle < 0) return false;
    }
  return true;
}

std::optional<NotchPlace> roundNotch(const TriangleMesh& mesh, const TriangleBvh& surface, const Vec3& place,
                                     const Vec3& normal, double length) {
  // Most places are not in a groove: nothing is in a ball above them.
  if (surface.closestPoint(place + length * normal, 0.9 * length).triangle < 0) return {};
  std::optional<GrooveSection> section = GrooveSection::at(mesh, surface, place, normal, length);
  if (!section || !section->centre(length)) return {};
  const std::optional<double> toRoot =
      section->wall(section->middle, -section->outwards, section->halfWidth + length);
  if (!toRoot) return {};
  NotchPlace found{section->middle - *toRoot * section->outwards, {}};
  found.notch.along = section->along;
  found.notch.inwards = -section->outwards;
  found.notch.rootRadius = rootRadius(surface, found.place, section->outwards, length);
  if (found.notch.rootRadius == 0) return {};
  // Two walls that stay within 45 degrees of the middle, and what they open by.
  double width[2];
  for (const int k : {0, 1}) {
    const double x = (k + 1) * 0.5 * length;
    const auto walls = section->walls(found.place + x * section->outwards, x + found.notch.rootRadius);
    if (!walls) return {};
    width[k] = walls->width;
  }
  const double half = std::max(0.0, std::atan2(0.5 * (width[1] - width[0]), 0.5 * length));
  found.notch.angle = 2 * (kPi - half);
  return found;
}

double notchExponent(double angle) {
  // The smallest root between 1/2 and 1 of sin(x angle) + x sin(angle): positive below it.
  if (angle <= kPi) return 0;
  double low = 0.5, high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double x = 0.5 * (low + high);
    (std::sin(x * angle) + x * std::sin(angle) > 0 ? low : high) = x;
  }
  return 1 - low;
}

NotchStress::NotchStress(const Notch& notch, double at, double stressAtHalf, double stressAt)
    : exponent(notchExponent(notch.angle)), offset((1 - kPi / notch.angle) * notch.rootRadius) {
  const auto first = [&](double r) {
    return std::pow(r, -exponent) * (1 + exponent / (1 - exponent) * offset / r);
  };
  const auto second = [&](double r) { return std::pow(r, 1 - exponent); };
  const double near = 0.5 * at + offset, far = at + offset;
  const double determinant = first(near) * second(far) - first(far) * second(near);
  k = (stressAtHalf * second(far) - stressAt * second(near)) / determinant;
  c = (first(near) * stressAt - first(far) * stressAtHalf) / determinant;
}

double NotchStress::mean(double length) const {
  const double power = 2 - exponent;
  return k * std::pow(length + offset, -exponent) / (1 - exponent) +
         c * (std::pow(length + offset, power) - std::pow(offset, power)) / (power * length);
}

NotchPlane notchPlane(const Notch& notch, double opening, double shear) {
  NotchPlane plane;
  if (!(opening > 0)) return plane;
  // As of the stress intensities of a crack: propagation.h, eq. 3 of the README.
  const double angle = 2 * std::atan2(-2 * shear, opening + std::hypot(opening, std::sqrt(8.0) * shear));
  const double half = std::cos(0.5 * angle);
  plane.stress = half * half * (half - 3 * std::sin(0.5 * angle) * shear / opening);
  const Vec3 across = notch.along.cross(notch.inwards);
  plane.normal = std::cos(angle) * across - std::sin(angle) * notch.inwards;
  return plane;
}

}  // namespace hackle
