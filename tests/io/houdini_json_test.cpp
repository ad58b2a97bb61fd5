// Houdini's JSON: both encodings, and what is malformed in them.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/io/houdini/json.h>
#include <hackle/io/houdini/json_writer.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hackle::houdini {
namespace {

using namespace std::string_literals;

const std::string kMark = "\x7fNSJb";

std::string refusal(const std::string& bytes) {
  Context context;
  try {
    const JsonDocument document(bytes, context);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    return e.what();
  }
  return "";
}

/// One number of every kind in a list with a string, so that it stays a list of nodes.
TEST(HoudiniJson, ReadsEveryBinaryScalar) {
  const std::string bytes = kMark + "[" + "\x00"s + "\x30\x31" + "\x10\x01" + "\x11\xff" + "\x12\x34\x12" +
                            "\x13\x78\x56\x34\x12" + "\x14\xff\xff\xff\xff\xff\xff\xff\x7f" + "\x21\xff" +
                            "\x22\xff\xff" + "\x18\x00\x3e"s + "\x19\x00\x00\xc0\x3f"s +
                            "\x1a\x00\x00\x00\x00\x00\x00\xf8\x3f"s + "\x27\x02hi" + "]";
  Context context;
  const JsonDocument document(bytes, context);
  const JsonValue& list = document.root();
  ASSERT_EQ(list.size(), 14u);
  EXPECT_TRUE(list.at(0).isNull());
  const int64_t integers[] = {0,   1,    1, -1, 0x1234, 0x12345678, std::numeric_limits<int64_t>::max(),
                              255, 65535};
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(list.at(i + 1).asInt(), integers[i]) << i;
  for (size_t i = 10; i < 13; ++i) EXPECT_EQ(list.at(i).asReal(), 1.5) << i;
  EXPECT_EQ(list.at(13).asString(), "hi");
}

TEST(HoudiniJson, ConvertsHalfFloats) {
  const uint16_t bits[] = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00, 0xc000, 0x7bff, 0x7c00, 0xfc00};
  const double wanted[] = {0.0, -0.0, 0x1p-24, 1023 * 0x1p-24, 0x1p-14, 1, -2, 65504, INFINITY, -INFINITY};
  const JsonValue list = JsonValue::numbers(NumberType::Real16, bits, 10);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(list.realAt(i), wanted[i]);
    EXPECT_EQ(std::signbit(list.realAt(i)), std::signbit(wanted[i]));
  }
  const uint16_t nan = 0x7e00;
  EXPECT_TRUE(std::isnan(JsonValue::numbers(NumberType::Real16, &nan, 1).realAt(0)));
}

TEST(HoudiniJson, TheLastDefinitionOfATokenWins) {
  const std::string bytes = kMark + "[+" + "\x00\x01"s + "a&" + "\x00"s + "+" + "\x00\x01"s + "b&" + "\x00"s +
                            "@\x26\x02" + "\x00\x00"s + "-" + "\x00"s + "]";
  Context context;
  const JsonDocument document(bytes, context);
  EXPECT_EQ(document.root().at(0).asString(), "a");
  EXPECT_EQ(document.root().at(1).asString(), "b");
  EXPECT_EQ(document.root().at(2).at(1).asString(), "b");
  EXPECT_NE(refusal(kMark + "[-" + "\x00"s + "&" + "\x00"s + "]").find("token 0 was not defined"),
            std::string::npos);
}

TEST(HoudiniJson, MapsAndFlatListsAreObjects) {
  Context context;
  const std::string text = R"({"a": 1, "b": ["c", 2.5, "d", [1, 2, true]]})";
  const JsonDocument document(text, context);
  EXPECT_EQ(document.root()["a"].asInt(), 1);
  EXPECT_EQ(document.root()["b"]["c"].asReal(), 2.5);
  EXPECT_TRUE(document.root()["b"]["d"].isNumbers());
  EXPECT_EQ(document.root()["b"]["d"].intAt(2), 1);
  EXPECT_TRUE(document.root()["none"].isNull());
}

