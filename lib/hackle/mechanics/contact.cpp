#include <hackle/mechanics/contact.h>

#include <hackle/core/error.h>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kHertzDuration = 2.868262;  // (15/16)^(2/5) 2 integral of dx / sqrt(1 - x^(5/2)) over 0..1
constexpr double kHertzApproach = 0.974515;  // (15/16)^(2/5)
constexpr int kMaxSplits = 24;
// Heights over a plane, of the distance, up to which a surface is that plane.
constexpr double kFlat = 1e-12;
using Corners = std::array<Vec3, 3>;

Corners cornersOf(const TriangleMesh& mesh, int32_t triangle) {
  const Triangle& t = mesh.triangles[triangle];
  return {mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]};
}

Vec3 areaVector(const Corners& c) { return 0.5 * (c[1] - c[0]).cross(c[2] - c[0]); }

double longestEdge(const Corners& c) {
  return std::sqrt(
      std::max({(c[1] - c[0]).squaredNorm(), (c[2] - c[1]).squaredNorm(), (c[0] - c[2]).squaredNorm()}));
}

template <class Visit>
void samplePart(const Corners& c, const Vec3& centre, double radius, double size, int splits,
                const Visit& visit) {
  const double square = radius * radius;
  // Balls are convex: a triangle with all corners inside meets it, and all of its parts do.
  const bool inside =
      std::all_of(c.begin(), c.end(), [&](const Vec3& p) { return (p - centre).squaredNorm() <= square; });
  if (!inside && closestPointOnTriangle(centre, c[0], c[1], c[2]).squaredDistance > square) return;
  if (splits == 0 || longestEdge(c) <= size) {
    visit(Vec3((c[0] + c[1] + c[2]) / 3), areaVector(c).norm());
    return;
  }
  const Corners m{0.5 * (c[1] + c[2]), 0.5 * (c[2] + c[0]), 0.5 * (c[0] + c[1])};
  samplePart({c[0], m[2], m[1]}, centre, radius, size, splits - 1, visit);
  samplePart({m[2], c[1], m[0]}, centre, radius, size, splits - 1, visit);
  samplePart({m[1], m[0], c[2]}, centre, radius, size, splits - 1, visit);
  samplePart({m[0], m[1], m[2]}, centre, radius, size, splits - 1, visit);
}

/// Calls visit(point, area) on parts of a triangle that are no longer than `size` and meet the ball. Edges
/// halve with each split, so that the number of splits is known; far from the origin, where midpoints are
/// rounded to corners, nothing else would end it.
template <class Visit>
void sample(const Corners& c, const Vec3& centre, double radius, double size, const Visit& visit) {
  const double halvings = std::ceil(std::log2(longestEdge(c) / size));
  const int splits = static_cast<int>(std::min<double>(kMaxSplits, std::max(0.0, halvings)));
  samplePart(c, centre, radius, size, splits, visit);
}

/// Triangles near a ball that are connected to `first` through shared points, among those that `accept`.
template <class Accept>
std::vector<int32_t> patchAround(const TriangleMesh& mesh, const TriangleBvh& bvh, int32_t first,
                                 const Vec3& centre, double radius, const Accept& accept) {
  Box3 box;
  box.add(centre - Vec3::Constant(radius));
  box.add(centre + Vec3::Constant(radius));
  std::vector<int32_t> near;
  std::vector<std::pair<int32_t, size_t>> uses;  // point, index into near
  for (const int32_t t : bvh.trianglesNear(box)) {
    if (t != first && !accept(t)) continue;
    for (const int32_t p : mesh.triangles[t]) uses.emplace_back(p, near.size());
    near.push_back(t);
  }
  std::sort(uses.begin(), uses.end());
  std::vector<uint8_t> reached(near.size(), 0);
  std::vector<size_t> queue;
  const auto start = std::find(near.begin(), near.end(), first);
  if (start == near.end()) return {first};
  queue.push_back(static_cast<size_t>(start - near.begin()));
  reached[queue.front()] = 1;
  while (!queue.empty()) {
    const size_t at = queue.back();
    queue.pop_back();
    for (const int32_t p : mesh.triangles[near[at]])
      for (auto u = std::lower_bound(uses.begin(), uses.end(), std::make_pair(p, size_t(0)));
           u != uses.end() && u->first == p; ++u)
        if (!reached[u->second]) {
          reached[u->second] = 1;
          queue.push_back(u->second);
        }
  }
  std::vector<int32_t> patch;
  for (size_t i = 0; i < near.size(); ++i)
    if (reached[i]) patch.push_back(near[i]);
  return patch;
}

