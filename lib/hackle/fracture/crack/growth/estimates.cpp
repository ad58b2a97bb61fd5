#include <hackle/core/pi.h>
#include <hackle/fracture/crack/growth/estimates.h>
#include <hackle/fracture/crack/growth/propagation.h>
#include <hackle/mechanics/stress.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

constexpr double kPenny = 0.9003163161571062;  // 2 √2 / π
constexpr double kStraight = 1.0;
constexpr double kFreeRim = 1.4;      // half a penny, free along 0.39 of its rim, is half way
constexpr double kLeastFront = 0.35;  // of the rim, for the ratio of area to front
// What is not front stiffens a crack too, where it is held shut and where it opens at a surface. How much of
// a front that is, for intensity and opening; by comparison with the full method (validation).
constexpr double kHeldFront = 0.3, kHeldRim = 0.5, kFreeFront = 0.2;
constexpr double kHinge = 1.5;
constexpr double kSteepest = 1.0 / 3.0;  // least cosine of a kink angle

/// The angle by which a front turns to have a principal direction as its normal; false if it is too steep.
bool turnsInto(const Vec3& direction, const FrontNode& frame, double& angle) {
  const double across = direction.dot(frame.normal), along = direction.dot(frame.outward);
  const double length = std::hypot(across, along);
  if (!(std::abs(across) > kSteepest * length)) return false;
  angle = std::atan2(across > 0 ? -along : along, std::abs(across));
  return true;
}

}  // namespace

CrackShape crackShape(const CrackExtent& extent) {
  CrackShape shape;
  if (!(extent.area > 0) || !(extent.front > 0)) return shape;
  const double rim = extent.front + extent.free + extent.held;
  shape.surface = std::min(1.0, kFreeRim * extent.free / rim);
  shape.radius =
      2 * extent.area /
      std::max(extent.front + kHeldFront * extent.held + kFreeFront * extent.free, kLeastFront * rim);
  const double c = kPenny + (kStraight - kPenny) * shape.surface;
  shape.factor = c * std::sqrt(kPi * shape.radius / 2);
  shape.opening =
      c * std::sqrt(kPi * extent.area / (extent.front + kHeldRim * extent.held + kFreeFront * extent.free));
  return shape;
}

std::vector<double> ringWeights(Span<const double> parts) {
  // K = 2 / √(π a) ∫ σ r dr / √(a² - r²): the area's part s has the weight ds / (2 √(1 - s)).
  std::vector<double> weights;
  double from = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double to = i + 1 < parts.size() ? 0.5 * (parts[i] + parts[i + 1]) : 1.0;
    weights.push_back(std::sqrt(1 - from) - std::sqrt(1 - to));
    from = to;
  }
  return weights;
}

double slidingRatio(double angle) {
  const double t = std::tan(0.5 * angle);
  return t / (2 * t * t - 1);
}

Vec3 estimatedIntensity(const Mat3& stress, const FrontNode& frame, const CrackShape& shape, double poisson,
                        double compressionRatio) {
  // The traction on the crack's plane gives the magnitude: a penny's factors in shear, those of a straight
  // front at a surface.
  const Vec3 traction = stress * frame.normal;
  const double slide = 2 / (2 - poisson), tear = slide * (1 - poisson);
  Vec3 k(traction.dot(frame.normal), (slide + (1 - slide) * shape.surface) * traction.dot(frame.outward),
         (tear + (1 - tear) * shape.surface) * traction.dot(frame.tangent));
  k *= shape.factor;
  const bool closing = drivingIntensity(k, compressionRatio) != k;
  k.x() = closing ? std::min(k.x(), 0.0) : std::max(k.x(), 0.0);

  // The principal plane that gives most of the tension (or compression) across the crack gives the direction.
  const PrincipalStress principal = principalStress(stress);
  std::array<int, 3> order{0, 1, 2};
  const auto across = [&](int axis) {
    return (closing ? -1 : 1) * principal.values[axis] *
           std::pow(principal.directions.col(axis).dot(frame.normal), 2);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return across(a) > across(b); });
  double angle = 0;
  for (const int axis : order)
    if (turnsInto(principal.directions.col(axis), frame, angle)) break;

  const double ratio = slidingRatio(angle), tearing = k.z() / std::sqrt(1 - poisson);
  const double forward = (closing ? -1 : 1) * effectiveIntensity(k, poisson) / std::hypot(1.0, ratio);
  const double straight = std::hypot(k.x(), tearing);
  const double opens = straight > 0 ? std::abs(k.x()) / straight : 1.0;
  const double tears = straight > 0 ? tearing / straight : 0.0;
  return {forward * opens, forward * ratio, std::abs(forward) * tears * std::sqrt(1 - poisson)};
}

Vec3 estimatedOpening(const Vec3& k, const FrontNode& frame, double distance,
                      const ElasticMaterial& material) {
  const double common = 2 * std::sqrt(2 * distance / kPi) / shearModulus(material);
  const double plane = common * (1 - material.poisson);
  return plane * (k.x() * frame.normal + k.y() * frame.outward) + common * k.z() * frame.tangent;
}

double openingProfile(double distance, double radius, double hinge) {
  return std::sqrt(std::max(0.5, 1 - 0.5 * distance / radius) * (1 + kHinge * distance * hinge));
}

}  // namespace hackle
