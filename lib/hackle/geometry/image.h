// A picture: 8-bit RGB, rows from the top.
#pragma once

#include <hackle/core/cow_array.h>

#include <cstdint>

namespace hackle {

struct Image {
  int width = 0;
  int height = 0;
  CowArray<uint8_t> rgb;  // width * height * 3
};

}  // namespace hackle
