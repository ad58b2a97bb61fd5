// Well-spread sample points in the unit square.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hackle {

/// The first points of the (0, 2)-sequence of van der Corput and Sobol; a pixel scrambles them with random
/// bits of its own, which keeps them well spread.
class SamplePattern {
 public:
  explicit SamplePattern(int count) {
    for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
      uint32_t corput = 0, sobol = 0;
      uint32_t bit = 1u << 31, direction = 1u << 31;
      for (uint32_t rest = i; rest; rest >>= 1, bit >>= 1, direction ^= direction >> 1)
        if (rest & 1u) corput ^= bit, sobol ^= direction;
      mPoints.emplace_back(corput, sobol);
    }
  }
  /// Point i, both coordinates in [0, 1), scrambled by the two halves of `scramble`.
  std::pair<float, float> point(int i, uint64_t scramble) const {
    const auto& [u, v] = mPoints[i];
    return {unit(u ^ static_cast<uint32_t>(scramble)), unit(v ^ static_cast<uint32_t>(scramble >> 32))};
  }

 private:
  static float unit(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
  std::vector<std::pair<uint32_t, uint32_t>> mPoints;
};

}  // namespace hackle
