// Random numbers that depend only on (seed, stream id), never on threads, the platform or the standard
// library.
#pragma once

#include <cmath>
#include <cstdint>

namespace hackle {

/// A 64-bit mix with full avalanche (the finaliser of SplitMix64).
inline uint64_t mixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// One stream per thing that needs randomness: `Random(seed, pieceIndex)`. Streams of different ids are
/// independent, so the order in which threads reach them does not matter.
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t id = 0)
      : mState(mixBits(seed + 0x9e3779b97f4a7c15ULL) ^
               mixBits(id * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL)) {}

  uint64_t next() {
    mState += 0x9e3779b97f4a7c15ULL;
    return mixBits(mState);
  }
  /// Uniform in [0, 1), all 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in [0, count); count > 0. Unbiased to 2^-64.
  uint64_t below(uint64_t count) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * count) >> 64);
  }
  /// Standard normal (Box–Muller, one value a call).
  double normal() {
    const double u = 1.0 - uniform();
    const double v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  uint64_t mState;
};

}  // namespace hackle
