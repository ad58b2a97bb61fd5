// Different triples of numbers, in the order in which they first appear.
#pragma once

#include <hackle/geometry/vec.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace hackle {

/// Welds exactly: 0 and -0 are equal (the first one stays), a nan equals only the same bits. Amortised
/// constant time.
class UniqueTriples {
 public:
  /// The index of this triple in `values`, where it is added if it is new.
  int32_t add(const Vec3& value) {
    if (2 * (mValues.size() + 1) > mSlots.size()) grow();
    const Bits bits = bitsOf(value);
    size_t slot = hash(bits) & (mSlots.size() - 1);
    while (mSlots[slot] >= 0) {
      if (bitsOf(mValues[mSlots[slot]]) == bits) return mSlots[slot];
      slot = (slot + 1) & (mSlots.size() - 1);
    }
    mSlots[slot] = static_cast<int32_t>(mValues.size());
    mValues.push_back(value);
    return mSlots[slot];
  }
  const std::vector<Vec3>& values() const { return mValues; }
  std::vector<Vec3> takeValues() { return std::move(mValues); }

 private:
  using Bits = std::array<uint64_t, 3>;
  static Bits bitsOf(const Vec3& value) {
    const Vec3 v = value + Vec3::Zero();  // -0 + 0 is 0
    Bits bits;
    std::memcpy(bits.data(), v.data(), sizeof bits);
    return bits;
  }
  static size_t hash(const Bits& bits) {
    uint64_t h = 0;
    for (const uint64_t b : bits) {
      h = (h ^ b) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return static_cast<size_t>(h);
  }
  void grow() {
    mSlots.assign(mSlots.empty() ? 64 : 4 * mSlots.size(), -1);
    for (size_t i = 0; i < mValues.size(); ++i) {
      size_t slot = hash(bitsOf(mValues[i])) & (mSlots.size() - 1);
      while (mSlots[slot] >= 0) slot = (slot + 1) & (mSlots.size() - 1);
      mSlots[slot] = static_cast<int32_t>(i);
    }
  }

  std::vector<Vec3> mValues;
  std::vector<int32_t> mSlots;  // a power of two, at most half full; -1 is free
};

}  // namespace hackle