ClosestPoint placeOn(const TriangleBvh& bvh, const Vec3& position) {
  const ClosestPoint place = bvh.closestPoint(position);
  if (place.triangle < 0)
    throw Error(ErrorCode::BadInput, "there is no surface that an impact could hit",
                "give a mesh with polygons");
  return place;
}

double planeStrainCompliance(const ElasticMaterial& m) { return (1 - m.poisson * m.poisson) / m.young; }

void checkImpact(const Impact& impact, double mass, const ElasticMaterial& material) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw Error(ErrorCode::BadInput, "an impact cannot act: " + what);
  };
  require(impact.position.allFinite(), "its position is not finite");
  require(impact.direction.allFinite() && impact.direction.norm() > 0, "its direction has no length");
  require(impact.impulse >= 0 && std::isfinite(impact.impulse), "its impulse is negative or not finite");
  require(!impact.speed || *impact.speed > 0, "its speed is not above 0");
  require(!impact.striker.mass || *impact.striker.mass > 0, "the mass of what strikes is not above 0");
  require(!impact.striker.radius || *impact.striker.radius > 0, "the radius of what strikes is not above 0");
  require(!impact.striker.material || impact.striker.material->young > 0, "what strikes has no stiffness");
  require(mass > 0 && std::isfinite(mass), "the body has no mass");
  require(material.young > 0, "the body has no stiffness");
}

}  // namespace

double hertzDuration(double mass, double modulus, double radius, double speed) {
  return kHertzDuration * std::pow(mass * mass / (modulus * modulus * radius * speed), 0.2);
}

double hertzPeakForce(double mass, double modulus, double radius, double speed) {
  const double approach =
      kHertzApproach * std::pow(mass * speed * speed / (std::sqrt(radius) * modulus), 0.4);
  return 4.0 / 3.0 * modulus * std::sqrt(radius) * std::pow(approach, 1.5);
}

double hertzPatchRadius(double force, double modulus, double radius) {
  return std::cbrt(0.75 * force * radius / modulus);
}

double effectiveMass(const MassProperties& body, double density, const Vec3& position,
                     const Vec3& direction) {
  const double mass = density * body.volume;
  const Vec3 arm = (position - body.centre).cross(direction.normalized());
  const Eigen::LDLT<Mat3> inertia(density * body.inertia);
  if (!inertia.isPositive() || !(inertia.vectorD().minCoeff() > 0)) return mass;
  return 1 / (1 / mass + arm.dot(inertia.solve(arm)));
}

double surfaceCurvature(const TriangleMesh& mesh, const TriangleBvh& bvh, const Vec3& position,
                        double reach) {
  const ClosestPoint place = placeOn(bvh, position);
  const Vec3 normal = areaVector(cornersOf(mesh, place.triangle)).normalized();
  if (!normal.allFinite() || !(reach > 0)) return 0;
  const auto patch = patchAround(mesh, bvh, place.triangle, place.point, reach, [](int32_t) { return true; });
  const auto isFlat = [&](int32_t t) {
    const Corners c = cornersOf(mesh, t);
    if (closestPointOnTriangle(place.point, c[0], c[1], c[2]).squaredDistance > reach * reach) return true;
    return std::all_of(c.begin(), c.end(), [&](const Vec3& p) {
      return std::abs(normal.dot(p - place.point)) <= kFlat * std::max(reach, (p - place.point).norm());
    });
  };
  if (std::all_of(patch.begin(), patch.end(), isFlat)) return 0;
  Eigen::Matrix<double, 3, 2> tangents;
  tangents.col(0) = normal.unitOrthogonal();
  tangents.col(1) = normal.cross(tangents.col(0));

  // Fit a |d|^2 + (n + t) . d + c = 0 with the tilt t in the tangent plane, lengths in units of the reach.
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Zero();
  Eigen::Vector4d rhs = Eigen::Vector4d::Zero();
  for (const int32_t t : patch)
    sample(cornersOf(mesh, t), place.point, reach, reach / 6, [&](const Vec3& p, double area) {
      const Vec3 d = (p - place.point) / reach;
      const double weight = area * std::max(0.0, 1 - d.squaredNorm());
      Eigen::Vector4d row;
      row << d.squaredNorm(), tangents.transpose() * d, 1;
      matrix += weight * row * row.transpose();
      rhs -= weight * normal.dot(d) * row;
    });
  if (!(matrix.trace() > 0)) return 0;
  matrix.diagonal().array() += 1e-13 * matrix.trace();
  const Eigen::Vector4d x = matrix.ldlt().solve(rhs);
  const double slope = 1 + x.segment<2>(1).squaredNorm() - 4 * x[0] * x[3];
  return slope > 0 ? 2 * x[0] / std::sqrt(slope) / reach : 0;
}

