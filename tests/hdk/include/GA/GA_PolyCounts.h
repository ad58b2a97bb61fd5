#pragma once

#include <GA/GA_Types.h>

#include <utility>
#include <vector>

//@ class_g_a___poly_counts
class GA_PolyCounts {
 public:
  //@ class_g_a___poly_counts
  void append(GA_Size size, GA_Size count = 1) {
    if (!runs.empty() && runs.back().first == size)
      runs.back().second += count;
    else
      runs.emplace_back(size, count);
  }
  // Test double only: (size, count).
  std::vector<std::pair<GA_Size, GA_Size>> runs;
};
