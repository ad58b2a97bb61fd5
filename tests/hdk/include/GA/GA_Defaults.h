#pragma once

#include <GA/GA_Types.h>

#include <vector>

//@ class_g_a___defaults
class GA_Defaults {
 public:
  GA_Defaults() = default;
  //@ class_g_a___defaults
  explicit GA_Defaults(fpreal64 value) : mValues{value} {}
  //@ class_g_a___defaults
  GA_Defaults(const fpreal64* values, int count) : mValues(values, values + count) {}
  //@ class_u_t___defaults
  exint getTupleSize() const { return static_cast<exint>(mValues.size()); }
  //@ class_u_t___defaults
  fpreal64 getF(exint i = 0) const {
    return mValues.empty() ? 0.0 : mValues[static_cast<size_t>(i) % mValues.size()];
  }
  // Test double only.
  bool isZero() const {
    for (const fpreal64 v : mValues)
      if (v != 0) return false;
    return true;
  }

 private:
  std::vector<fpreal64> mValues;
};
