#include <hackle/fracture/impact/pulse.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Runge-Kutta of order four.
OscillatorState integrate(double omega, double xi, const std::function<double(double)>& force, double end,
                          int steps) {
  OscillatorState s;
  const double h = end / steps;
  const auto rate = [&](const OscillatorState& y, double t) {
    return OscillatorState{y.v, force(t) - 2 * xi * omega * y.v - omega * omega * y.q};
  };
  const auto moved = [](const OscillatorState& y, const OscillatorState& k, double by) {
    return OscillatorState{y.q + by * k.q, y.v + by * k.v};
  };
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const OscillatorState a = rate(s, t), b = rate(moved(s, a, h / 2), t + h / 2),
                          c = rate(moved(s, b, h / 2), t + h / 2), d = rate(moved(s, c, h), t + h);
    s.q += h / 6 * (a.q + 2 * b.q + 2 * c.q + d.q);
    s.v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
  }
  return s;
}

// MODAL.md section 8: response against ODE, all ratios of damping, 1e-8.
TEST(ImpactPulse, SineResponseSolvesTheEquation) {
  const double u = 1;
  for (const double omega : {0.3, 0.9, 0.9999999, 1.0, 1.0004, 2.7, 9.0})
    for (const double xi : {0.0, 1e-9, 1e-4, 0.05, 0.7, 0.9999999, 1.0, 1.0000001, 1.4, 6.0})
      for (const double t : {0.4, 3.0, 11.0}) {
        const OscillatorState exact = integrate(
            omega, xi, [&](double s) { return std::sin(u * s); }, t, 6000);
        const OscillatorState found = sineResponse(omega, xi, u, t);
        const double size = 1 / (omega * omega) + 1;
        EXPECT_NEAR(found.q, exact.q, 1e-8 * size) << omega << " " << xi << " " << t;
        EXPECT_NEAR(found.v, exact.v, 1e-8 * size) << omega << " " << xi << " " << t;
      }
}

TEST(ImpactPulse, NearResonanceIsContinuous) {
  const double t = 40;
  for (const double off : {1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 0.9e-3, 1.1e-3}) {
    const double omega = 1 + off;
    const OscillatorState found = sineResponse(omega, 0, 1, t);
    const double exact = (std::sin(t) - std::sin(omega * t) / omega) / ((omega - 1) * (omega + 1));
    const double limit = (std::sin(t) - t * std::cos(t)) / 2;
    EXPECT_NEAR(found.q, off < 1e-7 ? limit : exact, 1e-5) << off;
  }
}

TEST(ImpactPulse, PulsesHaveTheirImpulseAndResponse) {
  for (const Pulse& pulse : {Pulse::hertz(0.7), Pulse::halfSine(0.7)}) {
    double impulse = 0;
    const int steps = 20000;
    for (int i = 0; i < steps; ++i) impulse += 0.7 / steps * pulse.force(0.7 * (i + 0.5) / steps);
    EXPECT_NEAR(impulse, 1, 1e-8);
    EXPECT_EQ(pulse.force(-0.1), 0);
    EXPECT_EQ(pulse.force(0.71), 0);
    for (const double xi : {0.0, 0.02, 1.0, 2.5}) {
      // Up to the end of the contact, so that the force has no corner inside; then free.
      const auto force = [&](double t) { return t >= 0.7 ? 0.0 : pulse.force(t); };
      const OscillatorState at = integrate(5, xi, force, 0.7, 4000);
      const OscillatorState found = pulse.response(5, xi, 0.7);
      EXPECT_NEAR(found.q, at.q, 1e-8);
      const OscillatorState later = FreeStep(5, xi, 0.9)(found), direct = pulse.response(5, xi, 1.6);
      EXPECT_NEAR(later.q, direct.q, 1e-12);
      EXPECT_NEAR(later.v, direct.v, 1e-12);
    }
  }
}

// Hertz: the peak over the mean is 1.8395; the pulse has it to 3 % (MODAL.md section 3).
TEST(ImpactPulse, HertzPeak) {
  EXPECT_NEAR(Pulse::hertz(2e-4).peak() * 2e-4, 1.8395, 0.03 * 1.8395);
  EXPECT_NEAR(Pulse::halfSine(2e-4).peak() * 2e-4, kPi / 2, 1e-12);
}

// MODAL.md section 8: energy after the contact is (J spectrum)^2 / 2 per squared share, 1e-6.
TEST(ImpactPulse, EnergyAfterContact) {
  for (const Pulse& pulse : {Pulse::hertz(0.01), Pulse::halfSine(0.01)})
    for (const double x : {0.0001, 0.5, 0.9999, 1.0, 1.7, 2.0, 2.9999, 3.0, 3.3, 6.0}) {
      const double omega = x * kPi / 0.01;
      const OscillatorState s = pulse.response(omega, 0, 0.013);
      const double energy = 0.5 * (s.v * s.v + omega * omega * s.q * s.q);
      const double spectrum = pulse.spectrum(omega);
      EXPECT_NEAR(energy, 0.5 * spectrum * spectrum, 1e-6) << x;
    }
  // The closed form of the half sine: cos(pi x / 2) / (1 - x^2).
  EXPECT_NEAR(Pulse::halfSine(1).spectrum(0.5 * kPi), std::cos(kPi / 4) / 0.75, 1e-12);
  EXPECT_NEAR(Pulse::hertz(1).spectrum(1e-9), 1, 1e-9);
}

}  // namespace
}  // namespace hackle
