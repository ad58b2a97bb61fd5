#pragma once

#include <GA/GA_EdgeGroup.h>

//@ class_g_a___group_table
class GA_GroupTable {
 public:
  //@ class_g_a___group_table_1_1iterator
  template <typename T>
  class iterator {
   public:
    explicit iterator(const std::vector<std::unique_ptr<GA_Group>>* items) : mItems(items) {}
    //@ class_g_a___group_table_1_1iterator
    bool atEnd() const { return mAt >= mItems->size(); }
    //@ class_g_a___group_table_1_1iterator
    iterator& operator++() { return ++mAt, *this; }
    //@ class_g_a___group_table_1_1iterator
    T* group() { return static_cast<T*>((*mItems)[mAt].get()); }

   private:
    const std::vector<std::unique_ptr<GA_Group>>* mItems;
    size_t mAt = 0;
  };
  // Test double only.
  std::vector<std::unique_ptr<GA_Group>> items;
};

//@ class_g_a___element_group_table
class GA_ElementGroupTable : public GA_GroupTable {
 public:
  //@ class_g_a___element_group_table; the order is not documented; the bridge sorts by name
  GA_GroupTable::iterator<GA_ElementGroup> beginTraverse() const {
    return GA_GroupTable::iterator<GA_ElementGroup>(&items);
  }
};

//@ class_g_a___edge_group_table
class GA_EdgeGroupTable : public GA_GroupTable {
 public:
  //@ class_g_a___edge_group_table
  GA_GroupTable::iterator<GA_EdgeGroup> beginTraverse() const {
    return GA_GroupTable::iterator<GA_EdgeGroup>(&items);
  }
};
