// Squared distances to planes, added up.
#pragma once

#include <hackle/geometry/vec.h>

#include <optional>

namespace hackle {

/// q(x) = x^T A x + 2 b^T x + c, with A symmetric and positive semi-definite.
struct Quadric {
  Mat3 a = Mat3::Zero();
  Vec3 b = Vec3::Zero();
  double c = 0;

  /// weight (n . x - d)^2 for a unit normal n.
  static Quadric plane(const Vec3& n, double d, double weight) {
    return {weight * n * n.transpose(), -weight * d * n, weight * d * d};
  }
  /// weight |x - p|^2
  static Quadric point(const Vec3& p, double weight) {
    return {weight * Mat3::Identity(), -weight * p, weight * p.squaredNorm()};
  }
  Quadric& operator+=(const Quadric& o) {
    a += o.a;
    b += o.b;
    c += o.c;
    return *this;
  }
  double operator()(const Vec3& x) const { return x.dot(a * x) + 2.0 * b.dot(x) + c; }
  /// Where q is smallest, if that is one point that rounding does not blur.
  std::optional<Vec3> minimum() const {
    const double scale = a.trace() / 3.0;
    const double determinant = a.determinant();
    if (!(determinant > 1e-8 * scale * scale * scale)) return std::nullopt;
    return Vec3(-(a.inverse() * b));
  }
};

}  // namespace hackle
