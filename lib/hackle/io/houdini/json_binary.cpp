#include <hackle/core/error.h>
#include <hackle/io/houdini/json_tree_builder.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace hackle::houdini {

namespace {

/// Ids of values other than numbers.
enum Id : uint8_t {
  kNull = 0x00,
  kTokenReference = 0x26,
  kString = 0x27,
  kTokenDefinition = 0x2b,
  kTokenRemoval = 0x2d,
  kFalse = 0x30,
  kTrue = 0x31,
  kUniformArray = 0x40,
  kArrayBegin = 0x5b,
  kArrayEnd = 0x5d,
  kMapBegin = 0x7b,
  kMapEnd = 0x7d,
};

class BinaryParser {
 public:
  BinaryParser(std::string_view bytes, JsonTreeBuilder& builder) : mBytes(bytes), mBuilder(builder) {}

  void parse() {
    if (!isBinaryJson(mBytes))
      throw Error(ErrorCode::BadInput,
                  "byte 0: not the mark of a Houdini geometry file (binary ones start with 7f 'NSJb')",
                  "the file is damaged or of another kind");
    mSwap = mBytes[1] == 'b';
    mPosition = 5;
    while (!mBuilder.done()) value();
  }

 private:
  uint8_t byte() {
    if (mPosition >= mBytes.size()) failAtByte(mPosition, "the file ends in the middle of the data");
    return static_cast<uint8_t>(mBytes[mPosition++]);
  }

  std::string_view take(uint64_t count) {
    if (count > mBytes.size() - mPosition)
      failAtByte(
          mPosition,
          fmt::format("{} bytes should follow, but the file ends {} bytes later (it is cut off or damaged)",
                      count, mBytes.size() - mPosition));
    const std::string_view taken = mBytes.substr(mPosition, static_cast<size_t>(count));
    mPosition += static_cast<size_t>(count);
    return taken;
  }

  template <class T>
  T number() {
    char raw[sizeof(T)];
    std::memcpy(raw, take(sizeof(T)).data(), sizeof(T));
    if (mSwap) std::reverse(raw, raw + sizeof(T));
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
  }

  uint64_t length() {
    const uint8_t first = byte();
    if (first < 0xf1) return first;
    if (first == 0xf2) return number<uint16_t>();
    if (first == 0xf4) return number<uint32_t>();
    if (first == 0xf8) return number<uint64_t>();
    failAtByte(mPosition - 1, fmt::format("{:#04x} is no length", first));
  }

  std::string_view token() {
    const size_t start = mPosition;
    const uint64_t id = length();
    const auto found = mTokens.find(id);
    if (found == mTokens.end()) failAtByte(start, fmt::format("token {} was not defined", id));
    return found->second;
  }

  void value() {
    const size_t start = mPosition;
    const uint8_t id = byte();
    switch (id) {
      case kNull:
        return mBuilder.add({});
      case kFalse:
      case kTrue:
        return mBuilder.add(JsonValue::integer(id == kTrue));
      case kString:
        return mBuilder.add(JsonValue::string(take(length())));
      case kTokenReference:
        return mBuilder.add(JsonValue::string(token()));
      case kTokenDefinition: {
        const uint64_t token = length();
        mTokens[token] = take(length());
        return;
      }
      case kTokenRemoval:
        mTokens.erase(length());
        return;
      case kArrayBegin:
      case kMapBegin:
        return mBuilder.open(id == kMapBegin, start);
      case kArrayEnd:
      case kMapEnd:
        return mBuilder.close(id == kMapEnd, start);
      case kUniformArray:
        return uniformArray();
      default:
        return scalar(id, start);
    }
  }

  void scalar(uint8_t id, size_t start) {
    switch (static_cast<NumberType>(id)) {
      case NumberType::Bits:
        return mBuilder.add(JsonValue::integer(byte() != 0));
      case NumberType::Int8:
        return mBuilder.add(JsonValue::integer(number<int8_t>()));
      case NumberType::Int16:
        return mBuilder.add(JsonValue::integer(number<int16_t>()));
      case NumberType::Int32:
        return mBuilder.add(JsonValue::integer(number<int32_t>()));
      case NumberType::Int64:
        return mBuilder.add(JsonValue::integer(number<int64_t>()));
      case NumberType::Uint8:
        return mBuilder.add(JsonValue::integer(number<uint8_t>()));
      case NumberType::Uint16:
        return mBuilder.add(JsonValue::integer(number<uint16_t>()));
      case NumberType::Real32:
        return mBuilder.add(JsonValue::real(static_cast<double>(number<float>())));
      case NumberType::Real64:
        return mBuilder.add(JsonValue::real(number<double>()));
      case NumberType::Real16: {
        const uint16_t half = number<uint16_t>();
        return mBuilder.add(JsonValue::real(JsonValue::numbers(NumberType::Real16, &half, 1).realAt(0)));
      }
    }
    failAtByte(start, fmt::format("{:#04x} starts no value", id));
  }

  void uniformArray() {
    const size_t start = mPosition;
    const uint8_t type = byte();
    const uint64_t count = length();
    if (type == kString || type == kTokenReference) {
      if (count > mBytes.size() - mPosition) failAtByte(start, "an array of strings is longer than the file");
      mBuilder.open(false, start);
      for (uint64_t i = 0; i < count; ++i)
        mBuilder.add(JsonValue::string(type == kString ? take(length()) : token()));
      return mBuilder.close(false, start);
    }
    const NumberType number = static_cast<NumberType>(type);
    const uint64_t elementSize = number == NumberType::Bits ? 4 : packedSize(number, 1);
    if (elementSize == 0) failAtByte(start, fmt::format("{:#04x} is no type of packed numbers", type));
    const uint64_t perElement = number == NumberType::Bits ? 32 : 1;
    if (count / perElement > (mBytes.size() - mPosition) / elementSize)
      failAtByte(start, fmt::format("an array of {} numbers is longer than the rest of the file", count));
    const std::string_view raw = take(packedSize(number, count));
    mBuilder.add(JsonValue::numbers(number, mSwap ? swapped(raw, elementSize) : raw.data(),
                                    static_cast<size_t>(count)));
  }

  const char* swapped(std::string_view raw, uint64_t elementSize) {
    char* copy = static_cast<char*>(mBuilder.allocate(raw.size()));
    std::memcpy(copy, raw.data(), raw.size());
    for (size_t i = 0; i < raw.size(); i += elementSize) std::reverse(copy + i, copy + i + elementSize);
    return copy;
  }

  std::string_view mBytes;
  JsonTreeBuilder& mBuilder;
  size_t mPosition = 0;
  bool mSwap = false;
  std::unordered_map<uint64_t, std::string_view> mTokens;  // the last definition of an id wins
};

}  // namespace

void parseBinaryJson(std::string_view bytes, JsonTreeBuilder& builder) {
  BinaryParser(bytes, builder).parse();
}

}  // namespace hackle::houdini
