#pragma once

#include <UT/UT_IStream.h>

#include <vector>

//@ struct_u_t___f_r_g_b_a; a pixel has members, no operator[]
struct UT_FRGBA {
  //@ struct_u_t___f_r_g_b_a
  float r = 0;
  float g = 0, b = 0, a = 1;
};

//@ class_u_t___color_node
class UT_ColorNode {
 public:
  //@ class_u_t___color_node
  float t = 0;
  //@ class_u_t___color_node; the page has a SerializableFRGBA, which derives from UT_FRGBA
  UT_FRGBA rgba;
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
