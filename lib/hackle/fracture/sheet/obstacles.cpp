#include <hackle/fracture/sheet/obstacles.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

/// Barrier b(d) = -k (d - r)^2 ln(d / r) / r for d < r, with its first two derivatives.
struct Barrier {
  double b = 0, db = 0, ddb = 0;
  Barrier(const ContactModel& model, double d) {
    const double r = model.reach, k = model.stiffness / r;
    if (d >= r) return;
    if (d <= 0) {
      b = std::numeric_limits<double>::infinity();
      return;
    }
    const double l = std::log(d / r), q = d - r;
    b = -k * q * q * l;
    db = -k * (2 * q * l + q * q / d);
    ddb = -k * (2 * l + 4 * q / d - q * q / (d * d));
  }
};

}  // namespace

double barrierEnergy(const ContactModel& model, double distance) { return Barrier(model, distance).b; }
double barrierForce(const ContactModel& model, double distance) { return -Barrier(model, distance).db; }
double barrierStiffness(const ContactModel& model, double distance) { return Barrier(model, distance).ddb; }

double obstacleDistance(const SheetObstacle& o, const Vec3& point, double maxDistance, Vec3& away) {
  switch (o.shape) {
    case SheetObstacle::Shape::Plane:
      away = o.normal;
      return (point - o.position).dot(o.normal);
    case SheetObstacle::Shape::Ball: {
      const Vec3 d = point - o.position;
      const double r = d.norm();
      away = r > 0 ? Vec3(d / r) : Vec3(0, 1, 0);
      return r - o.radius;
    }
    case SheetObstacle::Shape::Mesh:
      break;
  }
  // The nearest point; the side is that of the line from it, by counting crossings.
  const Vec3 local = point - o.position;
  const ClosestPoint nearest = o.surface->closestPoint(local, maxDistance);
  away = Vec3(0, 1, 0);
  if (nearest.triangle < 0) return maxDistance;
  const Vec3 d = local - nearest.point;
  const double r = d.norm();
  Ray ray;
  ray.origin = local;
  ray.direction = Vec3(0.5773, 0.5774, 0.5775);
  const bool inside = o.surface->allHits(ray).size() % 2 == 1;
  if (r > 0) away = (inside ? -1.0 : 1.0) * d / r;
  return inside ? -r : r;
}

void addContact(const SheetObstacle& o, const ContactModel& model, double halfThickness, const Vec3& x,
                const Vec3& before, double dt, double lagged, ContactResponse& response) {
  if (o.shape == SheetObstacle::Shape::Mesh) return;
  Vec3 n;
  const double d = obstacleDistance(o, x, 2 * (model.reach + halfThickness), n) - halfThickness;
  if (d >= model.reach) return;
  const Barrier barrier(model, d);
  response.energy += barrier.b;
  response.gradient += barrier.db * n;
  response.hessian += barrier.ddb * n * n.transpose();
  if (!(model.friction > 0) || !(lagged > 0) || !std::isfinite(dt)) return;

  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
  response.energy += frictionEnergy(model, lagged, n, x - before - dt * o.velocity, dt, gradient, &hessian);
  response.gradient += gradient;
  response.hessian += hessian;
}

double frictionEnergy(const ContactModel& model, double force, const Vec3& normal, const Vec3& move,
                      double dt, Vec3& gradient, Mat3* hessian) {
  const Vec3 tangent = move - normal.dot(move) * normal;
  const double s = tangent.norm(), eps = model.slip * dt;
  const double f = model.friction * force;
  const Mat3 plane = Mat3::Identity() - normal * normal.transpose();
  if (s >= eps) {
    gradient = f / s * tangent;
    if (hessian) *hessian = f / s * (plane - tangent * tangent.transpose() / (s * s));
    return f * s;
  }
  gradient = f * (-s / (eps * eps) + 2 / eps) * tangent;
  if (hessian) *hessian = f * (-s / (eps * eps) + 2 / eps) * plane;
  return f * (-s * s * s / (3 * eps * eps) + s * s / eps + eps / 3);
}

double freeMove(const SheetObstacle& o, double halfThickness, const Vec3& x, const Vec3& move) {
  // Keep a tenth of the gap: the barrier needs room.
  constexpr double kKeep = 0.9;
  const double length = move.norm();
  if (!(length > 0)) return 1.0;
  switch (o.shape) {
    case SheetObstacle::Shape::Plane: {
      const double gap = (x - o.position).dot(o.normal) - halfThickness;
      const double closing = -move.dot(o.normal);
      return closing > kKeep * gap ? kKeep * gap / closing : 1.0;
    }
    case SheetObstacle::Shape::Ball: {
      const Vec3 d = x - o.position;
      const double r = o.radius + halfThickness;
      const double gap = d.norm() - r;
      const double a = move.squaredNorm(), b = d.dot(move), c = d.squaredNorm() - r * r;
      const double root = b * b - a * c;
      if (b >= 0 || root < 0 || gap <= 0) return 1.0;
      return std::min(1.0, kKeep * (c / (-b + std::sqrt(root))));
    }
    case SheetObstacle::Shape::Mesh:
      break;
  }
  return 1.0;
}

}  // namespace hackle
