#include <hackle/fracture/crack/estimates.h>
#include <hackle/fracture/crack/propagation.h>
#include <hackle/mechanics/stress.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kPenny = 0.9003163161571062;  // 2 √2 / π
constexpr double kEdge = 1.1215;
constexpr double kFreeRim = 1.4;      // half a penny, free along 0.39 of its rim, is half way
constexpr double kLeastFront = 0.25;  // of the rim, for the ratio of area to front
// Sheets are held shut where they meet a surface. How much of a front that is, for intensity and opening;
// by comparison with the full method (validation).
constexpr double kHeldFront = 0.3, kHeldRim = 0.5;
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
  shape.radius = 2 * extent.area / std::max(extent.front + kHeldFront * extent.held, kLeastFront * rim);
  const double c = kPenny + (kEdge - kPenny) * shape.surface;
  shape.factor = c * std::sqrt(kPi * shape.radius / 2);
  shape.opening = c * std::sqrt(kPi * extent.area / (extent.front + kHeldRim * extent.held));
  return shape;
}

double weightedStress(Span<const StressRing> rings) {
  // K = 2 / √(π a) ∫ σ r dr / √(a² - r²): the area's part s has the weight ds / (2 √(1 - s)).
  double mean = 0, from = 0;
  for (size_t i = 0; i < rings.size(); ++i) {
    const double to = i + 1 < rings.size() ? 0.5 * (rings[i].part + rings[i + 1].part) : 1.0;
    mean += rings[i].stress * (std::sqrt(1 - from) - std::sqrt(1 - to));
    from = to;
  }
  return mean;
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

  // The nearest principal plane gives the direction, that of the greatest tension (or compression) first.
  const PrincipalStress principal = principalStress(stress);
  const std::array<int, 3> order = closing ? std::array<int, 3>{2, 1, 0} : std::array<int, 3>{0, 1, 2};
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

double openingProfile(double distance, double radius) {
  return std::sqrt(std::max(0.5, 1 - 0.5 * distance / radius));
}

}  // namespace hackle
