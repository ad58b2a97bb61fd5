#include <hackle/meshing/surface/thickness.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

/// Diameter of a ball in the solid, from the one around a place on: it goes on as long as the next is larger
/// by at least a part of the way, which balls in walls and limbs are not and those behind a ridge are.
double ballBehind(const TriangleBvh& surface, Vec3 place) {
  constexpr int kSteps = 60;
  constexpr double kStep = 0.5;   // of the radius
  constexpr double kRises = 0.3;  // sine of half the angle from which on a wedge is a ridge and no wall
  const auto awayFrom = [&](const Vec3& p, double& distance) -> Vec3 {
    const Vec3 away = p - surface.closestPoint(p).point;
    distance = away.norm();
    return distance > 0 ? Vec3(away / distance) : Vec3(Vec3::Zero());
  };
  double radius = 0;
  Vec3 away = awayFrom(place, radius);
  for (int i = 0; i < kSteps && radius > 0; ++i) {
    const double step = kStep * radius;
    double there = 0;
    Vec3 next = place + step * away, farther = awayFrom(next, there);
    if (there < radius + kRises * step) {
      // Both faces of a ridge are as near: halfway between them.
      const Vec3 between = away + farther;
      if (between.norm() < kRises) break;
      next = place + step * between.normalized();
      farther = awayFrom(next, there);
      if (there < radius + kRises * step) break;
    }
    place = next;
    away = farther;
    radius = there;
  }
  return 2 * radius;
}

}  // namespace

double solidThickness(const TriangleBvh& surface, double size, const Vec3& place, const Vec3& normal) {
  constexpr double kTilt = 0.45;  // tangent of the angle between the rays and the normal
  constexpr double kSkin = 1e-6;  // of the solid's size: rays begin this far inside
  constexpr double kSixth = 1.0471975511965976;
  const Vec3 inwards = -normal, u = inwards.unitOrthogonal(), v = inwards.cross(u);
  const Vec3 from = place + kSkin * size * inwards;
  std::array<double, 7> lengths;
  for (size_t k = 0; k < lengths.size(); ++k) {
    const double a = kSixth * static_cast<double>(k);
    const Vec3 ray = k == 0 ? inwards : (inwards + kTilt * (std::cos(a) * u + std::sin(a) * v)).normalized();
    const std::optional<RayHit> hit = surface.firstHit({from, ray});
    lengths[k] = hit ? hit->t : std::numeric_limits<double>::infinity();
  }
  std::sort(lengths.begin(), lengths.end());
  constexpr double kUneven = 1.25;  // rays across walls and limbs are of about the same length
  if (!(lengths[6] > kUneven * lengths[3])) return lengths[3];
  return std::max(lengths[3], ballBehind(surface, from + 0.5 * lengths[3] * inwards));
}

}  // namespace hackle
