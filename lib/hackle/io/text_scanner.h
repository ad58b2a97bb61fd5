// A cursor over the bytes of a text file, shared by all text formats.
#pragma once

#include <hackle/core/context.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hackle {

/// Parses a number at `at` (decimal, optional sign and exponent, nan, inf) and moves `at` behind it; false,
/// without moving, if there is none. Correctly rounded; what is too large or small becomes inf or 0.
bool parseNumber(const char*& at, const char* end, double& value);
bool parseNumber(const char*& at, const char* end, float& value);

/// What a text format has besides words and line ends.
struct TextSyntax {
  char comment = '\0';         // starts a comment that lasts to the end of the line
  bool continuations = false;  // a backslash at the end of a line joins it with the next
  std::string fileName;        // named in errors where a format has several files
};

/// Words are separated by blanks (control characters count as blanks, so CRLF needs no care) and line ends.
/// Every reading call skips blanks first, but stays on its line: call `nextItem` before it in formats where
/// line ends mean nothing. What is malformed throws Error(BadInput) with the line. Cancel is checked and
/// progress told about every megabyte.
class TextScanner {
 public:
  TextScanner(std::string_view text, Context& context, TextSyntax syntax = {});

  // Lines and gaps --------------------------------------------------------------------------------------
  /// True if nothing but blanks and a comment is left on this line.
  bool atLineEnd() {
    skipBlanks();
    return mAt == mEnd || *mAt == '\n' || *mAt == mComment;
  }
  /// Goes to the start of the next line.
  void nextLine();
  /// Goes to the next word, on this line or a later one; false at the end of the file.
  bool nextItem() {
    while (atLineEnd()) {
      if (mAt == mEnd) return false;
      nextLine();
    }
    return true;
  }

  // Words and numbers -----------------------------------------------------------------------------------
  /// The next word of this line; empty at its end.
  std::string_view word();
  /// All that is left on this line, comments too, without blanks at either end.
  std::string_view restOfLine();
  /// `what` names the number in errors: "x".
  double number(const char* what) { return numberAs<double>(what); }
  float single(const char* what) { return numberAs<float>(what); }
  int64_t integer(const char* what);
  /// A count of things that take at least `leastBytes` each; refused if the rest of the file cannot hold
  /// them.
  size_t count(const char* what, size_t leastBytes);
  /// An index of one of `count` things, the first of which is `first` in the file; the result counts from 0.
  int32_t index(const char* what, size_t count, int64_t first);

  // Parts of words, for formats that glue numbers together. These skip no blanks.
  bool take(char c) {
    if (mAt == mEnd || *mAt != c) return false;
    ++mAt;
    return true;
  }
  /// The next character; '\0' at the end of the file.
  char peek() const { return mAt == mEnd ? '\0' : *mAt; }
  /// Digits with an optional sign; false if there are none.
  bool takeInteger(int64_t& value);
  bool atWordEnd() const {
    return mAt == mEnd || static_cast<unsigned char>(*mAt) <= ' ' || *mAt == mComment ||
           (mContinuations && *mAt == '\\');
  }

  // Where we are ----------------------------------------------------------------------------------------
  size_t offset() const { return static_cast<size_t>(mAt - mBegin); }
  size_t remaining() const { return static_cast<size_t>(mEnd - mAt); }
  [[noreturn]] void fail(const std::string& reason) const { failAt(offset(), reason); }
  [[noreturn]] void failAt(size_t offset, const std::string& reason) const;
  /// Says what was found where `wanted` should be.
  [[noreturn]] void failExpecting(const std::string& wanted);

 private:
  static bool isBlank(char c) { return static_cast<unsigned char>(c) <= ' ' && c != '\n'; }
  void skipBlanks() {
    do {
      while (mAt != mEnd && isBlank(*mAt)) ++mAt;
    } while (mContinuations && mAt != mEnd && *mAt == '\\' && skipContinuation());
  }
  bool skipContinuation();
  void report();
  template <class Real>
  Real numberAs(const char* what) {
    skipBlanks();
    Real value;
    if (!parseNumber(mAt, mEnd, value) || !atWordEnd()) failExpecting(std::string("a number for ") + what);
    return value;
  }

  const char* mBegin;
  const char* mAt;
  const char* mEnd;
  const char* mNextReport;
  char mComment;  // '\n', which ends lines anyway, if there are no comments
  bool mContinuations;
  std::string mFileName;
  Context& mContext;
};

}  // namespace hackle
