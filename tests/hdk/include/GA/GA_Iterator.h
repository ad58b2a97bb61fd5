#pragma once

#include <GA/GA_Range.h>

//@ class_g_a___iterator
class GA_Iterator {
 public:
  //@ class_g_a___iterator
  explicit GA_Iterator(const GA_Range& range) : mOffsets(range.offsets()) {}
  //@ class_g_a___iterator; blocks of consecutive offsets in the order of the range, longer than a page
  bool fullBlockAdvance(GA_Offset& start, GA_Offset& end);

 private:
  std::vector<GA_Offset> mOffsets;
  size_t mAt = 0;
};
