#include <hackle/bem/triangle_potential.h>
#include <hackle/core/pi.h>

#include <cmath>

namespace hackle {

namespace {

Lanes4 dot(const Vec3& a, const Lanes4 (&b)[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Lanes4 dot(const Lanes4 (&a)[3], const Lanes4 (&b)[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

Lanes4 angleOf(const Lanes4& y, const Lanes4& x) {
  // Ratio of the smaller to the larger, turned by 45 degrees where it is near one
  const Lanes4 ax = x.abs(), ay = y.abs();
  const Lanes4 small = ax.min(ay), large = ax.max(ay).max(1e-300);
  const auto turned = small > 0.66 * large;
  const Lanes4 t = turned.select(small - large, small) / turned.select(small + large, large);

  // Rational approximation on |t| <= 0.66 [Moshier89]
  const Lanes4 z = t * t;
  const Lanes4 p =
      (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z -
       1.228866684490136173410e2) *
          z -
      6.485021904942025371773e1;
  const Lanes4 q =
      ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) *
           z +
       4.853903996359136964868e2) *
          z +
      1.945506571482613964425e2;
  Lanes4 angle = t + t * (z * p / q);
  angle += turned.select(Lanes4::Constant(kPi / 4), Lanes4::Zero());
  angle = (ay > ax).select(kPi / 2 - angle, angle);
  angle = (x < 0).select(kPi - angle, angle);
  return (y < 0).select(-angle, angle);
}

TrianglePotential::TrianglePotential(const Vec3& p0, const Vec3& p1, const Vec3& p2, const Vec3& normal,
                                     double area)
    : mCorners{p0, p1, p2},
      mNormal(normal),
      mCentroid(p0 + ((p1 - p0) + (p2 - p0)) / 3),
      mTwiceArea(2 * area) {
  for (size_t v = 0; v < 3; ++v) {
    const Vec3 edge = mCorners[(v + 1) % 3] - mCorners[v];
    mEdges[v] = edge.normalized();
    mOutward[v] = mEdges[v].cross(normal);
    mGradients[(v + 2) % 3] = normal.cross(edge) / mTwiceArea;
  }
}

PotentialLanes TrianglePotential::at(const Lanes4 (&x)[3]) const {
  // Distances to the corners
  Lanes4 a[3][3], r[3];
  for (size_t v = 0; v < 3; ++v) {
    for (size_t k = 0; k < 3; ++k) a[v][k] = mCorners[v][k] - x[k];
    r[v] = dot(a[v], a[v]).sqrt();
  }
  const Lanes4 h = -dot(mNormal, a[0]);

  // Line integrals f of 1 / r along the edges, without cancellation, and p the distances from their lines
  PotentialLanes value;
  Lanes4 tangential[3] = {Lanes4::Zero(), Lanes4::Zero(), Lanes4::Zero()};  // Σ outward f
  Lanes4 planar[6];                                                         // Σ p f outward outwardᵀ + ...
  for (Lanes4& t : planar) t.setZero();
  value.single.setZero();
  for (size_t v = 0; v < 3; ++v) {
    const size_t w = (v + 1) % 3;
    const Vec3 &e = mEdges[v], &o = mOutward[v];
    const Lanes4 s1 = dot(e, a[v]), s2 = dot(e, a[w]), p = dot(o, a[v]);
    const Lanes4 ends1 = (s1 >= 0).select(r[v] + s1, r[v] - s1),
                 ends2 = (s2 > 0).select(r[w] + s2, r[w] - s2);
    const auto ahead = s1 >= 0;
    const auto behind = s2 <= 0;
    const Lanes4 above = ahead.select(ends2, behind.select(ends1, ends1 * ends2));
    const Lanes4 below = ahead.select(ends1, behind.select(ends2, p * p + h * h));
    const Lanes4 f = (below > 1e-290).select((above / below.max(1e-290)).log(), Lanes4::Zero());
    const Lanes4 pf = p * f, g = 0.5 * (r[w] - r[v]);
    value.single += pf;
    for (size_t k = 0; k < 3; ++k) tangential[k] += o[k] * f;
    planar[0] += o[0] * (o[0] * pf + (2 * e[0]) * g);
    planar[1] += o[1] * (o[1] * pf + (2 * e[1]) * g);
    planar[2] += o[2] * (o[2] * pf + (2 * e[2]) * g);
    planar[3] += (o[0] * o[1]) * pf + (o[0] * e[1] + o[1] * e[0]) * g;
    planar[4] += (o[1] * o[2]) * pf + (o[1] * e[2] + o[2] * e[1]) * g;
    planar[5] += (o[2] * o[0]) * pf + (o[2] * e[0] + o[0] * e[2]) * g;
  }

  // Solid angle, positive on the side of the normal
  const Lanes4 angle = 2 * angleOf(mTwiceArea * h, r[0] * r[1] * r[2] + dot(a[0], a[1]) * r[2] +
                                                       dot(a[0], a[2]) * r[1] + dot(a[1], a[2]) * r[0]);
  value.single -= h * angle;

  // Combine
  const Lanes4 normal2 = h * angle - value.single;
  constexpr Eigen::Index kFirst[6] = {0, 1, 2, 0, 1, 2}, kSecond[6] = {0, 1, 2, 1, 2, 0};
  for (size_t k = 0; k < 6; ++k) {
    const double n1 = mNormal[kFirst[k]], n2 = mNormal[kSecond[k]];
    value.tensor[k] =
        (n1 * n2) * normal2 + h * (n1 * tangential[kSecond[k]] + n2 * tangential[kFirst[k]]) - planar[k];
    if (k < 3) value.tensor[k] += value.single;
  }
  for (size_t k = 0; k < 3; ++k) value.field[k] = mNormal[k] * angle + tangential[k];
  for (size_t v = 0; v < 3; ++v) {
    const Vec3& gradient = mGradients[v];
    const Lanes4 from = gradient[0] * (x[0] - mCentroid[0]) + gradient[1] * (x[1] - mCentroid[1]) +
                        gradient[2] * (x[2] - mCentroid[2]);
    value.layer[v] = (1.0 / 3 + from) * angle - h * dot(gradient, tangential);
  }
  return value;
}

}  // namespace hackle
