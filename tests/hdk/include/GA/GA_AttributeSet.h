#pragma once

#include <GA/GA_Attribute.h>

class GA_Detail;

//@ class_g_a___attribute_set
class GA_AttributeSet {
 public:
  explicit GA_AttributeSet(GA_Detail& detail) : mDetail(detail) {}
  //@ class_g_a___attribute_set; an attribute of the same kind without values; further arguments have defaults
  GA_Attribute* cloneAttribute(GA_AttributeOwner owner, const UT_StringHolder& name, const GA_Attribute& src,
                               bool clone_options);

 private:
  GA_Detail& mDetail;
};
