#pragma once

#include <UT/UT_IStream.h>

#include <vector>

//@ class_u_t___color_node
class UT_ColorNode {
 public:
  //@ class_u_t___color_node
  float t = 0;
  //@ class_u_t___color_node
  float rgba[4] = {0, 0, 0, 1};
};

//@ class_u_t___ramp
class UT_Ramp {
 public:
  //@ class_u_t___ramp
  bool load(UT_IStream& is);
  //@ class_u_t___ramp
  int getNodeCount() const { return static_cast<int>(mNodes.size()); }
  //@ class_u_t___ramp
  const UT_ColorNode* getNode(int i) const { return &mNodes[i]; }

 private:
  std::vector<UT_ColorNode> mNodes;
};
