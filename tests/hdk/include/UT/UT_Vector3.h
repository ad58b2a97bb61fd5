#pragma once

#include <SYS/SYS_Types.h>

//@ class_u_t___vector3_t
class UT_Vector3 {
 public:
  UT_Vector3() = default;
  //@ class_u_t___vector3_t
  UT_Vector3(fpreal32 vx, fpreal32 vy, fpreal32 vz) : mValues{vx, vy, vz} {}
  //@ class_u_t___vector3_t
  fpreal32 x() const { return mValues[0]; }
  //@ class_u_t___vector3_t
  fpreal32 y() const { return mValues[1]; }
  //@ class_u_t___vector3_t
  fpreal32 z() const { return mValues[2]; }

 private:
  fpreal32 mValues[3] = {0, 0, 0};
};
