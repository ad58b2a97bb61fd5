// A map from pairs of numbers to values, for the many small questions of growing cracks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hackle {

/// Open addressing, never shrinks, no removal. Pairs are of numbers from 0 on.
template <class Value>
class PairTable {
 public:
  PairTable() : mSlots(64) {}

  /// Null if the pair is not there. Pointers hold until the next `set`.
  Value* find(int32_t a, int32_t b) {
    Slot& slot = mSlots[locate(key(a, b))];
    return slot.key == kFree ? nullptr : &slot.value;
  }
  const Value* find(int32_t a, int32_t b) const { return const_cast<PairTable*>(this)->find(a, b); }

  void set(int32_t a, int32_t b, Value value) {
    if (2 * (mCount + 1) > mSlots.size()) grow();
    Slot& slot = mSlots[locate(key(a, b))];
    if (slot.key == kFree) ++mCount;
    slot = {key(a, b), std::move(value)};
  }
  size_t size() const { return mCount; }

 private:
  static constexpr uint64_t kFree = ~uint64_t(0);
  struct Slot {
    uint64_t key = kFree;
    Value value{};
  };
  static uint64_t key(int32_t a, int32_t b) {
    return static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 | static_cast<uint32_t>(b);
  }
  size_t locate(uint64_t k) const {
    const size_t mask = mSlots.size() - 1;
    size_t at = static_cast<size_t>((k * 0x9e3779b97f4a7c15ULL) >> 20) & mask;
    while (mSlots[at].key != kFree && mSlots[at].key != k) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * mSlots.size());
    old.swap(mSlots);
    for (Slot& slot : old)
      if (slot.key != kFree) mSlots[locate(slot.key)] = std::move(slot);
  }

  std::vector<Slot> mSlots;
  size_t mCount = 0;
};

}  // namespace hackle
