#pragma once

#include <UT/UT_StringHolder.h>

//@ class_u_t___option_entry
class UT_OptionEntry {
 public:
  explicit UT_OptionEntry(std::string text) : mText(std::move(text)) {}
  //@ class_u_t___option_entry
  bool importOption(UT_StringHolder& value) const { return value = UT_StringHolder(mText), true; }
  //@ class_u_t___option_entry
  bool importOption(fpreal64& value) const { return value = std::stod(mText), true; }
  //@ class_u_t___option_entry
  bool importOption(int64& value) const { return value = std::stoll(mText), true; }
  //@ class_u_t___option_entry
  bool importOption(bool& value) const { return value = mText != "0", true; }

 private:
  std::string mText;
};
