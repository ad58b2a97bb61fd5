// Numbers for predicates: a double with an error bound, and an exact integer. Polynomials are written once,
// as templates, and evaluated first with bounds, then exactly where the bounds leave the sign open.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <hackle/geometry/vec.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

namespace hackle {

using ExactInt = boost::multiprecision::cpp_int;

/// A value and a bound on its absolute error, kept by every operation (rounding of the bound itself
/// included).
struct Bounded {
  double value = 0.0;
  double error = 0.0;

  Bounded() = default;
  Bounded(double v, double e = 0.0) : value(v), error(e) {}

  /// -1, 0 or 1 if certain; 2 if the sign is open.
  int sign() const {
    return value > error ? 1 : value < -error ? -1 : (value == 0.0 && error == 0.0) ? 0 : 2;
  }
};

namespace detail {
constexpr double kRound = 0x1p-53;        // unit roundoff
constexpr double kSlack = 1.0 + 0x1p-49;  // for the rounding of error bounds
}  // namespace detail

inline Bounded operator-(const Bounded& a) { return {-a.value, a.error}; }
inline Bounded operator+(const Bounded& a, const Bounded& b) {
  const double v = a.value + b.value;
  return {v, (a.error + b.error + detail::kRound * std::abs(v)) * detail::kSlack};
}
inline Bounded operator-(const Bounded& a, const Bounded& b) { return a + (-b); }
inline Bounded operator*(const Bounded& a, const Bounded& b) {
  const double v = a.value * b.value;
  return {v, (std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
              detail::kRound * std::abs(v)) *
                     detail::kSlack +
                 DBL_MIN};
}

template <class T>
T determinant2(const T& a, const T& b, const T& c, const T& d) {
  return a * d - b * c;
}

/// Rows a, b, c.
template <class T>
T determinant3(const T (&a)[3], const T (&b)[3], const T (&c)[3]) {
  return a[0] * determinant2(b[1], b[2], c[1], c[2]) - a[1] * determinant2(b[0], b[2], c[0], c[2]) +
         a[2] * determinant2(b[0], b[1], c[0], c[1]);
}

/// Coordinates as numbers of either kind: doubles as they are, or whole multiples of the finest unit that any
/// of the included ones needs.
class ExactCoordinates {
 public:
  void include(const Vec3& p) {
    for (int c = 0; c < 3; ++c) {
      const auto [mantissa, exponent] = split(p[c]);
      if (mantissa != 0) mShift = std::max(mShift, -exponent);
    }
  }
  template <class T>
  T get(double x) const {
    if constexpr (std::is_same_v<T, Bounded>) {
      return Bounded(x);
    } else {
      const auto [mantissa, exponent] = split(x);
      return mantissa == 0 ? ExactInt(0) : ExactInt(ExactInt(mantissa) << (exponent + mShift));
    }
  }

 private:
  /// A whole mantissa (odd or zero) and its power of two: x = mantissa * 2^exponent.
  static std::pair<int64_t, int> split(double x) {
    if (x == 0.0) return {0, 0};
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    const int64_t mantissa = static_cast<int64_t>(std::ldexp(fraction, 53));
    const int zeros = __builtin_ctzll(static_cast<unsigned long long>(mantissa < 0 ? -mantissa : mantissa));
    return {mantissa / (int64_t(1) << zeros), exponent - 53 + zeros};
  }

  int mShift = 0;  // coordinates times 2^mShift are whole numbers
};

}  // namespace hackle
