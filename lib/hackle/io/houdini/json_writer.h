// Writes Houdini's JSON, binary (little-endian) or ASCII.
#pragma once

#include <hackle/core/span.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hackle::houdini {

class JsonWriter {
 public:
  explicit JsonWriter(bool binary);

  bool binary() const { return mBinary; }
  /// Makes room for about this many bytes.
  void reserve(size_t bytes) { mOut.reserve(bytes); }
  /// The document; the writer is empty afterwards.
  std::string take() { return std::move(mOut); }

  void beginArray() { begin('['); }
  void endArray() { end(']'); }
  void beginMap() { begin('{'); }
  void endMap() { end('}'); }

  /// A word of the schema; binary files hold it once and refer to it.
  void word(std::string_view text);
  void text(std::string_view text);
  void boolean(bool value);
  void integer(int64_t value);
  void real(double value);

  /// A list of numbers; T is float, double, int32_t, int64_t, int8_t or uint8_t.
  template <class T>
  void numbers(Span<const T> values);
  /// A list of booleans.
  void bits(Span<const uint8_t> values);

  /// Bytes of a packed list that the caller appends, one part after the other, right after this call.
  template <class T>
  void beginPacked(size_t count);
  template <class T>
  void appendPacked(Span<const T> values) {
    mOut.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }

  /// From here on words are spelt out again on first use, so that this part can be read on its own.
  void forgetWords() { mWords.clear(); }

  // word, then value.
  void field(std::string_view key, std::string_view value) { word(key), word(value); }
  void field(std::string_view key, const char* value) { word(key), word(value); }
  void field(std::string_view key, int64_t value) { word(key), integer(value); }
  void field(std::string_view key, bool value) { word(key), boolean(value); }

 private:
  void begin(char bracket);
  void end(char bracket);
  void separate();
  void length(uint64_t n);
  template <class T>
  void raw(T value);
  template <class T>
  void asciiNumber(T value);
  void asciiString(std::string_view text);

  struct Level {
    bool map = false;
    size_t items = 0;
  };
  bool mBinary;
  std::string mOut;
  std::vector<Level> mLevels;  // ASCII only
  std::map<std::string, uint64_t, std::less<>> mWords;
};

}  // namespace hackle::houdini
