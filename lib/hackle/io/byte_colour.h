// Colours between 0 and 1 as bytes, where a format prefers them.
#pragma once

#include <hackle/geometry/attribute.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hackle {

/// The nearest byte of a number between 0 and 1; it reads back as byte / 255.
inline uint8_t colourByte(float value) {
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255.0f));
}

/// True if bytes carry all these numbers without loss.
inline bool hasByteColours(const Attribute& colours) {
  return colours.visitNumbers([](auto values) {
    return std::all_of(values.begin(), values.end(), [](auto v) {
      const float value = static_cast<float>(v);
      return value >= 0 && value <= 1 && static_cast<float>(colourByte(value)) / 255.0f == value;
    });
  });
}

}  // namespace hackle
