#pragma once

#include <SYS/SYS_Types.h>

#include <string>

//@ class_u_t___string_ref
class UT_StringRef {
 public:
  UT_StringRef() = default;
  //@ class_u_t___string_ref
  UT_StringRef(const char* string) : mText(string ? string : "") {}
  UT_StringRef(const std::string& string) : mText(string) {}
  //@ class_u_t___string_ref
  const char* c_str() const { return mText.c_str(); }
  //@ class_u_t___string_ref
  exint length() const { return static_cast<exint>(mText.size()); }
  //@ class_u_t___string_ref
  std::string toStdString() const { return mText; }
  bool operator==(const UT_StringRef& other) const { return mText == other.mText; }

 private:
  std::string mText;
};

//@ class_u_t___string_holder
class UT_StringHolder : public UT_StringRef {
 public:
  UT_StringHolder() = default;
  //@ class_u_t___string_holder
  UT_StringHolder(const char* string) : UT_StringRef(string) {}
  //@ class_u_t___string_holder
  explicit UT_StringHolder(const std::string& string) : UT_StringRef(string) {}
};
