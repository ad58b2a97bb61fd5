// The force of a contact over time, and how a damped oscillator answers it. Both in closed form.
#pragma once

#include <array>

namespace hackle {

/// Displacement and velocity of an oscillator.
struct OscillatorState {
  double q = 0;  // m kg^1/2 for modes that are orthonormal in mass
  double v = 0;  // the same per second
};

/// Answer at time t >= 0 (s) of q'' + 2 xi omega q' + omega^2 q = sin(u t), at rest before: README eq. 4. All
/// damping ratios xi >= 0, below, at and above 1, and resonance; omega and u above 0, in rad/s.
OscillatorState sineResponse(double omega, double xi, double u, double t);

/// Free motion over a time t (s) without force: a linear map of states, the same for all equal times.
struct FreeStep {
  FreeStep(double omega, double xi, double t);
  OscillatorState operator()(const OscillatorState& start) const {
    return {qq * start.q + qv * start.v, vq * start.q + vv * start.v};
  }
  double qq, qv, vq, vv;
};

/// The shape of a contact force: a sum of sines with an odd number of half waves on [0, duration]. Unit
/// impulse.
class Pulse {
 public:
  /// The force between two elastic spheres [Johnson85] to 3 % of its peak: 1.6432 sin ut - 0.2172 sin 3ut,
  /// over the duration; u = pi / duration.
  static Pulse hertz(double duration);
  /// The half sine of [Glondu12].
  static Pulse halfSine(double duration);

  double duration() const { return mDuration; }
  /// 1/s: force over impulse. 0 outside the contact.
  double force(double t) const;
  /// 1/s, the largest force over impulse.
  double peak() const;
  /// |integral of force(t) exp(-i omega t) dt|: 1 at 0. An undamped mode is left with the energy
  /// (p J spectrum(omega))^2 / 2 after an impulse J whose share in the mode is p.
  double spectrum(double omega) const;
  /// Answer of an oscillator to the pulse at any time, before, during and after it.
  OscillatorState response(double omega, double xi, double t) const;

 private:
  struct Term {
    double waves;   // half waves in the duration, odd
    double weight;  // 1/s
  };
  Pulse(double duration, const Term& first, const Term& second)
      : mDuration(duration), mTerms{first, second} {}
  double rate(const Term& term) const;

  double mDuration;  // s
  std::array<Term, 2> mTerms;
};

}  // namespace hackle