Contact resolveContact(const Impact& impact, double mass, const ElasticMaterial& material,
                       const TriangleMesh& mesh, const TriangleBvh& bvh, const ContactOptions& options) {
  checkImpact(impact, mass, material);
  const double diagonal = bvh.bounds().diagonal();
  const Striker& striker = impact.striker;
  Contact contact;
  contact.direction = impact.direction.normalized();
  contact.mass = striker.mass ? 1 / (1 / mass + 1 / *striker.mass) : mass;
  contact.speed = impact.speed.value_or(impact.impulse / (2 * contact.mass));
  double curvature = surfaceCurvature(mesh, bvh, impact.position, options.reach.value_or(diagonal / 20));
  if (striker.radius) curvature += 1 / *striker.radius;
  contact.radius = 1 / std::max(curvature, 1 / options.maxRadius.value_or(diagonal));
  const double modulus =
      1 / (planeStrainCompliance(material) + planeStrainCompliance(striker.material.value_or(material)));
  if (contact.speed > 0) {
    contact.duration = hertzDuration(contact.mass, modulus, contact.radius, contact.speed);
    contact.meanForce = impact.impulse / contact.duration;
    contact.peakForce = kHertzPeak * contact.meanForce;
  }
  contact.patchRadius =
      std::max(options.minPatchRadius, hertzPatchRadius(contact.peakForce, modulus, contact.radius));
  return contact;
}

std::vector<PointForce> contactForces(const Vec3& position, const Contact& contact, double force,
                                      const TriangleMesh& mesh, const TriangleBvh& bvh) {
  const ClosestPoint place = placeOn(bvh, position);
  const double a = contact.patchRadius;
  const auto facing = [&](int32_t t) { return areaVector(cornersOf(mesh, t)).dot(contact.direction); };
  const double side = facing(place.triangle);
  std::vector<PointForce> forces;
  double sum = 0;
  if (a > 1e-9 * bvh.bounds().diagonal()) {
    const auto patch = patchAround(mesh, bvh, place.triangle, place.point, a,
                                   [&](int32_t t) { return side == 0 || facing(t) * side > 0; });
    for (const int32_t t : patch)
      sample(cornersOf(mesh, t), place.point, a, a / 6, [&](const Vec3& p, double area) {
        const double weight = area * std::sqrt(std::max(0.0, 1 - (p - place.point).squaredNorm() / (a * a)));
        if (!(weight > 0)) return;
        forces.push_back({t, p, weight * contact.direction});
        sum += weight;
      });
  }
  if (!(sum > 0)) return {{place.triangle, place.point, force * contact.direction}};
  for (PointForce& f : forces) f.force *= force / sum;
  return forces;
}

std::vector<Vec3> tractionsOf(Span<const PointForce> forces, const TriangleMesh& mesh) {
  std::vector<Vec3> tractions(mesh.triangles.size(), Vec3::Zero());
  for (const PointForce& f : forces) {
    const double area = areaVector(cornersOf(mesh, f.triangle)).norm();
    if (area > 0) tractions[f.triangle] += f.force / area;
  }
  return tractions;
}

BalancedTractions balancedTractionsOf(Span<const PointForce> forces, const TriangleMesh& mesh) {
  return balancedTractions(mesh.points, mesh.triangles, tractionsOf(forces, mesh));
}

}  // namespace hackle