TEST(HoudiniJson, ReadsAsciiNumbersAndStrings) {
  Context context;
  const std::string text =
      "[\"x\\n\\\"\\u00e9\\ud83d\\ude00\", -0, 1e3, nan, -inf, 9223372036854775807, 1e999, 1e-999, true, "
      "null]";
  const JsonDocument document(text, context);
  const JsonValue& list = document.root();
  EXPECT_EQ(list.at(0).asString(), "x\n\"\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_TRUE(std::signbit(list.at(1).asReal()));
  EXPECT_EQ(list.at(2).asReal(), 1000);
  EXPECT_TRUE(std::isnan(list.at(3).asReal()));
  EXPECT_EQ(list.at(4).asReal(), -INFINITY);
  EXPECT_EQ(list.at(5).asInt(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(list.at(6).asReal(), INFINITY);
  EXPECT_EQ(list.at(7).asReal(), 0);
  EXPECT_EQ(list.at(8).asInt(), 1);
  EXPECT_TRUE(list.at(9).isNull());
}

TEST(HoudiniJson, NamesTheByteOfWhatIsWrong) {
  EXPECT_NE(refusal(kMark + "[\x27\xf1]").find("byte 7"), std::string::npos);       // no length
  EXPECT_NE(refusal(kMark + "[\x27\x05hi]").find("byte 8"), std::string::npos);     // string too long
  EXPECT_NE(refusal(kMark + "[\x99]").find("byte 6"), std::string::npos);           // no value
  EXPECT_NE(refusal(kMark + "[}").find("byte 6"), std::string::npos);               // wrong bracket
  EXPECT_NE(refusal(kMark + "{\x11\x01\x11\x01}").find("key"), std::string::npos);  // key is no string
  EXPECT_NE(refusal("[1, \"a]").find("byte 5"), std::string::npos);
  EXPECT_NE(refusal("[1, oops]").find("byte 4"), std::string::npos);
  EXPECT_NE(refusal("[1, 2").find("byte 5"), std::string::npos);
  EXPECT_NE(refusal("hello").find("byte 0"), std::string::npos);
  EXPECT_NE(refusal("").find("byte 0"), std::string::npos);
  EXPECT_NE(refusal(std::string(300, '[')).find("256"), std::string::npos);
  EXPECT_NE(refusal(kMark + std::string(300, '[')).find("256"), std::string::npos);
}

/// Arrays that claim more than the file holds, also where count * size overflows.
TEST(HoudiniJson, RefusesArraysLongerThanTheFile) {
  for (const char type : {'\x10', '\x11', '\x13', '\x14', '\x1a', '\x26', '\x27'}) {
    EXPECT_NE(refusal(kMark + "[@" + type + "\xf8\xff\xff\xff\xff\xff\xff\xff\xff]"), "") << int(type);
    EXPECT_NE(refusal(kMark + "[@" + type + "\xf8\x00\x00\x00\x00\x00\x00\x00\x20]"s), "") << int(type);
  }
  EXPECT_NE(refusal(kMark + "[@\x00\x01]"s), "");
}

// Writing and reading back -------------------------------------------------------------------------------

void writeRandom(JsonWriter& out, Random& random, int depth) {
  switch (random.below(depth > 4 ? 5 : 9)) {
    case 0:
      return out.word("w" + std::to_string(random.below(300)));
    case 1:
      return out.text(std::string(random.below(300), '\t') + "\"\\");
    case 2:
      return out.boolean(random.below(2) == 1);
    case 3:
      return out.integer(static_cast<int64_t>(random.next() >> random.below(64)) *
                         (random.below(2) ? 1 : -1));
    case 4:
      return out.real(random.uniform(-1, 1));
    case 5: {
      std::vector<float> values(random.below(300));
      for (float& v : values) v = static_cast<float>(random.normal());
      return out.numbers(Span<const float>(values));
    }
    case 6: {
      std::vector<uint8_t> values(random.below(100));
      for (uint8_t& v : values) v = static_cast<uint8_t>(random.below(2));
      return out.bits(values);
    }
    case 7:
      out.beginMap();
      for (uint64_t n = random.below(5); n > 0; --n) {
        out.word("key" + std::to_string(n));
        writeRandom(out, random, depth + 1);
      }
      return out.endMap();
    default:
      out.beginArray();
      for (uint64_t n = random.below(8); n > 0; --n) writeRandom(out, random, depth + 1);
      return out.endArray();
  }
}

std::string randomDocument(bool binary, uint64_t seed) {
  JsonWriter out(binary);
  Random random(seed);
  out.beginArray();
  for (int i = 0; i < 20; ++i) writeRandom(out, random, 0);
  out.endArray();
  return out.take();
}

void expectEqual(const JsonValue& a, const JsonValue& b) {
  ASSERT_EQ(a.isList(), b.isList());
  if (a.isNumber()) {
    EXPECT_EQ(a.asReal(), b.asReal());
  } else if (a.isString()) {
    EXPECT_EQ(a.asString(), b.asString());
  }
  ASSERT_EQ(a.size(), b.size());
  // ASCII keeps the shortest digits of single precision, which are another double.
  if (a.isNumbers())
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(static_cast<float>(a.realAt(i)), static_cast<float>(b.realAt(i)));
  else if (a.isList())
    for (size_t i = 0; i < a.size(); ++i) expectEqual(a.at(i), b.at(i));
}

TEST(HoudiniJson, BothEncodingsGiveTheSameTree) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Context context;
    const std::string binary = randomDocument(true, seed), ascii = randomDocument(false, seed);
    const JsonDocument a(binary, context), b(ascii, context);
    expectEqual(a.root(), b.root());
  }
}

TEST(HoudiniJson, EveryPrefixIsRefused) {
  for (const bool binary : {true, false}) {
    const std::string bytes = randomDocument(binary, 7);
    for (size_t length = 0; length < bytes.size(); length += 1 + length / 64)
      EXPECT_NE(refusal(bytes.substr(0, length)), "") << length;
    EXPECT_EQ(refusal(bytes), "");
  }
}

TEST(HoudiniJson, DamageIsRefusedOrHarmless) {
  for (const bool binary : {true, false}) {
    const std::string bytes = randomDocument(binary, 3);
    Random random(11);
    for (int trial = 0; trial < 3000; ++trial) {
      std::string damaged = bytes;
      for (int i = 0; i < 3; ++i)
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      refusal(damaged);  // throws nothing but Error(BadInput)
    }
  }
}

TEST(HoudiniJson, NumbersThatDoNotFitAreRefused) {
  const double reals[] = {1e10, NAN, -3e9};
  const int64_t wide[] = {int64_t(1) << 40};
  int32_t out = 0;
  for (size_t i = 0; i < 3; ++i)
    EXPECT_THROW(JsonValue::numbers(NumberType::Real64, reals, 3).copyNumbers(i, 1, &out), Error);
  EXPECT_THROW(JsonValue::numbers(NumberType::Int64, wide, 1).copyNumbers(0, 1, &out), Error);
  EXPECT_THROW(JsonValue::numbers(NumberType::Int64, wide, 1).copyNumbers(0, 2, &out), Error);
}

}  // namespace
}  // namespace hackle::houdini
