#pragma once

#include <GA/GA_Attribute.h>

//@ class_g_a___attribute_dict
class GA_AttributeDict {
 public:
  // Test double only.
  std::vector<std::unique_ptr<GA_Attribute>> items;

  //@ class_g_a___attribute_dict_1_1iterator
  class iterator {
   public:
    explicit iterator(const GA_AttributeDict* dict) : mDict(dict) {}
    //@ class_g_a___attribute_dict_1_1iterator
    bool atEnd() const { return mAt >= mDict->items.size(); }
    //@ class_g_a___attribute_dict_1_1iterator
    GA_Attribute* attrib() const { return mDict->items[mAt].get(); }
    //@ class_g_a___attribute_dict_1_1iterator
    iterator& operator++() { return ++mAt, *this; }

   private:
    const GA_AttributeDict* mDict;
    size_t mAt = 0;
  };
  //@ class_g_a___attribute_dict; the order is not documented; the bridge sorts by name
  iterator begin(GA_AttributeScope scope) const { return (void)scope, iterator(this); }
};
