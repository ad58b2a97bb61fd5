#pragma once

#include <GA/GA_Attribute.h>

//@ class_g_a___a_t_i_numeric
class GA_ATINumeric {
 public:
  //@ class_g_a___a_t_i_numeric
  static bool isType(const GA_Attribute* attrib) { return attrib && !attrib->isString && !attrib->isArray; }
};
