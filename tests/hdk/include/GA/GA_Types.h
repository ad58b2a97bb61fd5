#pragma once

#include <SYS/SYS_Types.h>

//@ _g_a___types_8h
typedef exint GA_Size;
//@ _g_a___types_8h; a class of its own where GA_STRICT_TYPES is defined, so we convert explicitly
typedef exint GA_Offset;
//@ _g_a___types_8h
typedef exint GA_Index;
//@ _g_a___types_8h
typedef int64 GA_DataId;

//@ _g_a___types_8h
enum GA_AttributeOwner {
  //@ _g_a___types_8h
  GA_ATTRIB_VERTEX,
  //@ _g_a___types_8h
  GA_ATTRIB_POINT,
  //@ _g_a___types_8h
  GA_ATTRIB_PRIMITIVE,
  //@ _g_a___types_8h
  GA_ATTRIB_GLOBAL
};

//@ _g_a___types_8h
enum GA_AttributeScope {
  //@ _g_a___types_8h
  GA_SCOPE_PUBLIC = 3
};

//@ _g_a___types_8h
enum GA_Storage {
  GA_STORE_INVALID = -1,
  GA_STORE_BOOL,
  GA_STORE_INT8,
  GA_STORE_UINT8,
  GA_STORE_INT16,
  //@ _g_a___types_8h
  GA_STORE_INT32,
  //@ _g_a___types_8h
  GA_STORE_INT64,
  //@ _g_a___types_8h
  GA_STORE_REAL16,
  //@ _g_a___types_8h
  GA_STORE_REAL32,
  //@ _g_a___types_8h
  GA_STORE_REAL64
};

//@ _g_a___types_8h
enum GA_TypeInfo {
  //@ _g_a___types_8h
  GA_TYPE_VOID,
  //@ _g_a___types_8h
  GA_TYPE_POINT,
  //@ _g_a___types_8h
  GA_TYPE_HPOINT,
  //@ _g_a___types_8h
  GA_TYPE_VECTOR,
  //@ _g_a___types_8h
  GA_TYPE_NORMAL,
  //@ _g_a___types_8h
  GA_TYPE_COLOR,
  //@ _g_a___types_8h
  GA_TYPE_QUATERNION,
  //@ _g_a___types_8h
  GA_TYPE_TRANSFORM,
  //@ _g_a___types_8h
  GA_TYPE_TEXTURE_COORD,
  //@ _g_a___types_8h
  GA_TYPE_NONARITHMETIC_INTEGER
};

inline GA_Offset GA_INVALID_OFFSET = -1;
