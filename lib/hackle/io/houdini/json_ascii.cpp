#include <hackle/core/error.h>
#include <hackle/io/houdini/json_tree_builder.h>

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace hackle::houdini {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void appendUtf8(std::string& out, uint32_t code) {
  const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80u | ((code >> shift) & 0x3fu))); };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0u | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0u | (code >> 12)));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0u | (code >> 18)));
    tail(12), tail(6), tail(0);
  }
}

/// Commas and colons are taken as white space between values: the tree says what is a key and what a value.
class AsciiParser {
 public:
  AsciiParser(std::string_view bytes, JsonTreeBuilder& builder) : mBytes(bytes), mBuilder(builder) {}

  void parse() {
    while (!mBuilder.done()) {
      skipSeparators();
      if (mPosition >= mBytes.size())
        failAtByte(mPosition, "the file ends in the middle of the data (it is cut off or damaged)");
      if (mBuilder.depth() == 0 && mBytes[mPosition] != '[' && mBytes[mPosition] != '{')
        throw Error(
            ErrorCode::BadInput,
            fmt::format("byte {}: not a Houdini geometry file (ASCII ones start with '[')", mPosition),
            "the file is damaged or of another kind");
      value();
    }
  }

 private:
  void skipSeparators() {
    while (mPosition < mBytes.size()) {
      const char c = mBytes[mPosition];
      if (!isSpace(c) && !(mBuilder.depth() > 0 && (c == ',' || c == ':'))) return;
      ++mPosition;
    }
  }

  void value() {
    const size_t start = mPosition;
    const char c = mBytes[mPosition];
    switch (c) {
      case '[':
      case '{':
        ++mPosition;
        return mBuilder.open(c == '{', start);
      case ']':
      case '}':
        ++mPosition;
        return mBuilder.close(c == '}', start);
      case '"':
        return mBuilder.add(JsonValue::string(quoted()));
      default:
        return wordOrNumber();
    }
  }

  void wordOrNumber() {
    const size_t start = mPosition;
    const char* first = mBytes.data() + start;
    const char* last = mBytes.data() + mBytes.size();
    // Integers first; what is left over decides.
    int64_t integer = 0;
    const auto whole = std::from_chars(first, last, integer);
    const bool endsHere = whole.ptr == last || isSpace(*whole.ptr) || *whole.ptr == ',' ||
                          *whole.ptr == ']' || *whole.ptr == '}' || *whole.ptr == ':';
    if (whole.ec == std::errc() && endsHere) {
      mPosition += static_cast<size_t>(whole.ptr - first);
      const bool minusZero = integer == 0 && *first == '-';
      return mBuilder.add(minusZero ? JsonValue::real(-0.0) : JsonValue::integer(integer));
    }
    double number = 0;
    const auto real = std::from_chars(first, last, number);  // knows nan, inf and infinity
    if (real.ec == std::errc() || real.ec == std::errc::result_out_of_range) {
      if (real.ec != std::errc()) number = outOfRange({first, static_cast<size_t>(real.ptr - first)});
      mPosition += static_cast<size_t>(real.ptr - first);
      return mBuilder.add(JsonValue::real(number));
    }
    if (word("true")) return mBuilder.add(JsonValue::integer(1));
    if (word("false")) return mBuilder.add(JsonValue::integer(0));
    if (word("null")) return mBuilder.add({});
    failAtByte(start, "neither a number, a string nor a list");
  }

  /// A number beyond double's range: infinite if it is large, zero if it is tiny.
  static double outOfRange(std::string_view text) {
    const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
    const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return text.front() == '-' ? -magnitude : magnitude;
  }

  bool word(std::string_view text) {
    if (mBytes.substr(mPosition, text.size()) != text) return false;
    mPosition += text.size();
    return true;
  }

  std::string_view quoted() {
    const size_t start = ++mPosition;
    bool escaped = false;
    for (; mPosition < mBytes.size() && mBytes[mPosition] != '"'; ++mPosition) {
      if (mBytes[mPosition] != '\\') continue;
      escaped = true;
      ++mPosition;
    }
    if (mPosition >= mBytes.size()) failAtByte(start, "a string has no closing quote");
    const std::string_view raw = mBytes.substr(start, mPosition - start);
    ++mPosition;
    return escaped ? unescaped(raw, start) : raw;
  }

  std::string_view unescaped(std::string_view raw, size_t byte) {
    std::string text;
    text.reserve(raw.size());
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        text.push_back(raw[i]);
        continue;
      }
      const char c = raw[++i];
      const size_t simple = std::string_view("\"\\/bfnrt").find(c);
      if (simple != std::string_view::npos)
        text.push_back("\"\\/\b\f\n\r\t"[simple]);
      else if (c == 'u')
        i = unicodeEscape(raw, i, byte, text);
      else
        failAtByte(byte + i, "unknown escape in a string");
    }
    char* kept = static_cast<char*>(mBuilder.allocate(text.size()));
    text.copy(kept, text.size());
    return {kept, text.size()};
  }

  /// Reads XXXX after "\u" (and the second half of a surrogate pair); gives the index of its last digit.
  static size_t unicodeEscape(std::string_view raw, size_t u, size_t byte, std::string& text) {
    const auto code = [&](size_t first) {
      uint32_t value = 0;
      const char* begin = raw.data() + first;
      if (first + 4 > raw.size() || std::from_chars(begin, begin + 4, value, 16).ptr != begin + 4)
        failAtByte(byte + first, "four hexadecimal digits should follow \\u");
      return value;
    };
    uint32_t value = code(u + 1);
    size_t last = u + 4;
    if (value >= 0xd800 && value < 0xdc00 && raw.substr(last + 1, 2) == "\\u") {
      const uint32_t low = code(last + 3);
      if (low >= 0xdc00 && low < 0xe000) {
        value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
        last += 6;
      }
    }
    appendUtf8(text, value);
    return last;
  }

  std::string_view mBytes;
  JsonTreeBuilder& mBuilder;
  size_t mPosition = 0;
};

}  // namespace

void parseAsciiJson(std::string_view bytes, JsonTreeBuilder& builder) { AsciiParser(bytes, builder).parse(); }

}  // namespace hackle::houdini
