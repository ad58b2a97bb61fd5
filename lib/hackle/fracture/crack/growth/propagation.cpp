#include <hackle/core/pi.h>
#include <hackle/fracture/crack/growth/propagation.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// Where the turned intensity falls to the toughness between two angles, from above at `inside`.
double crossing(double forward, double sliding, double toughness, double inside, double outside) {
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (inside + outside);
    (turnedIntensity(forward, sliding, middle) >= toughness ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

double effectiveIntensity(const Vec3& k, double poisson) {
  return std::sqrt(k.x() * k.x() + k.y() * k.y() + k.z() * k.z() / (1 - poisson));
}

double energyReleaseRate(const Vec3& k, double young, double poisson) {
  const double effective = effectiveIntensity(k, poisson);
  return (1 - poisson * poisson) * effective * effective / young;
}

double frontSpeed(double effective, double toughness, double rayleighSpeed) {
  if (!(effective > toughness)) return 0.0;
  const double ratio = toughness / effective;
  return rayleighSpeed * (1 - ratio * ratio);
}

double forwardIntensity(const Vec3& k, double poisson) {
  return std::sqrt(k.x() * k.x() + k.z() * k.z() / (1 - poisson));
}

double turnedIntensity(double forward, double sliding, double angle) {
  const double c = std::cos(0.5 * angle), s = std::sin(0.5 * angle);
  return c * c * (forward * c - 3 * sliding * s);
}

double kinkAngle(double forward, double sliding) {
  // Equal to 2 atan((K - sqrt(K^2 + 8 K_II^2)) / (4 K_II)), without cancellation for small K_II.
  const double root = std::sqrt(forward * forward + 8 * sliding * sliding);
  if (!(forward + root > 0)) return 0.0;
  return 2 * std::atan(-2 * sliding / (forward + root));
}

Vec3 drivingIntensity(const Vec3& k, double compressionRatio) {
  // Extremes of K_I cos^3 - 3 K_II cos^2 sin over all angles in (-pi, pi). Its derivative vanishes where
  // tan(a/2) solves 2 K_II t^2 - K_I t - K_II = 0: one root is the greatest, the other the least value.
  const double one = k.x(), two = k.y();
  const double root = std::sqrt(one * one + 8 * two * two);
  double most = 0, least = 0;
  for (const double sign : {1.0, -1.0}) {
    const double t = two != 0 ? (one + sign * root) / (4 * two) : 0.0;
    const double value = turnedIntensity(one, two, 2 * std::atan(t));
    most = std::max(most, value);
    least = std::min(least, value);
  }
  if (most < -least / compressionRatio) return -k / compressionRatio;
  return k;
}

AngleRange validAngles(double forward, double sliding, double toughness) {
  const double best = kinkAngle(forward, sliding);
  AngleRange range{best, best};
  if (!(turnedIntensity(forward, sliding, best) > toughness)) return range;
  // Away from its maximum the function falls up to pi on the side of the sign change and reaches 0 there.
  range.high = crossing(forward, sliding, toughness, best, kPi);
  range.low = crossing(forward, sliding, toughness, best, -kPi);
  return range;
}

double steeredAngle(double best, const AngleRange& valid, double along, double across, double toughness,
                    double length) {
  const double slope = std::hypot(along, across);
  if (slope <= 0) return best;
  const double downhill = std::atan2(-across, -along);
  // The nearest on the circle: the range is shorter than a turn, so one of its ends if it is outside.
  double nearest = std::clamp(downhill, valid.low, valid.high);
  if (nearest != downhill) {
    const auto apart = [&](double a) { return std::abs(std::remainder(a - downhill, 2 * kPi)); };
    nearest = apart(valid.low) < apart(valid.high) ? valid.low : valid.high;
  }
  const double weight = 1 / (1 + slope * length / toughness);
  return weight * best + (1 - weight) * nearest;
}

}  // namespace hackle
