#pragma once

#include <UT/UT_StringHolder.h>

//@ class_u_t___option_entry
class UT_OptionEntry {
 public:
  explicit UT_OptionEntry(std::string text) : mText(std::move(text)) {}
  //@ class_u_t___option_entry
  bool importOption(UT_StringHolder& value) const { return value = UT_StringHolder(mText), true; }

 private:
  std::string mText;
};
