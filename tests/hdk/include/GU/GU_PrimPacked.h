#pragma once

#include <GU/GU_DetailHandle.h>

//@ class_g_u___prim_packed
class GU_PrimPacked : public GEO_Primitive {
 public:
  GU_PrimPacked(GA_Offset offset) : GEO_Primitive(100, offset) {}
  //@ class_g_u___prim_packed
  static bool isPackedPrimitive(const GA_Primitive& prim) { return prim.type == 100; }
  //@ class_g_u___prim_packed; in world space; 19.5's page has the same signature
  bool unpack(GU_Detail& dest) const;

  // Test double only: what is inside, and where; a fragment has the primitives whose string `name` is that.
  double position[3] = {0, 0, 0};
  GU_ConstDetailHandle content;
  std::string fragment;
};
