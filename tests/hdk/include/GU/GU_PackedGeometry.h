#pragma once

#include <GU/GU_PrimPacked.h>

//@ class_g_u___packed_geometry
class GU_PackedGeometry {
 public:
  //@ class_g_u___packed_geometry; fragments and files on disk have others. Not in the part of the page that
  // was
  // read: SideFX's HoudiniUsdBridge and V-Ray for Houdini compare it with getTypeId() of a packed primitive;
  // both give a GA_PrimitiveTypeId
  static int typeId() { return 100; }
  //@ class_g_u___packed_geometry
  static GU_PrimPacked* packGeometry(GU_Detail& dest, const GU_ConstDetailHandle& gdh);
  //@ class_g_u___packed_geometry; on a point that is there already
  static GU_PrimPacked* packGeometry(GU_Detail& dest, const GU_ConstDetailHandle& gdh, GA_Offset ptoff);
};
