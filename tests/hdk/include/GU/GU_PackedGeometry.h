#pragma once

#include <GU/GU_PrimPacked.h>

//@ class_g_u___packed_geometry
class GU_PackedGeometry {
 public:
  //@ class_g_u___packed_geometry; fragments and files on disk have others
  static int typeId() { return 100; }
  //@ class_g_u___packed_geometry
  static GU_PrimPacked* packGeometry(GU_Detail& destgdp, const GU_ConstDetailHandle& srcgdh);
};
