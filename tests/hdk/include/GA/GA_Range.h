#pragma once

#include <GA/GA_IndexMap.h>

#include <vector>

class GA_ElementGroup;

//@ class_g_a___range
class GA_Range {
 public:
  //@ class_g_a___range
  explicit GA_Range(const GA_IndexMap& map) : mOffsets(map.offsets) {}
  //@ class_g_a___range
  GA_Range(const GA_IndexMap& map, GA_Offset start, GA_Offset end);
  //@ class_g_a___range; an ordered group gives its order
  explicit GA_Range(const GA_ElementGroup& group, bool complement = false);
  // Test double only.
  const std::vector<GA_Offset>& offsets() const { return mOffsets; }

 private:
  std::vector<GA_Offset> mOffsets;
};
