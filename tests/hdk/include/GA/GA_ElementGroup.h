#pragma once

#include <GA/GA_Range.h>
#include <UT/UT_StringHolder.h>

#include <memory>

//@ class_g_a___group
class GA_Group {
 public:
  explicit GA_Group(const char* name) : mName(name) {}
  virtual ~GA_Group() = default;
  //@ class_g_a___group
  const UT_StringHolder& getName() const { return mName; }
  //@ class_g_a___group
  bool getInternal() const { return internal; }

  bool internal = false;  // test double only

 private:
  UT_StringHolder mName;
};

//@ class_g_a___element_group
class GA_ElementGroup : public GA_Group {
 public:
  using GA_Group::GA_Group;
  //@ class_g_a___element_group
  bool isOrdered() const { return mOrdered; }
  //@ class_g_a___element_group
  void makeOrdered() { mOrdered = true; }
  //@ class_g_a___element_group
  void addOffset(GA_Offset ai);
  //@ class_g_a___element_group
  void addRange(const GA_Range& it);
  // Test double only.
  std::vector<GA_Offset> members(bool sorted) const;

 private:
  bool mOrdered = false;
  std::vector<uint8_t> mBits;
  std::vector<GA_Offset> mOrder;
};

//@ class_g_a___point_group
class GA_PointGroup : public GA_ElementGroup {
 public:
  using GA_ElementGroup::GA_ElementGroup;
};
//@ class_g_a___vertex_group
class GA_VertexGroup : public GA_ElementGroup {
 public:
  using GA_ElementGroup::GA_ElementGroup;
};
//@ class_g_a___primitive_group
class GA_PrimitiveGroup : public GA_ElementGroup {
 public:
  using GA_ElementGroup::GA_ElementGroup;
};
