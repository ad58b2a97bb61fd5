#pragma once

#include <GA/GA_Types.h>

//@ class_g_a___offset_list_ref
class GA_OffsetListRef {
 public:
  GA_OffsetListRef(const GA_Offset* items, GA_Size count) : mItems(items), mCount(count) {}
  //@ class_g_a___offset_list_ref
  GA_Size size() const { return mCount; }
  //@ class_g_a___offset_list_ref
  GA_Offset operator()(GA_Size i) const { return mItems[i]; }

 private:
  const GA_Offset* mItems;
  GA_Size mCount;
};
