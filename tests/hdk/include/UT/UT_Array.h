#pragma once

#include <SYS/SYS_Types.h>

#include <vector>

//@ class_u_t___array
template <typename T>
class UT_Array {
 public:
  //@ class_u_t___array
  void setSize(exint newsize) { mItems.resize(static_cast<size_t>(newsize)); }
  //@ class_u_t___array
  exint size() const { return static_cast<exint>(mItems.size()); }
  //@ class_u_t___array; getArray is the older name of data() and in all of 19.5 to 21
  T* getArray() { return mItems.data(); }
  //@ class_u_t___array
  const T* getArray() const { return mItems.data(); }
  //@ class_u_t___array
  const T& operator()(exint i) const { return mItems[static_cast<size_t>(i)]; }
  void append(const T& item) { mItems.push_back(item); }

 private:
  std::vector<T> mItems;
};

//@ _u_t___int_array_8h
typedef UT_Array<int32> UT_Int32Array;
