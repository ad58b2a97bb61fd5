#pragma once

#include <GA/GA_Types.h>

#include <vector>

//@ class_g_a___index_map
class GA_IndexMap {
 public:
  // Test double only: offset of every index; offsets that no index has are holes.
  std::vector<GA_Offset> offsets;
  GA_Offset capacity = 0;
  std::vector<GA_Index> indices;  // of every offset, -1 in holes

  GA_Offset append(GA_Size count, GA_Size gap);
  void reverse();
};
