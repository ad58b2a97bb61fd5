#pragma once

#include <SYS/SYS_Types.h>

//@ class_u_t___matrix3_t; row vectors
class UT_Matrix3D {
 public:
  UT_Matrix3D() = default;
  //@ class_u_t___matrix3_t; a multiple of the identity
  explicit UT_Matrix3D(fpreal64 val) {
    for (int i = 0; i < 3; ++i) mValues[i][i] = val;
  }
  //@ class_u_t___matrix3_t
  fpreal64& operator()(unsigned row, unsigned col) { return mValues[row][col]; }
  //@ class_u_t___matrix3_t
  fpreal64 operator()(unsigned row, unsigned col) const { return mValues[row][col]; }

 private:
  fpreal64 mValues[3][3] = {};
};
