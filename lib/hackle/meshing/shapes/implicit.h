// Building blocks of implicit solids. All are negative inside and change by at most 1 per metre.
#pragma once

#include <hackle/geometry/vec.h>

#include <algorithm>
#include <cmath>

namespace hackle {

/// Distance from a sphere.
inline double sphereField(const Vec3& p, const Vec3& centre, double radius) {
  return (p - centre).norm() - radius;
}

/// Zero on an ellipsoid with half-axes along x, y and z; a lower bound of the distance elsewhere.
inline double ellipsoidField(const Vec3& p, const Vec3& centre, const Vec3& halfAxes) {
  return ((p - centre).cwiseQuotient(halfAxes).norm() - 1.0) * halfAxes.minCoeff();
}

/// The hull of two spheres: a capsule whose radius changes along it.
class RoundCone {
 public:
  RoundCone(const Vec3& a, const Vec3& b, double radiusA, double radiusB)
      : mStart(a), mLength((b - a).norm()), mRadiusA(radiusA), mRadiusB(radiusB) {
    // One sphere in the other leaves the larger one.
    if (mLength <= std::abs(radiusA - radiusB)) {
      if (radiusB > radiusA) mStart = b;
      mLength = 0;
      mRadiusA = mRadiusB = std::max(radiusA, radiusB);
      return;
    }
    mAxis = (b - a) / mLength;
    mSine = (radiusA - radiusB) / mLength;
    mCosine = std::sqrt(1.0 - mSine * mSine);
  }

  /// Distance.
  double field(const Vec3& p) const {
    // In the plane through the axis and p the side is a straight line, tangent to both circles.
    const Vec3 q = p - mStart;
    const double x = q.dot(mAxis), y = std::sqrt(std::max(0.0, q.squaredNorm() - x * x));
    // Foot on the axis of the perpendicular to the side, as a multiple of the cosine.
    const double foot = x * mCosine - y * mSine;
    if (foot <= 0) return q.norm() - mRadiusA;
    if (foot >= mLength * mCosine) return (q - mLength * mAxis).norm() - mRadiusB;
    return x * mSine + y * mCosine - mRadiusA;
  }
  /// Of a sphere around it.
  Vec3 centre() const { return mStart + 0.5 * mLength * mAxis; }
  double radius() const { return 0.5 * mLength + std::max(mRadiusA, mRadiusB); }

 private:
  Vec3 mStart, mAxis = Vec3::UnitX();
  double mLength, mRadiusA, mRadiusB, mSine = 0, mCosine = 1;
};

/// Distance from an upright cylinder with rounded edges; `centre` is that of the whole.
inline double roundedCylinderField(const Vec3& p, const Vec3& centre, double radius, double halfHeight,
                                   double rounding) {
  const Vec3 q = p - centre;
  const double dr = std::hypot(q.x(), q.z()) - (radius - rounding);
  const double dy = std::abs(q.y()) - (halfHeight - rounding);
  return std::min(std::max(dr, dy), 0.0) + std::hypot(std::max(dr, 0.0), std::max(dy, 0.0)) - rounding;
}

/// Union whose crease is filled within `reach` of it; still changes by at most 1 per metre.
inline double blend(double a, double b, double reach) {
  const double h = std::max(reach - std::abs(a - b), 0.0) / reach;
  return std::min(a, b) - h * h * reach * 0.25;
}

}  // namespace hackle
