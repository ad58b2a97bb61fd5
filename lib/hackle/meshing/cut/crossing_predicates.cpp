#include <hackle/meshing/cut/crossing_predicates.h>

#include <hackle/core/error.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

template <class T>
std::array<T, 3> cross(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return {T(a[1] * b[2] - a[2] * b[1]), T(a[2] * b[0] - a[0] * b[2]), T(a[0] * b[1] - a[1] * b[0])};
}

template <class T>
T dot(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class T>
std::array<T, 3> difference(const ExactCoordinates& exact, const Vec3& a, const Vec3& b) {
  std::array<T, 3> d;
  for (int c = 0; c < 3; ++c) d[c] = exact.get<T>(a[c]) - exact.get<T>(b[c]);
  return d;
}

/// Sign of the volume (a, b, c, p) where plain arithmetic settles it, else 0: the error is below 8 roundings
/// of the sum of sizes of all products [Shewchuk97].
int certainSide(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 u = b - a, v = c - a, w = p - a;
  const double m[3][2] = {
      {u.y() * v.z(), u.z() * v.y()}, {u.z() * v.x(), u.x() * v.z()}, {u.x() * v.y(), u.y() * v.x()}};
  double value = 0, sizes = 0;
  for (int k = 0; k < 3; ++k) {
    value += (m[k][0] - m[k][1]) * w[k];
    sizes += (std::abs(m[k][0]) + std::abs(m[k][1])) * std::abs(w[k]);
  }
  // Below the second bound, products may have lost digits to underflow.
  if (!(std::abs(value) > 1e-15 * sizes && std::abs(value) > 1e-280)) return 0;
  return value > 0 ? 1 : -1;
}

}  // namespace

CrossingPredicates::CrossingPredicates(Span<const Vec3> surface, Span<const Vec3> partition)
    : mSurface(surface), mPartition(partition) {
  for (const Vec3& p : surface) mExact.include(p);
  for (const Vec3& p : partition) mExact.include(p);
}

template <class T>
std::array<T, 3> CrossingPredicates::normal(const Vec3& a, const Vec3& b, const Vec3& c) const {
  return cross(difference<T>(mExact, b, a), difference<T>(mExact, c, a));
}

/// Six times the volume of (a, b, c, p).
template <class T>
T CrossingPredicates::height(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) const {
  return dot(normal<T>(a, b, c), difference<T>(mExact, p, a));
}

/// Sign of v . (e, e^2, e^3), where terms(tag) gives the vector v as numbers of a kind.
template <class Terms>
int CrossingPredicates::lexicographic(const Terms& terms) const {
  const std::array<Bounded, 3> bounded = terms(Bounded());
  for (const Bounded& component : bounded) {
    const int sign = component.sign();
    if (std::abs(sign) == 1) return sign;
    if (sign == 2) break;
  }
  const std::array<ExactInt, 3> exact = terms(ExactInt());
  for (const ExactInt& component : exact)
    if (component.sign() != 0) return component.sign();
  return 0;
}

/// Side of p at the triangle (a, b, c), with p moved against the triangle by shift * d.
int CrossingPredicates::side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p, int shift) const {
  if (const int certain = certainSide(a, b, c, p)) return certain;
  int sign = height<Bounded>(a, b, c, p).sign();
  if (std::abs(sign) == 1) return sign;
  sign = height<ExactInt>(a, b, c, p).sign();
  if (sign != 0) return sign;
  sign = shift * lexicographic([&](auto tag) { return normal<decltype(tag)>(a, b, c); });
  return sign != 0 ? sign : 1;
}

int CrossingPredicates::surfacePointSide(int32_t point, const Triangle& t) const {
  return side(moved(t[0]), moved(t[1]), moved(t[2]), fixed(point), -1);
}

int CrossingPredicates::partitionPointSide(int32_t point, const Triangle& t) const {
  return side(fixed(t[0]), fixed(t[1]), fixed(t[2]), moved(point), 1);
}

bool CrossingPredicates::surfaceHasArea(const Triangle& t) const {
  return lexicographic(
             [&](auto tag) { return normal<decltype(tag)>(fixed(t[0]), fixed(t[1]), fixed(t[2])); }) != 0;
}

bool CrossingPredicates::partitionHasArea(const Triangle& t) const {
  return lexicographic(
             [&](auto tag) { return normal<decltype(tag)>(moved(t[0]), moved(t[1]), moved(t[2])); }) != 0;
}

