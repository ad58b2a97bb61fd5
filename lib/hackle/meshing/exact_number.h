// Numbers for predicates: a double with an error bound, and an exact integer. Polynomials are written once,
// as templates, and evaluated first with bounds, then exactly where the bounds leave the sign open.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <cfloat>
#include <cmath>

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

inline int signOf(const ExactInt& a) { return a.sign(); }

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

}  // namespace hackle
