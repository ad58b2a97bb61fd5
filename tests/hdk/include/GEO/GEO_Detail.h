#pragma once

#include <GEO/GEO_Primitive.h>

//@ class_g_e_o___detail
class GEO_Detail : public GA_Detail {
 public:
  //@ class_g_e_o___detail
  GEO_Primitive* getGEOPrimitive(GA_Offset primoff);
  //@ class_g_e_o___detail
  const GEO_Primitive* getGEOPrimitive(GA_Offset primoff) const;
  //@ class_g_e_o___detail
  GA_PointGroup* newPointGroup(const UT_StringHolder& name);
  //@ class_g_e_o___detail
  GA_VertexGroup* newVertexGroup(const UT_StringHolder& name);
  //@ class_g_e_o___detail
  GA_PrimitiveGroup* newPrimitiveGroup(const UT_StringHolder& name);
  //@ class_g_e_o___detail
  GA_EdgeGroup* newEdgeGroup(const UT_StringHolder& name);
  //@ class_g_e_o___detail; 19.5 to 20.5 also had edgeGroups() without const
  const GA_EdgeGroupTable& edgeGroups() const { return edges; }
  //@ class_g_e_o___detail; further arguments have defaults
  GA_Attribute* addTuple(GA_Storage storage, GA_AttributeOwner owner, const UT_StringHolder& name,
                         int tuple_size, const GA_Defaults& defaults = GA_Defaults(0.0));
  //@ class_g_e_o___detail; further arguments have defaults
  GA_Attribute* addStringTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size);
  //@ class_g_e_o___detail; further arguments have defaults
  GA_Attribute* addIntArray(GA_AttributeOwner owner, const UT_StringHolder& name, int tuple_size = 1);
  //@ class_g_e_o___detail
  GA_Attribute* findAttribute(GA_AttributeOwner owner, const UT_StringRef& name);
  //@ class_g_e_o___detail
  const GA_Attribute* findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) const;

  // Test double only: makes the object of a primitive with content of its own.
  virtual std::unique_ptr<GA_Primitive> makeObject(int type, GA_Offset offset) = 0;
};
