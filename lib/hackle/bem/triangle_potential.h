// Exact integrals of the elastic kernels over one triangle, seen from a point.
#pragma once

#include <hackle/geometry/vec.h>

#include <array>

namespace hackle {

/// Integrals over a triangle of y, with d = x - y, r = |d|. README eq. 7.
struct PotentialValues {
  double single = 0;               // 1 / r
  Vec3 field = Vec3::Zero();       // d / r³
  std::array<double, 6> tensor{};  // d dᵀ / r³: xx, yy, zz, xy, yz, zx
  std::array<double, 3> layer{};   // d·n φ_v / r³, φ_v the hat functions
};

/// A flat triangle whose potentials are evaluated in closed form [Wilton84]. Right at any distance down to
/// the triangle itself, where `layer` and the normal part of `field` jump (0 is not returned on the face:
/// the value belongs to the side that rounding puts the point on) and the tangential part of `field` is
/// infinite on edges (the infinite term is left out there).
class TrianglePotential {
 public:
  TrianglePotential() = default;
  TrianglePotential(const Vec3& p0, const Vec3& p1, const Vec3& p2, const Vec3& normal, double area);
  PotentialValues at(const Vec3& x) const;
  /// Only 1 / r, d / r³ and d·n φ / r³.
  double signedHeight(const Vec3& x) const { return mNormal.dot(x - mCorners[0]); }

 private:
  std::array<Vec3, 3> mCorners, mEdges, mOutward, mGradients;  // edge v from corner v to v + 1
  Vec3 mNormal, mCentroid;
  double mTwiceArea = 0;
};

}  // namespace hackle
