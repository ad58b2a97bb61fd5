#include <sop/package/element_runs.h>

#include <algorithm>

namespace hackle::houdini {

void ElementRuns::add(int64_t offset, int64_t count) {
  if (mRuns.empty() || mRuns.back().start + mRuns.back().count != offset)
    mRuns.push_back({offset, count});
  else
    mRuns.back().count += count;
  mSize += static_cast<size_t>(count);
}

std::vector<int32_t> ElementRuns::numbers() const {
  int64_t capacity = 0;
  for (const Run& run : mRuns) capacity = std::max(capacity, run.start + run.count);
  std::vector<int32_t> table(static_cast<size_t>(capacity) + 1, -1);
  int32_t number = 0;
  for (const Run& run : mRuns)
    for (int64_t i = 0; i < run.count; ++i) table[run.start + i] = number++;
  return table;
}

std::vector<uint8_t> ElementRuns::inOrder(const std::vector<uint8_t>& byOffset) const {
  std::vector<uint8_t> flags;
  flags.reserve(mSize);
  for (const Run& run : mRuns)
    flags.insert(flags.end(), byOffset.begin() + run.start, byOffset.begin() + run.start + run.count);
  return flags;
}

std::vector<int64_t> ElementRuns::origins(int64_t input) const {
  std::vector<int64_t> pairs;
  pairs.reserve(2 * mSize);
  for (const Run& run : mRuns)
    for (int64_t i = 0; i < run.count; ++i) pairs.insert(pairs.end(), {input, run.start + i});
  return pairs;
}

}  // namespace hackle::houdini
