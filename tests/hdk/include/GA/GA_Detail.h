#pragma once

#include <GA/GA_AttributeDict.h>
#include <GA/GA_AttributeSet.h>
#include <GA/GA_GroupTable.h>
#include <GA/GA_Iterator.h>
#include <GA/GA_PrimitiveList.h>
#include <GA/GA_PrimitiveTypes.h>

//@ class_g_a___primitive
class GA_Primitive {
 public:
  GA_Primitive(int type, GA_Offset offset) : type(type), offset(offset) {}
  virtual ~GA_Primitive() = default;
  //@ class_g_a___primitive
  GA_Offset getMapOffset() const { return offset; }

  int type;
  GA_Offset offset;
};

//@ class_g_a___detail
class GA_Detail {
 public:
  GA_Detail();
  virtual ~GA_Detail() = default;
  GA_Detail(const GA_Detail&) = delete;
  GA_Detail& operator=(const GA_Detail&) = delete;

  GA_Size getNumPoints() const { return static_cast<GA_Size>(maps[GA_ATTRIB_POINT].offsets.size()); }
  GA_Size getNumVertices() const { return static_cast<GA_Size>(maps[GA_ATTRIB_VERTEX].offsets.size()); }
  GA_Size getNumPrimitives() const { return static_cast<GA_Size>(maps[GA_ATTRIB_PRIMITIVE].offsets.size()); }
  //@ class_g_a___detail
  const GA_IndexMap& getIndexMap(GA_AttributeOwner owner) const { return maps[owner]; }
  //@ class_g_a___detail
  GA_Index pointIndex(GA_Offset offset) const { return maps[GA_ATTRIB_POINT].indices[offset]; }
  //@ class_g_a___detail
  GA_Index primitiveIndex(GA_Offset offset) const { return maps[GA_ATTRIB_PRIMITIVE].indices[offset]; }
  //@ class_g_a___detail
  GA_Offset pointOffset(GA_Index index) const { return maps[GA_ATTRIB_POINT].offsets[index]; }
  GA_Offset primitiveOffset(GA_Index index) const { return maps[GA_ATTRIB_PRIMITIVE].offsets[index]; }
  //@ class_g_a___detail
  GA_Offset vertexPoint(GA_Offset vertex) const { return vertexPoints[vertex]; }
  //@ class_g_a___detail
  const GA_PrimitiveList& getPrimitiveList() const { return primitives; }
  //@ class_g_a___detail
  GA_Offset appendPointBlock(GA_Size npoints);
  //@ class_g_a___detail; with the points that nothing else uses
  bool destroyPrimitiveOffset(GA_Offset offset, bool and_points = false);
  //@ class_g_a___detail
  GA_Attribute* getP() { return dicts[GA_ATTRIB_POINT].items.front().get(); }
  //@ class_g_a___detail
  const GA_Attribute* getP() const { return dicts[GA_ATTRIB_POINT].items.front().get(); }
  //@ class_g_a___detail
  const GA_AttributeDict& getAttributeDict(GA_AttributeOwner owner) const { return dicts[owner]; }
  //@ class_g_a___detail
  GA_AttributeSet& getAttributes() { return mAttributes; }
  //@ class_g_a___detail; a further argument has a default
  bool destroyAttribute(GA_AttributeOwner owner, const UT_StringRef& name);
  //@ class_g_a___detail
  const GA_ElementGroupTable& getElementGroupTable(GA_AttributeOwner owner) const { return groups[owner]; }
  //@ class_g_a___detail
  void bumpAllDataIds();
  //@ class_g_a___detail; with getMetaCacheCount the usual key of what was made from a detail
  exint getUniqueId() const { return mUniqueId; }
  //@ class_g_a___detail
  int64 getMetaCacheCount() const { return mMetaCacheCount; }
  void incrementMetaCacheCount() { ++mMetaCacheCount; }

  // Test double only ----------------------------------------------------------------------------------
  void clearAll();
  GA_Attribute* addAttribute(GA_AttributeOwner owner, std::unique_ptr<GA_Attribute> attribute);
  void reversePrimitives();  // primitive numbers run against offsets from now on
  static GA_Size gap;        // offsets left out before every block that is appended

  GA_IndexMap maps[4];
  GA_AttributeDict dicts[4];
  GA_ElementGroupTable groups[3];
  GA_EdgeGroupTable edges;
  GA_PrimitiveList primitives;
  std::vector<GA_Offset> vertexPoints;
  std::vector<std::unique_ptr<GA_Primitive>> objects;  // of primitives that have one, by offset

 private:
  GA_AttributeSet mAttributes{*this};
  exint mUniqueId;
  int64 mMetaCacheCount = 0;
};
