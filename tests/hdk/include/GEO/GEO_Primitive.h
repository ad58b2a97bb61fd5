#pragma once

#include <GA/GA_Detail.h>

//@ class_g_e_o___primitive
class GEO_Primitive : public GA_Primitive {
 public:
  using GA_Primitive::GA_Primitive;
};
