#include <hackle/core/pi.h>
#include <hackle/fracture/impact/pulse.h>

#include <cmath>
#include <complex>

namespace hackle {

namespace {

using Complex = std::complex<double>;

/// The two free motions: c starts at 1 with velocity -xi omega, s at 0 with velocity 1.
struct FreeMotions {
  double c, s;
  double squared;  // omega^2 (1 - xi^2), negative above critical damping
};

FreeMotions freeMotions(double omega, double xi, double t) {
  const double decay = xi * omega;
  const double squared = omega * omega * (1 - xi) * (1 + xi);
  if (squared > 0) {
    const double damped = std::sqrt(squared), e = std::exp(-decay * t);
    return {e * std::cos(damped * t), e * std::sin(damped * t) / damped, squared};
  }
  const double rate = std::sqrt(-squared);
  if (rate * t < 1) {  // also critical damping; the difference of two exponentials would cancel
    const double x = rate * t, e = std::exp(-decay * t);
    return {e * std::cosh(x), e * (x > 0 ? t * std::sinh(x) / x : t), squared};
  }
  // The slow exponent from the product of both: -xi omega + rate would cancel for large xi.
  const double fast = -(decay + rate), slow = omega * omega / fast;
  const double a = std::exp(slow * t), b = std::exp(fast * t);
  return {0.5 * (a + b), (a - b) / (2 * rate), squared};
}

/// (exp(z t) - 1) / z, also for small z.
Complex integratedExponential(const Complex& z, double t) {
  const Complex x = z * t;
  if (std::abs(x) > 0.5) return (std::exp(x) - 1.0) / z;
  Complex sum = 1, term = 1;
  for (int k = 2; k < 20; ++k) {
    term *= x / static_cast<double>(k);
    sum += term;
  }
  return t * sum;
}

/// Underdamped and near resonance, where the closed form is a difference of large numbers: the convolution of
/// exp(iut) with (exp(a t) - exp(a* t)) / (a - a*), a = -xi omega + i omega_d, term by term.
OscillatorState nearResonance(double omega, double xi, double u, double t) {
  const double damped = omega * std::sqrt((1 - xi) * (1 + xi));
  const Complex a(-xi * omega, damped), b = std::conj(a), drive(0, u);
  const Complex near = std::exp(a * t) * integratedExponential(drive - a, t);
  const Complex far = std::exp(b * t) * integratedExponential(drive - b, t);
  const Complex scale = 1.0 / Complex(0, 2 * damped);
  return {std::imag(scale * (near - far)), std::imag(scale * (a * near - b * far))};
}

}  // namespace

OscillatorState sineResponse(double omega, double xi, double u, double t) {
  const double difference = (omega - u) * (omega + u), drag = 2 * xi * omega * u;
  const double size = difference * difference + drag * drag;
  constexpr double kNear = 1e-3;  // loses three digits at most on either side
  if (xi < 0.5 && size < kNear * kNear * omega * omega * omega * omega) return nearResonance(omega, xi, u, t);
  const double A = difference / size, B = -drag / size;
  const FreeMotions free = freeMotions(omega, xi, t);
  const double decay = xi * omega, start = decay * B + A * u;
  const double cRate = -decay * free.c - free.squared * free.s, sRate = free.c - decay * free.s;
  const double sine = std::sin(u * t), cosine = std::cos(u * t);
  return {A * sine + B * cosine - B * free.c - start * free.s,
          u * (A * cosine - B * sine) - B * cRate - start * sRate};
}

FreeStep::FreeStep(double omega, double xi, double t) {
  const FreeMotions free = freeMotions(omega, xi, t);
  const double decay = xi * omega;
  qq = free.c + decay * free.s;
  qv = free.s;
  vq = -omega * omega * free.s;
  vv = free.c - decay * free.s;
}

Pulse Pulse::hertz(double duration) {
  // Least squares to the force of the Hertz impact with the impulse held exact.
  constexpr double kThird = -0.2172;
  const double first = kPi / 2 - kThird / 3;
  return {duration, {1, first / duration}, {3, kThird / duration}};
}

Pulse Pulse::halfSine(double duration) { return {duration, {1, kPi / 2 / duration}, {3, 0}}; }

double Pulse::rate(const Term& term) const { return term.waves * kPi / mDuration; }

double Pulse::force(double t) const {
  if (!(t > 0) || !(t < mDuration)) return 0;
  double sum = 0;
  for (const Term& term : mTerms) sum += term.weight * std::sin(rate(term) * t);
  return sum;
}

double Pulse::peak() const { return mTerms[0].weight - mTerms[1].weight; }

double Pulse::spectrum(double omega) const {
  // Each term gives 2 u cos(omega T / 2) / (u^2 - omega^2) around the middle of the contact.
  double sum = 0;
  for (const Term& term : mTerms) {
    const double u = rate(term), half = 0.5 * mDuration;
    const double x = 0.5 * (u - omega) * mDuration;
    // cos(omega T / 2) = +- sin((u - omega) T / 2) for odd half waves, + for 1, - for 3, + for 5, ...
    const double sign = std::fmod(term.waves, 4) < 2 ? 1 : -1;
    const double ratio = std::abs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x;
    sum += term.weight * sign * 2 * u * half * ratio / (u + omega);
  }
  return std::abs(sum);
}

OscillatorState Pulse::response(double omega, double xi, double t) const {
  OscillatorState sum;
  for (const Term& term : mTerms) {
    if (term.weight == 0) continue;
    // An odd number of half waves: the same sine, started again at the end, ends the force.
    for (const double since : {t, t - mDuration}) {
      if (!(since > 0)) continue;
      const OscillatorState state = sineResponse(omega, xi, rate(term), since);
      sum.q += term.weight * state.q;
      sum.v += term.weight * state.v;
    }
  }
  return sum;
}

}  // namespace hackle
