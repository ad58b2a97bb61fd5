#pragma once

#include <GU/GU_DetailHandle.h>
#include <UT/UT_Matrix3.h>
#include <UT/UT_Matrix4.h>
#include <UT/UT_Vector3.h>

//@ class_g_u___prim_packed
class GU_PrimPacked : public GEO_Primitive {
 public:
  GU_PrimPacked(GA_Detail* detail, GA_Offset offset) : GEO_Primitive(100, offset), mDetail(detail) {}
  //@ class_g_u___prim_packed
  static bool isPackedPrimitive(const GA_Primitive& prim) { return prim.type == 100; }
  //@ class_g_u___prim_packed; in world space; 19.5's page has the same signature
  bool unpack(GU_Detail& dest) const;
  //@ class_g_u___prim_packed; what is inside, where it was packed
  GU_ConstDetailHandle getPackedDetail() const { return content; }
  //@ class_g_e_o___prim_packed
  void getFullTransform4(UT_Matrix4D& matrix) const;
  //@ class_g_e_o___prim_packed
  UT_Vector3& pivot() { return mPivot; }
  //@ class_g_e_o___prim_packed; the part of the page that was read has localTransform(); SideFX's
  // HoudiniUsdBridge
  // sets it with a UT_Matrix3D
  void setLocalTransform(const UT_Matrix3D& m) { mLocal = m; }
  //@ class_g_a___primitive
  int getTypeId() const { return type; }

  // Test double only: what is inside, and where; a fragment has the primitives whose string `name` is that.
  double position[3] = {0, 0, 0};
  GU_ConstDetailHandle content;
  std::string fragment;
  void copyFrom(const GU_PrimPacked& other);

 private:
  GA_Detail* mDetail;
  UT_Vector3 mPivot;
  UT_Matrix3D mLocal{1.0};
};
