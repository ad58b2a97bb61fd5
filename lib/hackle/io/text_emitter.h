// Builds the text of a file, shared by all text formats.
#pragma once

#include <hackle/core/context.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace hackle {

/// Numbers are written with the fewest digits that read back as the same number. Cancel is checked about
/// every megabyte, at line ends.
class TextEmitter {
 public:
  explicit TextEmitter(Context& context) : mContext(context) {}

  void character(char c) {
    *room(1) = c;
    ++mUsed;
  }
  void text(std::string_view s) {
    std::memcpy(room(s.size()), s.data(), s.size());
    mUsed += s.size();
  }
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    char* first = room(kLongestNumber);
    mUsed += static_cast<size_t>(std::to_chars(first, first + kLongestNumber, value).ptr - first);
  }
  /// A space, then the number.
  template <class Number>
  void next(Number value) {
    character(' ');
    number(value);
  }
  void endLine() {
    character('\n');
    if (mUsed >= mNextCheck) {
      mContext.checkCancel();
      mNextCheck = mUsed + (1 << 20);
    }
  }

  /// The text so far; the emitter is empty afterwards.
  std::string take() {
    mText.resize(mUsed);
    mUsed = 0;
    return std::move(mText);
  }

 private:
  static constexpr size_t kLongestNumber = 32;
  char* room(size_t bytes) {
    if (mUsed + bytes > mText.size())
      mText.resize(std::max({mUsed + bytes, 2 * mText.size(), size_t(1) << 12}));
    return mText.data() + mUsed;
  }

  std::string mText;  // its first mUsed bytes count
  size_t mUsed = 0;
  size_t mNextCheck = 1 << 20;
  Context& mContext;
};

}  // namespace hackle
