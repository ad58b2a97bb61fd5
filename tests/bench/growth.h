// Exponents of growth, for benchmarks.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace hackle {

/// The slope of log(seconds) over log(n): the exponent of growth.
inline double slope(const std::vector<std::pair<double, double>>& samples) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [n, seconds] : samples) {
    sx += std::log(n), sy += std::log(seconds);
    sxx += std::log(n) * std::log(n), sxy += std::log(n) * std::log(seconds);
  }
  const double count = static_cast<double>(samples.size());
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

}  // namespace hackle
