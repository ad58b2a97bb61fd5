#pragma once

#include <GA/GA_Defaults.h>
#include <GA/GA_IndexMap.h>
#include <UT/UT_Array.h>
#include <UT/UT_StringHolder.h>

#include <memory>
#include <variant>
#include <vector>

class GA_Attribute;

//@ class_g_a___a_i_f_tuple
class GA_AIFTuple {
 public:
  //@ class_g_a___a_i_f_tuple
  GA_Storage getStorage(const GA_Attribute* attrib) const;
  //@ class_g_a___a_i_f_tuple
  bool setStorage(GA_Attribute* attrib, GA_Storage storage) const;
  //@ class_g_a___a_i_f_tuple
  const GA_Defaults getDefaults(const GA_Attribute* attrib) const;
};

//@ class_g_a___a_i_f_numeric_array
class GA_AIFNumericArray {
 public:
  //@ class_g_a___a_i_f_numeric_array
  bool get(const GA_Attribute* attrib, GA_Offset ai, UT_Array<int32>& data) const;
  //@ class_g_a___a_i_f_numeric_array
  bool set(GA_Attribute* attrib, GA_Offset ai, const UT_Array<int32>& data) const;
};

//@ class_g_a___attribute
class GA_Attribute {
 public:
  // Test double only: one vector for all elements by offset.
  using Data = std::variant<std::vector<fpreal32>, std::vector<fpreal64>, std::vector<int32>,
                            std::vector<int64>, std::vector<UT_Array<int32>>>;
  GA_Attribute(const char* name, GA_Storage storage, int tuple, bool string, bool array);
  void resize(GA_Offset capacity);

  //@ class_g_a___attribute
  const UT_StringHolder& getName() const { return mName; }
  //@ class_g_a___attribute
  int getTupleSize() const { return tuple; }
  //@ class_g_a___attribute
  GA_TypeInfo getTypeInfo() const { return mTypeInfo; }
  //@ class_g_a___attribute
  void setTypeInfo(GA_TypeInfo type) { mTypeInfo = type; }
  //@ class_g_a___attribute
  const GA_AIFTuple* getAIFTuple() const;
  //@ class_g_a___attribute
  const GA_AIFNumericArray* getAIFNumericArray() const;
  //@ class_g_a___attribute
  bool copy(GA_Offset desti, const GA_Attribute& src, GA_Offset srci);
  void bumpDataId() { ++dataId; }
  GA_DataId getDataId() const { return dataId; }

  GA_Storage storage;
  int tuple;
  bool isString, isArray;
  Data data;
  GA_Defaults defaults;
  std::vector<UT_StringHolder> strings;  // table of a string attribute; data holds int32 indices, -1 for ""
  GA_DataId dataId = 1;

 private:
  UT_StringHolder mName;
  GA_TypeInfo mTypeInfo = GA_TYPE_VOID;
};
