// Parallel loops and reductions whose results do not depend on the number of threads.
#pragma once

#include <hackle/core/context.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace hackle {

/// Calls body(begin, end) on disjoint ranges that cover [0, count), each at most `grain` long and starting at
/// a multiple of it, on the context's threads. The split does not depend on threads. Stops early and throws
/// Error(Cancelled) when the context is cancelled; passes on the exception of the lowest range that failed.
void parallelRanges(Context& context, size_t count, size_t grain,
                    const std::function<void(size_t, size_t)>& body);

/// Calls body(i) for every i in [0, count).
template <class Body>
void parallelFor(Context& context, size_t count, size_t grain, const Body& body) {
  parallelRanges(context, count, grain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) body(i);
  });
}

/// Ordered reduction: value = combine(value, map(begin, end)) over ranges in index order, so floating-point
/// sums are equal on 1 and on 64 threads.
template <class T, class Map, class Combine>
T parallelReduce(Context& context, size_t count, size_t grain, T value, const Map& map,
                 const Combine& combine) {
  grain = std::max<size_t>(grain, 1);
  std::vector<T> partial((count + grain - 1) / grain, value);
  parallelRanges(context, count, grain,
                 [&](size_t begin, size_t end) { partial[begin / grain] = map(begin, end); });
  for (T& p : partial) value = combine(std::move(value), std::move(p));
  return value;
}

/// Stable sort on the context's threads; equal to std::stable_sort.
template <class T, class Less>
void parallelStableSort(Context& context, std::vector<T>& values, const Less& less) {
  constexpr size_t kRun = 1 << 15;
  const size_t count = values.size();
  if (count <= kRun) {
    std::stable_sort(values.begin(), values.end(), less);
    return;
  }
  const auto at = [&](size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  parallelRanges(context, count, kRun,
                 [&](size_t begin, size_t end) { std::stable_sort(at(begin), at(end), less); });
  std::vector<T> merged(count);
  for (size_t width = kRun; width < count; width *= 2) {
    parallelRanges(context, count, 2 * width, [&](size_t begin, size_t end) {
      const size_t middle = std::min(begin + width, end);
      std::merge(at(begin), at(middle), at(middle), at(end),
                 merged.begin() + static_cast<std::ptrdiff_t>(begin), less);
    });
    values.swap(merged);
  }
}

}  // namespace hackle
