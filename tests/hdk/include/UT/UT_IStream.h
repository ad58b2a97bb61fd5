#pragma once

#include <SYS/SYS_Types.h>

#include <string>

//@ class_u_t___i_stream
enum UT_IStreamType {
  //@ class_u_t___i_stream
  UT_ISTREAM_ASCII
};

//@ class_u_t___i_stream
class UT_IStream {
 public:
  //@ class_u_t___i_stream
  UT_IStream(const char* buffer, exint size, UT_IStreamType type) : mText(buffer, static_cast<size_t>(size)) {
    (void)type;
  }
  // Test double only.
  const std::string& text() const { return mText; }

 private:
  std::string mText;
};
