#pragma once

#include <SYS/SYS_Types.h>

#include <string>

//@ class_u_t___i_stream
enum UT_ISTREAM_READTYPE {
  //@ class_u_t___i_stream
  UT_ISTREAM_ASCII
};

//@ class_u_t___i_stream
class UT_IStream {
 public:
  //@ class_u_t___i_stream
  UT_IStream(const char* buffer, size_t bufsize, UT_ISTREAM_READTYPE binary) : mText(buffer, bufsize) {
    (void)binary;
  }
  // Test double only.
  const std::string& text() const { return mText; }

 private:
  std::string mText;
};
