#pragma once

#include <SYS/SYS_Types.h>

//@ class_u_t___matrix4_t; row vectors: the last row moves
class UT_Matrix4D {
 public:
  //@ class_u_t___matrix4_t
  fpreal64& operator()(unsigned row, unsigned col) { return mValues[row][col]; }
  //@ class_u_t___matrix4_t
  fpreal64 operator()(unsigned row, unsigned col) const { return mValues[row][col]; }

 private:
  fpreal64 mValues[4][4] = {};
};
