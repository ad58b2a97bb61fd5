#pragma once

#include <GA/GA_Attribute.h>

//@ _g_a___a_i_f_shared_string_tuple_8h
typedef int32 GA_StringIndexType;

//@ class_g_a___a_t_i_string
class GA_ATIString {
 public:
  //@ class_g_a___a_t_i_string
  static bool isType(const GA_Attribute* attrib) { return attrib && attrib->isString; }
};
