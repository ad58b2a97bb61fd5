#include <hackle/io/houdini/json.h>

#include <hackle/core/error.h>
#include <hackle/io/houdini/json_tree_builder.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace hackle::houdini {

namespace {

constexpr size_t kMaxNesting = 256;
constexpr size_t kCancelInterval = size_t(1) << 16;  // values between two looks at the cancel flag

[[noreturn]] void failKind(const char* wanted, const JsonValue& found) {
  throw Error(ErrorCode::BadInput, fmt::format("expected {}, found {}", wanted, found.kindName()));
}

/// An IEEE half, kept apart from integers of the same size.
struct Half {
  uint16_t bits;
};

float toFloat(Half half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000u) << 16;
  const uint32_t exponent = (half.bits >> 10) & 0x1fu;
  const uint32_t mantissa = half.bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | (mantissa << 13);
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

template <class T>
T load(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(toFloat(value));
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    // The bounds are powers of two, so they are exact in both types.
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (!(value >= low && value < high))
      throw Error(ErrorCode::BadInput,
                  fmt::format("the number {} does not fit an integer of {} bits", value, 8 * sizeof(To)));
    return static_cast<To>(value);
  } else {
    const To result = static_cast<To>(value);
    if (static_cast<int64_t>(result) != static_cast<int64_t>(value))
      throw Error(ErrorCode::BadInput,
                  fmt::format("the number {} does not fit an integer of {} bits", value, 8 * sizeof(To)));
    return result;
  }
}

template <class From, class To>
void copyFrom(const void* data, size_t first, size_t count, To* out) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(out, static_cast<const char*>(data) + first * sizeof(From), count * sizeof(From));
  } else {
    for (size_t i = 0; i < count; ++i) out[i] = convert<To>(load<From>(data, first + i));
  }
}

/// Calls f with a value of the C++ type of `type` (not for Bits).
template <class F>
void visitType(NumberType type, F&& f) {
  switch (type) {
    case NumberType::Int8:
      return f(int8_t());
    case NumberType::Int16:
      return f(int16_t());
    case NumberType::Int32:
      return f(int32_t());
    case NumberType::Int64:
      return f(int64_t());
    case NumberType::Real16:
      return f(Half());
    case NumberType::Real32:
      return f(float());
    case NumberType::Real64:
      return f(double());
    case NumberType::Uint8:
      return f(uint8_t());
    case NumberType::Uint16:
      return f(uint16_t());
    case NumberType::Bits:
      break;
  }
}

}  // namespace

uint64_t packedSize(NumberType type, uint64_t count) {
  if (type == NumberType::Bits) return (count / 32 + (count % 32 ? 1 : 0)) * 4;
  uint64_t size = 0;
  visitType(type, [&](auto value) { size = sizeof value; });
  return size * count;
}

// Values ------------------------------------------------------------------------------------------------

JsonValue JsonValue::integer(int64_t v) {
  JsonValue value;
  value.mKind = static_cast<uint8_t>(Kind::Int);
  value.mInt = v;
  return value;
}

JsonValue JsonValue::real(double v) {
  JsonValue value;
  value.mKind = static_cast<uint8_t>(Kind::Real);
  value.mReal = v;
  return value;
}

JsonValue JsonValue::string(std::string_view v) {
  JsonValue value;
  value.mKind = static_cast<uint8_t>(Kind::String);
  value.mCount = v.size() & 0xffffffffffffu;
  value.mData = v.data();
  return value;
}

JsonValue JsonValue::numbers(NumberType type, const void* data, size_t count) {
  JsonValue value;
  value.mKind = static_cast<uint8_t>(Kind::Numbers);
  value.mType = static_cast<uint8_t>(type);
  value.mCount = count & 0xffffffffffffu;
  value.mData = data;
  return value;
}

JsonValue JsonValue::list(bool map, const JsonValue* items, size_t count) {
  JsonValue value;
  value.mKind = static_cast<uint8_t>(map ? Kind::Map : Kind::Array);
  value.mCount = count & 0xffffffffffffu;
  value.mData = items;
  return value;
}

const char* JsonValue::kindName() const {
  static const char* kNames[] = {"nothing", "an integer", "a number", "a string",
                                 "numbers", "an array",   "a map"};
  return kNames[static_cast<size_t>(mKind)];
}

int64_t JsonValue::asInt() const {
  if (kind() == Kind::Int) return mInt;
  if (kind() == Kind::Real) return convert<int64_t>(mReal);
  failKind("an integer", *this);
}

double JsonValue::asReal() const {
  if (kind() == Kind::Real) return mReal;
  if (kind() == Kind::Int) return static_cast<double>(mInt);
  failKind("a number", *this);
}

std::string_view JsonValue::asString() const {
  if (!isString()) failKind("a string", *this);
  return {static_cast<const char*>(mData), mCount};
}

