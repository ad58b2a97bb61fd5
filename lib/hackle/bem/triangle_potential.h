// Exact integrals of the elastic kernels over one triangle, seen from four points at a time.
#pragma once

#include <hackle/geometry/vec.h>

#include <array>

namespace hackle {

/// One number for each of four points.
using Lanes4 = Eigen::Array<double, 4, 1>;

/// Integrals over a triangle of y, with d = x - y, r = |d|. README eq. 7.
struct PotentialLanes {
  Lanes4 single;     // 1 / r
  Lanes4 field[3];   // d / r³
  Lanes4 tensor[6];  // d dᵀ / r³: xx, yy, zz, xy, yz, zx
  Lanes4 layer[3];   // d·n φ_v / r³, φ_v the hat functions
};

/// A flat triangle whose potentials are evaluated in closed form [Wilton84]. Right at any distance down to
/// the triangle itself, where `layer` and the normal part of `field` jump (the value belongs to the side that
/// rounding puts the point on) and the tangential part of `field` is infinite on edges (the infinite term is
/// left out there).
class TrianglePotential {
 public:
  TrianglePotential() = default;
  TrianglePotential(const Vec3& p0, const Vec3& p1, const Vec3& p2, const Vec3& normal, double area);
  PotentialLanes at(const Lanes4 (&x)[3]) const;

 private:
  std::array<Vec3, 3> mCorners, mEdges, mOutward, mGradients;  // edge v from corner v to v + 1
  Vec3 mNormal, mCentroid;
  double mTwiceArea = 0;
};

/// atan2(y, x) for each lane, to the last bit or two; 0 for (0, 0).
Lanes4 angleOf(const Lanes4& y, const Lanes4& x);

}  // namespace hackle
