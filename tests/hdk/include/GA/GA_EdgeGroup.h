#pragma once

#include <GA/GA_ElementGroup.h>

//@ class_g_a___edge
class GA_Edge {
 public:
  //@ class_g_a___edge
  GA_Edge(GA_Offset a, GA_Offset b) : mA(a), mB(b) {}
  //@ class_g_a___edge
  GA_Offset p0() const { return mA; }
  //@ class_g_a___edge
  GA_Offset p1() const { return mB; }

 private:
  GA_Offset mA, mB;
};

//@ class_g_a___edge_group
class GA_EdgeGroup : public GA_Group {
 public:
  using GA_Group::GA_Group;

  //@ class_g_a___edge_group_1_1base__iterator
  class const_iterator {
   public:
    explicit const_iterator(const std::vector<GA_Edge>* edges) : mEdges(edges) {}
    //@ class_g_a___edge_group_1_1base__iterator
    bool atEnd() const { return mAt >= mEdges->size(); }
    //@ class_g_a___edge_group_1_1base__iterator
    const_iterator& operator++() { return ++mAt, *this; }
    //@ class_g_a___edge_group_1_1base__iterator
    const GA_Edge& operator*() const { return (*mEdges)[mAt]; }

   private:
    const std::vector<GA_Edge>* mEdges;
    size_t mAt = 0;
  };
  //@ class_g_a___edge_group
  void add(const GA_Edge& edge) { mEdges.push_back(edge); }
  //@ class_g_a___edge_group
  const_iterator begin() const { return const_iterator(&mEdges); }

 private:
  std::vector<GA_Edge> mEdges;
};
