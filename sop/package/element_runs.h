// Elements of a detail in the order of a Geometry, by the offsets that Houdini has for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hackle::houdini {

/// Offsets as runs of consecutive ones: a million points are one run as a rule.
class ElementRuns {
 public:
  struct Run {
    int64_t start, count;
  };
  void add(int64_t offset, int64_t count = 1);
  const std::vector<Run>& runs() const { return mRuns; }
  size_t size() const { return mSize; }

  /// Number of an element from its offset; -1 for elements that were left out. Of elements with the same
  /// offset (polygons of a soup) the last. One longer than the largest offset asks for.
  std::vector<int32_t> numbers() const;
  /// The flags of the elements, given by offset.
  std::vector<uint8_t> inOrder(const std::vector<uint8_t>& byOffset) const;
  /// Pairs of `input` and offset, element after element.
  std::vector<int64_t> origins(int64_t input) const;

 private:
  std::vector<Run> mRuns;
  size_t mSize = 0;
};

}  // namespace hackle::houdini