int CrossingPredicates::edges(int32_t p, int32_t q, int32_t c, int32_t d) const {
  const auto volume = [&](auto tag) { return height<decltype(tag)>(fixed(p), fixed(q), moved(c), moved(d)); };
  if (const int certain = certainSide(fixed(p), fixed(q), moved(c), moved(d))) return certain;
  int sign = volume(Bounded()).sign();
  if (std::abs(sign) == 1) return sign;
  sign = volume(ExactInt()).sign();
  if (sign != 0) return sign;
  // (q - p) x (c - p + delta) . (d - c) changes by delta . (d - c) x (q - p).
  return lexicographic([&](auto tag) {
    using T = decltype(tag);
    return cross(difference<T>(mExact, moved(d), moved(c)), difference<T>(mExact, fixed(q), fixed(p)));
  });
}

/// The edge meets s at the part H_s(p) / (H_s(p) - H_s(q)), H the heights; the denominators do not change
/// when the edge is moved by shift * d, and H_s(p) changes by shift * d . n_s.
int CrossingPredicates::order(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& s,
                              const std::array<Vec3, 3>& t, int shift) const {
  const auto signs = [&](auto tag) {
    using T = decltype(tag);
    const T sp = height<T>(s[0], s[1], s[2], p), tp = height<T>(t[0], t[1], t[2], p);
    const T ds = sp - height<T>(s[0], s[1], s[2], q), dt = tp - height<T>(t[0], t[1], t[2], q);
    return std::array<T, 3>{T(sp * dt - tp * ds), ds, dt};
  };
  const std::array<Bounded, 3> bounded = signs(Bounded());
  if (std::all_of(bounded.begin(), bounded.end(), [](const Bounded& b) { return std::abs(b.sign()) == 1; }))
    return bounded[0].sign() * bounded[1].sign() * bounded[2].sign();
  const std::array<ExactInt, 3> exact = signs(ExactInt());
  const int directions = exact[1].sign() * exact[2].sign();
  HACKLE_ASSERT(directions != 0);
  if (exact[0].sign() != 0) return exact[0].sign() * directions;
  return directions * shift * lexicographic([&](auto tag) {
           using T = decltype(tag);
           const std::array<T, 3> ns = normal<T>(s[0], s[1], s[2]), nt = normal<T>(t[0], t[1], t[2]);
           const T ds = height<T>(s[0], s[1], s[2], p) - height<T>(s[0], s[1], s[2], q);
           const T dt = height<T>(t[0], t[1], t[2], p) - height<T>(t[0], t[1], t[2], q);
           std::array<T, 3> v;
           for (size_t c = 0; c < 3; ++c) v[c] = ns[c] * dt - nt[c] * ds;
           return v;
         });
}

int CrossingPredicates::orderAlongSurfaceEdge(int32_t p, int32_t q, const Triangle& s,
                                              const Triangle& t) const {
  return order(fixed(p), fixed(q), {moved(s[0]), moved(s[1]), moved(s[2])},
               {moved(t[0]), moved(t[1]), moved(t[2])}, -1);
}

int CrossingPredicates::orderAlongPartitionEdge(int32_t c, int32_t d, const Triangle& s,
                                                const Triangle& t) const {
  return order(moved(c), moved(d), {fixed(s[0]), fixed(s[1]), fixed(s[2])},
               {fixed(t[0]), fixed(t[1]), fixed(t[2])}, 1);
}

double CrossingPredicates::surfaceEdgeParameter(int32_t p, int32_t q, const Triangle& t) const {
  if (p > q) return 1.0 - surfaceEdgeParameter(q, p, t);
  const double hp = height<Bounded>(moved(t[0]), moved(t[1]), moved(t[2]), fixed(p)).value;
  const double hq = height<Bounded>(moved(t[0]), moved(t[1]), moved(t[2]), fixed(q)).value;
  const double width = hp - hq;
  return width != 0.0 ? std::clamp(hp / width, 0.0, 1.0) : 0.5;
}

Vec3 CrossingPredicates::surfaceTriangleParameter(const Triangle& t, int32_t c, int32_t d) const {
  if (c > d) std::swap(c, d);
  Vec3 weights;
  for (int k = 0; k < 3; ++k) {
    const int32_t p = t[(k + 1) % 3], q = t[(k + 2) % 3];
    weights[k] = height<Bounded>(fixed(p), fixed(q), moved(c), moved(d)).value;
  }
  const double total = weights.sum();
  if (total == 0.0 || !std::isfinite(1.0 / total)) return Vec3::Constant(1.0 / 3);
  weights = (weights / total).cwiseMax(0.0);
  return weights / weights.sum();
}

}  // namespace hackle
