// Houdini's JSON, binary or ASCII, as one small tree whose big arrays stay where they are in the file.
#pragma once

#include <hackle/core/context.h>

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>

namespace hackle::houdini {

/// Types of packed numbers, by their ids in binary files. Bits are 32-bit words, lowest bit first.
enum class NumberType : uint8_t {
  Bits = 0x10,
  Int8 = 0x11,
  Int16 = 0x12,
  Int32 = 0x13,
  Int64 = 0x14,
  Real16 = 0x18,
  Real32 = 0x19,
  Real64 = 0x1a,
  Uint8 = 0x21,
  Uint16 = 0x22,
};

/// Bytes of `count` packed numbers; 0 if `type` is no number type.
uint64_t packedSize(NumberType type, uint64_t count);

/// A node of the tree: 16 bytes, copied freely, valid as long as its document. Lists of numbers are one node
/// (packed) whatever way the file spells them; booleans are the numbers 0 and 1. An object may be a map or a
/// list of key, value, key, value: `[key]` reads both. What is absent is null.
///
/// The accessors throw Error(BadInput) that says what they found when the value is of another kind.
class JsonValue {
 public:
  enum class Kind : uint8_t { Null, Int, Real, String, Numbers, Array, Map };

  JsonValue() : mCount(0), mKind(0), mType(0) {}
  static JsonValue integer(int64_t v);
  static JsonValue real(double v);
  static JsonValue string(std::string_view v);
  static JsonValue numbers(NumberType type, const void* data, size_t count);
  static JsonValue list(bool map, const JsonValue* items, size_t count);

  Kind kind() const { return static_cast<Kind>(mKind); }
  const char* kindName() const;
  bool isNull() const { return kind() == Kind::Null; }
  bool isString() const { return kind() == Kind::String; }
  bool isNumber() const { return kind() == Kind::Int || kind() == Kind::Real; }
  /// Anything with elements: numbers, arrays, maps.
  bool isList() const { return kind() >= Kind::Numbers; }

  int64_t asInt() const;
  double asReal() const;
  bool asBool() const { return asInt() != 0; }
  std::string_view asString() const;

  /// Elements of a list (a map has two per entry), bytes of a string, else 0.
  size_t size() const { return mCount; }
  JsonValue at(size_t i) const;
  /// The value after `key`, or null.
  JsonValue operator[](std::string_view key) const;

  /// For lists of numbers only (an empty list is one); isNumbers tells.
  bool isNumbers() const { return kind() == Kind::Numbers || (isList() && mCount == 0); }
  NumberType numberType() const { return static_cast<NumberType>(mType); }
  int64_t intAt(size_t i) const;
  double realAt(size_t i) const;
  /// Converts numbers [first, first + count) to T: float, double, int32_t, int64_t or uint8_t. Integers that
  /// do not fit are an Error(BadInput). Bulk speed.
  template <class T>
  void copyNumbers(size_t first, size_t count, T* out) const;

 private:
  friend class JsonTreeBuilder;
  uint64_t mCount : 48;
  uint64_t mKind : 8;
  uint64_t mType : 8;
  union {
    int64_t mInt = 0;
    double mReal;
    const void* mData;
  };
};

/// A parsed document. `bytes` must outlive it. Malformed data is an Error(BadInput) that names the byte.
class JsonDocument {
 public:
  JsonDocument(std::string_view bytes, Context& context);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  const JsonValue& root() const { return mRoot; }

 private:
  std::pmr::monotonic_buffer_resource mPool;  // child lists, packed ASCII numbers, unescaped strings
  JsonValue mRoot;
};

/// True for the first bytes of binary JSON of either byte order.
bool isBinaryJson(std::string_view bytes);

}  // namespace hackle::houdini
