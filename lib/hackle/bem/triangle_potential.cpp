#include <hackle/bem/triangle_potential.h>

#include <cmath>

namespace hackle {

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

PotentialValues TrianglePotential::at(const Vec3& x) const {
  // Distances to the corners
  Vec3 a[3];
  double r[3];
  for (size_t v = 0; v < 3; ++v) {
    a[v] = mCorners[v] - x;
    r[v] = a[v].norm();
  }
  const double h = -mNormal.dot(a[0]);

  // Line integrals of 1 / r along the edges, without cancellation
  PotentialValues value;
  double p[3], f[3];
  Vec3 tangential = Vec3::Zero();  // sum of outward normals times line integrals
  for (size_t v = 0; v < 3; ++v) {
    const size_t w = (v + 1) % 3;
    const double s1 = mEdges[v].dot(a[v]), s2 = mEdges[v].dot(a[w]);
    p[v] = mOutward[v].dot(a[v]);
    const double off = p[v] * p[v] + h * h;
    if (s1 >= 0)
      f[v] = std::log((r[w] + s2) / (r[v] + s1));
    else if (s2 <= 0)
      f[v] = std::log((r[v] - s1) / (r[w] - s2));
    else
      f[v] = off > 1e-290 ? std::log((r[w] + s2) * (r[v] - s1) / off) : 0.0;
    if (!std::isfinite(f[v])) f[v] = 0;
    tangential += f[v] * mOutward[v];
  }

  // Solid angle, positive on the side of the normal
  const double denominator =
      r[0] * r[1] * r[2] + a[0].dot(a[1]) * r[2] + a[0].dot(a[2]) * r[1] + a[1].dot(a[2]) * r[0];
  const double angle = 2 * std::atan2(mTwiceArea * h, denominator);

  // Combine
  value.single = p[0] * f[0] + p[1] * f[1] + p[2] * f[2] - h * angle;
  value.field = angle * mNormal + tangential;
  Mat3 t = (h * angle - value.single) * mNormal * mNormal.transpose();
  const Vec3 mixed = h * tangential;
  t += mixed * mNormal.transpose() + mNormal * mixed.transpose();
  for (size_t v = 0; v < 3; ++v) {
    const double g = 0.5 * (r[(v + 1) % 3] - r[v]);
    t -= (p[v] * f[v]) * mOutward[v] * mOutward[v].transpose();
    t -= g * (mEdges[v] * mOutward[v].transpose() + mOutward[v] * mEdges[v].transpose());
  }
  value.tensor = {
      t(0, 0) + value.single, t(1, 1) + value.single, t(2, 2) + value.single, t(0, 1), t(1, 2), t(2, 0)};
  const Vec3 from = x - mCentroid;
  for (size_t v = 0; v < 3; ++v)
    value.layer[v] = (1.0 / 3 + mGradients[v].dot(from)) * angle - h * mGradients[v].dot(tangential);
  return value;
}

}  // namespace hackle
