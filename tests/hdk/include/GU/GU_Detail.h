#pragma once

#include <GEO/GEO_Detail.h>

//@ class_g_u___detail
class GU_Detail : public GEO_Detail {
 public:
  //@ class_g_u___detail
  GU_Detail() = default;
  //@ class_g_e_o___detail
  void clearAndDestroy() { clearAll(); }
  //@ class_g_a___detail; clones data ids
  void replaceWith(const GU_Detail& src);

  std::unique_ptr<GA_Primitive> makeObject(int type, GA_Offset offset) override;
};
