#include <hackle/io/houdini/json_writer.h>

#include <hackle/core/error.h>
#include <hackle/io/houdini/json.h>

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <type_traits>

namespace hackle::houdini {

namespace {

template <class T>
constexpr NumberType numberTypeOf() {
  if constexpr (std::is_same_v<T, float>) return NumberType::Real32;
  if constexpr (std::is_same_v<T, double>) return NumberType::Real64;
  if constexpr (std::is_same_v<T, int8_t>) return NumberType::Int8;
  if constexpr (std::is_same_v<T, uint8_t>) return NumberType::Uint8;
  if constexpr (std::is_same_v<T, int32_t>) return NumberType::Int32;
  return NumberType::Int64;
}

}  // namespace

JsonWriter::JsonWriter(bool binary) : mBinary(binary), mOut(binary ? "\x7fNSJb" : "") {}

template <class T>
void JsonWriter::raw(T value) {
  mOut.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void JsonWriter::length(uint64_t n) {
  if (n < 0xf1) {
    raw(static_cast<uint8_t>(n));
  } else if (n <= 0xffff) {
    mOut.push_back('\xf2');
    raw(static_cast<uint16_t>(n));
  } else if (n <= 0xffffffff) {
    mOut.push_back('\xf4');
    raw(static_cast<uint32_t>(n));
  } else {
    mOut.push_back('\xf8');
    raw(n);
  }
}

/// ASCII: what stands between this value and the one before.
void JsonWriter::separate() {
  if (mLevels.empty()) return;
  Level& level = mLevels.back();
  if (level.items > 0) mOut.push_back(level.map && level.items % 2 == 1 ? ':' : ',');
  ++level.items;
}

void JsonWriter::begin(char bracket) {
  if (!mBinary) {
    separate();
    if (!mLevels.empty()) mOut.push_back('\n');
    mLevels.push_back({bracket == '{', 0});
  }
  mOut.push_back(bracket);
}

void JsonWriter::end(char bracket) {
  if (!mBinary) mLevels.pop_back();
  mOut.push_back(bracket);
}

void JsonWriter::asciiString(std::string_view text) {
  separate();
  mOut.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      mOut.push_back('\\');
      mOut.push_back(c);
    } else if (static_cast<uint8_t>(c) < 0x20) {
      mOut += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      mOut.push_back(c);
    }
  }
  mOut.push_back('"');
}

void JsonWriter::word(std::string_view text) {
  if (!mBinary) return asciiString(text);
  const auto [known, isNew] = mWords.emplace(text, mWords.size());
  if (isNew) {
    mOut.push_back('+');
    length(known->second);
    length(text.size());
    mOut += text;
  }
  mOut.push_back('&');
  length(known->second);
}

void JsonWriter::text(std::string_view text) {
  if (!mBinary) return asciiString(text);
  mOut.push_back('\'');
  length(text.size());
  mOut += text;
}

void JsonWriter::boolean(bool value) {
  if (mBinary) {
    mOut.push_back(value ? '\x31' : '\x30');
  } else {
    separate();
    mOut += value ? "true" : "false";
  }
}

void JsonWriter::integer(int64_t value) {
  if (!mBinary) return asciiNumber(value);
  const auto write = [&](auto narrow) {
    using T = decltype(narrow);
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) return false;
    mOut.push_back(static_cast<char>(sizeof(T) == 2 ? NumberType::Int16 : numberTypeOf<T>()));
    raw(static_cast<T>(value));
    return true;
  };
  if (!write(int8_t()) && !write(int16_t()) && !write(int32_t())) write(int64_t());
}

void JsonWriter::real(double value) {
  if (!mBinary) return asciiNumber(value);
  mOut.push_back(static_cast<char>(NumberType::Real64));
  raw(value);
}

/// The shortest digits that read back as the same number.
template <class T>
void JsonWriter::asciiNumber(T value) {
  separate();
  char digits[32];
  if constexpr (sizeof(T) == 1) {
    mOut.append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<int>(value)).ptr);
  } else {
    mOut.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

template <class T>
void JsonWriter::beginPacked(size_t count) {
  HACKLE_ASSERT(mBinary);
  mOut.push_back('@');
  mOut.push_back(static_cast<char>(numberTypeOf<T>()));
  length(count);
}

template <class T>
void JsonWriter::numbers(Span<const T> values) {
  if (mBinary) {
    beginPacked<T>(values.size());
    appendPacked(values);
    return;
  }
  beginArray();
  for (const T value : values) asciiNumber(value);
  endArray();
}

void JsonWriter::bits(Span<const uint8_t> values) {
  if (!mBinary) {
    beginArray();
    for (const uint8_t value : values) boolean(value != 0);
    return endArray();
  }
  mOut.push_back('@');
  mOut.push_back(static_cast<char>(NumberType::Bits));
  length(values.size());
  for (size_t first = 0; first < values.size(); first += 32) {
    uint32_t word = 0;
    for (size_t i = first; i < values.size() && i < first + 32; ++i)
      if (values[i]) word |= uint32_t(1) << (i - first);
    raw(word);
  }
}

template void JsonWriter::numbers(Span<const float>);
template void JsonWriter::numbers(Span<const double>);
template void JsonWriter::numbers(Span<const int8_t>);
template void JsonWriter::numbers(Span<const uint8_t>);
template void JsonWriter::numbers(Span<const int32_t>);
template void JsonWriter::numbers(Span<const int64_t>);
template void JsonWriter::beginPacked<float>(size_t);
template void JsonWriter::beginPacked<double>(size_t);
template void JsonWriter::beginPacked<int32_t>(size_t);
template void JsonWriter::beginPacked<int64_t>(size_t);

}  // namespace hackle::houdini