JsonValue JsonValue::at(size_t i) const {
  if (!isList()) failKind("an array", *this);
  if (i >= mCount)
    throw Error(ErrorCode::BadInput, fmt::format("expected more than {} elements, found {}", i, size()));
  if (kind() != Kind::Numbers) return static_cast<const JsonValue*>(mData)[i];
  const bool isReal = numberType() >= NumberType::Real16 && numberType() <= NumberType::Real64;
  return isReal ? real(realAt(i)) : integer(intAt(i));
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (kind() != Kind::Array && kind() != Kind::Map) {
    if (isNull() || isNumbers()) return {};
    failKind("an object", *this);
  }
  const JsonValue* items = static_cast<const JsonValue*>(mData);
  for (size_t i = 0; i + 1 < mCount; i += 2)
    if (items[i].isString() && items[i].asString() == key) return items[i + 1];
  return {};
}

int64_t JsonValue::intAt(size_t i) const {
  int64_t value = 0;
  copyNumbers(i, 1, &value);
  return value;
}

double JsonValue::realAt(size_t i) const {
  double value = 0;
  copyNumbers(i, 1, &value);
  return value;
}

template <class T>
void JsonValue::copyNumbers(size_t first, size_t count, T* out) const {
  if (!isNumbers() && !isNull()) failKind("numbers", *this);
  if (first > mCount || count > mCount - first)
    throw Error(ErrorCode::BadInput, fmt::format("expected {} numbers, found {}", first + count, size()));
  if (count == 0) return;
  if (numberType() == NumberType::Bits) {
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<T>((load<uint32_t>(mData, (first + i) >> 5) >> ((first + i) & 31)) & 1u);
    return;
  }
  visitType(numberType(), [&](auto type) { copyFrom<decltype(type)>(mData, first, count, out); });
}

template void JsonValue::copyNumbers(size_t, size_t, float*) const;
template void JsonValue::copyNumbers(size_t, size_t, double*) const;
template void JsonValue::copyNumbers(size_t, size_t, int32_t*) const;
template void JsonValue::copyNumbers(size_t, size_t, int64_t*) const;
template void JsonValue::copyNumbers(size_t, size_t, uint8_t*) const;

// Building ----------------------------------------------------------------------------------------------

void failAtByte(size_t byte, const std::string& reason) {
  throw Error(ErrorCode::BadInput, fmt::format("byte {}: {}", byte, reason));
}

void JsonTreeBuilder::add(JsonValue value) {
  if (++mAdded % kCancelInterval == 0) mContext.checkCancel();
  mStack.push_back(value);
}

void JsonTreeBuilder::open(bool map, size_t byte) {
  if (mOpen.size() >= kMaxNesting) failAtByte(byte, "lists are nested more than 256 levels deep");
  mOpen.push_back({mStack.size(), map});
}

void JsonTreeBuilder::close(bool map, size_t byte) {
  if (mOpen.empty() || mOpen.back().map != map) failAtByte(byte, "a bracket closes what was not opened");
  const size_t first = mOpen.back().firstChild;
  mOpen.pop_back();
  const JsonValue* children = mStack.data() + first;
  const size_t count = mStack.size() - first;
  if (map) {
    if (count % 2 != 0) failAtByte(byte, "a map ends after a key");
    for (size_t i = 0; i < count; i += 2)
      if (!children[i].isString()) failAtByte(byte, "a map has a key that is no string");
  }

  // Pack lists of numbers.
  bool allNumbers = count > 0 && !map, allInts = true;
  for (size_t i = 0; i < count && allNumbers; ++i) {
    allNumbers = children[i].isNumber();
    allInts = allInts && children[i].kind() == JsonValue::Kind::Int;
  }
  JsonValue value;
  if (allNumbers) {
    char* data = static_cast<char*>(allocate(8 * count));
    for (size_t i = 0; i < count; ++i) {
      if (allInts) {
        new (data + 8 * i) int64_t(children[i].mInt);
      } else {
        new (data + 8 * i) double(children[i].asReal());
      }
    }
    value = JsonValue::numbers(allInts ? NumberType::Int64 : NumberType::Real64, data, count);
  } else {
    JsonValue* items = count == 0 ? nullptr : static_cast<JsonValue*>(allocate(sizeof(JsonValue) * count));
    std::uninitialized_copy_n(children, count, items);
    value = JsonValue::list(map, items, count);
  }
  mStack.resize(first);
  add(value);
}

bool isBinaryJson(std::string_view bytes) {
  return bytes.substr(0, 5) == "\x7fNSJb" || bytes.substr(0, 5) ==
                                                 "\x7f"
                                                 "bJSN";
}

JsonDocument::JsonDocument(std::string_view bytes, Context& context) {
  JsonTreeBuilder builder(mPool, context);
  if (!bytes.empty() && bytes.front() == '\x7f')
    parseBinaryJson(bytes, builder);
  else
    parseAsciiJson(bytes, builder);
  mRoot = builder.root();
}

}  // namespace hackle::houdini
