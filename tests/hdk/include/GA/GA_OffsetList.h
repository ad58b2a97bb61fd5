#pragma once

#include <GA/GA_Types.h>

//@ class_g_a___offset_list_ref
class GA_OffsetListRef {
 public:
  GA_OffsetListRef(GA_Offset first, GA_Size count) : mFirst(first), mCount(count) {}
  //@ class_g_a___offset_list_ref
  GA_Size size() const { return mCount; }
  //@ class_g_a___offset_list_ref
  GA_Offset operator()(GA_Size i) const { return mFirst + i; }

 private:
  GA_Offset mFirst;  // the double has all vertices of a primitive in a row
  GA_Size mCount;
};
