// Disjoint sets of the numbers 0 to n - 1.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace hackle {

/// Sets are named by their smallest member, so the names do not depend on the order of unions.
class UnionFind {
 public:
  explicit UnionFind(size_t size) : mParent(size) { std::iota(mParent.begin(), mParent.end(), 0); }

  int32_t find(int32_t i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  void unite(int32_t a, int32_t b) {
    a = find(a);
    b = find(b);
    if (a > b) std::swap(a, b);
    at(b) = a;
  }

 private:
  int32_t& at(int32_t i) { return mParent[i]; }
  std::vector<int32_t> mParent;
};

}  // namespace hackle
