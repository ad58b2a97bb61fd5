// How work grows with its size, without a clock on the wall: other programs slow that down, not this.
#pragma once

#include <algorithm>
#include <ctime>

namespace hackle::test {

/// Processor time of `large` as a multiple of that of `small`, the best of three each.
template <class Small, class Large>
double timesTheWork(const Small& small, const Large& large) {
  const auto best = [](const auto& work) {
    std::clock_t least = 0;
    for (int i = 0; i < 3; ++i) {
      const std::clock_t start = std::clock();
      work();
      const std::clock_t taken = std::clock() - start;
      least = i == 0 ? taken : std::min(least, taken);
    }
    return static_cast<double>(std::max<std::clock_t>(least, 1));
  };
  return best(large) / best(small);
}

}  // namespace hackle::test
