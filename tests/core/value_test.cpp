#include <gtest/gtest.h>
#include <hackle/core/cow_array.h>
#include <hackle/core/error.h>
#include <hackle/core/value.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace hackle {
namespace {

TEST(Value, PrintsJson) {
  Value report;
  report.set("text", "a \"b\"\n\t\\\x01");
  report.set("count", 3);
  report.set("ratio", 0.1);
  report.set("whole", 2.0);
  report.set("none", Value());
  report.set("nan", std::nan(""));
  report.set("list", Value::List{1, 2.5, false});
  EXPECT_EQ(
      report.toJson(-1),
      "{\"text\":\"a \\\"b\\\"\\n\\t\\\\\\u0001\",\"count\":3,\"ratio\":0.1,\"whole\":2.0,\"none\":null,"
      "\"nan\":null,\"list\":[1,2.5,false]}");
}

TEST(Value, NumbersReadBackEqual) {
  for (const double x : {1.0 / 3, 1e-300, -2.5e17, 5e-324, std::numeric_limits<double>::max()})
    EXPECT_EQ(std::strtod(Value(x).toJson(-1).c_str(), nullptr), x);
}

TEST(Value, SetKeepsThePlaceOfAKey) {
  Value map;
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  EXPECT_EQ(map.toJson(-1), "{\"a\":3,\"b\":2}");
  EXPECT_EQ(map.find("c"), nullptr);
}

TEST(Value, WrongTypeIsABug) { EXPECT_THROW(Value("x").asInt(), Error); }

TEST(CowArray, CopiesShareUntilEdited) {
  CowArray<int> a{1, 2, 3};
  CowArray<int> b = a;
  EXPECT_TRUE(a.sharesStorageWith(b));
  b.edit()[0] = 9;
  EXPECT_FALSE(a.sharesStorageWith(b));
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(b[0], 9);
  const int* data = b.data();
  b.edit()[1] = 8;  // alone now: no further copy
  EXPECT_EQ(b.data(), data);
}

}  // namespace
}  // namespace hackle
