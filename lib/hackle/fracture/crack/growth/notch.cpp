#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/growth/notch.h>
#include <hackle/meshing/surface/sharp_edges.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kPi = 3.14159265358979323846;

struct HalfEdge {
  Edge edge;  // smaller point first
  int32_t triangle, opposite;
  bool operator<(const HalfEdge& o) const { return edge != o.edge ? edge < o.edge : triangle < o.triangle; }
};

}  // namespace

std::vector<NotchEdge> notchEdges(const TriangleMesh& mesh, Context& context) {
  std::vector<Vec3> normals;
  std::vector<HalfEdge> halves;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3& a = mesh.points[c[0]];
    normals.push_back((mesh.points[c[1]] - a).cross(mesh.points[c[2]] - a).stableNormalized());
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

NotchStress::NotchStress(double a, double r, double atHalf, double at) : exponent(a) {
  const double half = std::pow(0.5 * r, a) * atHalf, whole = std::pow(r, a) * at;
  k = 2 * half - whole;
  c = 2 * (whole - half) / r;
}

double NotchStress::mean(double length) const {
  return std::pow(length, -exponent) * (k / (1 - exponent) + c * length / (2 - exponent));
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
