#include <hackle/geometry/attribute.h>

#include <gtest/gtest.h>

#include <cmath>

namespace hackle {
namespace {

constexpr Storage kNumeric[] = {Storage::Float32, Storage::Float64, Storage::Int32, Storage::Int64};

TEST(Attribute, CopiesShareStorageUntilEdited) {
  Attribute a("a", Storage::Float32, 3, 10);
  const Attribute b = a;
  EXPECT_TRUE(a.array<float>().sharesStorageWith(b.array<float>()));
  a.setNumber(4, 1, 2.5);
  EXPECT_FALSE(a.array<float>().sharesStorageWith(b.array<float>()));
  EXPECT_EQ(a.number(4, 1), 2.5);
  EXPECT_EQ(b.number(4, 1), 0.0);
}

TEST(Attribute, NewElementsGetDefaults) {
  for (const Storage storage : kNumeric) {
    Attribute a("a", storage, 3);
    a.defaults = {1, 2};  // the last counts for the rest
    a.resize(2);
    a.setNumber(1, 0, 9);
    a.resize(3);
    EXPECT_EQ(a.number(0, 0), 1.0);
    EXPECT_EQ(a.number(2, 1), 2.0);
    EXPECT_EQ(a.number(2, 2), 2.0);
    EXPECT_EQ(a.number(1, 0), 9.0);
    a.resize(1);
    EXPECT_EQ(a.elementCount(), 1u);
  }
}

TEST(Attribute, AppendConvertsNumbersAndFitsTuples) {
  for (const Storage to : kNumeric)
    for (const Storage from : kNumeric) {
      Attribute a("a", to, 2, 1), wide("a", from, 3, 2), narrow("a", from, 1, 1);
      for (int c = 0; c < 3; ++c) wide.setNumber(1, c, 10 + c);
      narrow.setNumber(0, 0, 7);
      a.append(wide);
      a.append(narrow);
      ASSERT_EQ(a.elementCount(), 4u);
      EXPECT_EQ(a.storage(), to);
      EXPECT_EQ(a.number(2, 0), 10.0);
      EXPECT_EQ(a.number(2, 1), 11.0);
      EXPECT_EQ(a.number(3, 0), 7.0);
      EXPECT_EQ(a.number(3, 1), 0.0);
    }
}

TEST(Attribute, NumbersThatDoNotFitAreClamped) {
  // Conversion of an out-of-range float to an integer is undefined in C++; ours saturates and NaN is 0.
  Attribute big("a", Storage::Float64, 1, 4);
  big.setNumber(0, 0, 1e300);
  big.setNumber(1, 0, -1e300);
  big.setNumber(2, 0, std::nan(""));
  big.setNumber(3, 0, 12.9);
  for (const Storage storage : {Storage::Int32, Storage::Int64}) {
    Attribute whole("a", storage, 1);
    whole.append(big);
    const bool narrow = storage == Storage::Int32;
    EXPECT_EQ(whole.number(0), narrow ? 2147483647.0 : 9223372036854775807.0);
    EXPECT_EQ(whole.number(1), narrow ? -2147483648.0 : -9223372036854775808.0);
    EXPECT_EQ(whole.number(2), 0.0);
    EXPECT_EQ(whole.number(3), 12.0);
    whole.setNumber(3, 0, -1e300);
    EXPECT_EQ(whole.number(3), whole.number(1));
  }
}

TEST(Attribute, StringsAreKeptOnce) {
  Attribute a("s", Storage::String, 1, 4);
  a.setString(0, "x");
  a.setString(1, "y");
  a.setString(2, "x");
  EXPECT_EQ(a.strings().table.size(), 2u);
  EXPECT_EQ(a.string(3), "");
  a.setString(0, "");
  EXPECT_EQ(a.string(0), "");
  EXPECT_EQ(a.string(2), "x");
}

TEST(Attribute, AppendJoinsStringTables) {
  Attribute a("s", Storage::String, 1, 2), b("s", Storage::String, 1, 3);
  a.setString(0, "x");
  a.setString(1, "y");
  b.setString(0, "y");
  b.setString(1, "z");
  a.append(b);
  const char* expected[] = {"x", "y", "y", "z", ""};
  for (size_t e = 0; e < 5; ++e) EXPECT_EQ(a.string(e), expected[e]);
  EXPECT_EQ(a.strings().table.size(), 3u);
  EXPECT_THROW(a.append(Attribute("s", Storage::Float32, 1, 1)), Error);
  EXPECT_THROW(Attribute("s", Storage::Float32, 1, 1).append(a), Error);
}

TEST(Attribute, AppendToItselfDoubles) {
  Attribute a("a", Storage::Int32, 1, 2), s("s", Storage::String, 1, 2);
  a.setNumber(1, 0, 5);
  s.setString(1, "x");
  a.append(Attribute(a));
  s.append(Attribute(s));
  EXPECT_EQ(a.number(3), 5.0);
  EXPECT_EQ(s.string(3), "x");
}

TEST(Attribute, GatherReorders) {
  Attribute a("a", Storage::Int64, 2, 3), s("s", Storage::String, 2, 3);
  for (size_t e = 0; e < 3; ++e)
    for (int c = 0; c < 2; ++c) {
      a.setNumber(e, c, static_cast<double>(10 * e) + c);
      s.setString(e, std::to_string(10 * static_cast<int>(e) + c), c);
    }
  const std::vector<int32_t> order{2, 0, 2, 1};
  const Attribute g = a.gathered(order), t = s.gathered(order);
  for (size_t i = 0; i < order.size(); ++i)
    for (int c = 0; c < 2; ++c) {
      EXPECT_EQ(g.number(i, c), a.number(static_cast<size_t>(order[i]), c));
      EXPECT_EQ(t.string(i, c), s.string(static_cast<size_t>(order[i]), c));
    }
  EXPECT_TRUE(t.strings().table.sharesStorageWith(s.strings().table));
}

TEST(Attribute, EqualityIsByValueNotByTable) {
  Attribute a("s", Storage::String, 1), b("s", Storage::String, 1);
  a.assignStrings({CowArray<std::string>{"x", "y"}, CowArray<int32_t>{0, 1, -1}});
  b.assignStrings({CowArray<std::string>{"", "y", "x"}, CowArray<int32_t>{2, 1, 0}});
  EXPECT_TRUE(a == b);
  b.setString(0, "y");
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace hackle
