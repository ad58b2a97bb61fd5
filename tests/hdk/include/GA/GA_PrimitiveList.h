#pragma once

#include <GA/GA_OffsetList.h>

#include <vector>

//@ class_g_a___primitive_list
class GA_PrimitiveList {
 public:
  // Test double only: by offset.
  std::vector<int> types;
  std::vector<uint8_t> closed;
  std::vector<GA_Offset> firstVertex;
  std::vector<GA_Size> vertexCount;

  //@ class_g_a___primitive_list
  GA_OffsetListRef getVertexList(GA_Offset primoff) const {
    return {firstVertex[primoff], vertexCount[primoff]};
  }
  //@ class_g_a___primitive_list
  int getTypeId(GA_Offset primoff) const { return types[primoff]; }
  //@ class_g_a___primitive_list
  bool getClosedFlag(GA_Offset primoff) const { return closed[primoff] != 0; }
};
