#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/io/text_emitter.h>
#include <hackle/io/text_scanner.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace hackle {
namespace {

template <class Real>
Real parsed(const std::string& text) {
  const char* at = text.data();
  Real value = 42;
  EXPECT_TRUE(parseNumber(at, text.data() + text.size(), value)) << text;
  EXPECT_EQ(at, text.data() + text.size()) << text;
  return value;
}

template <class Real>
bool sameBits(Real a, Real b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(ParseNumber, AgreesWithTheStandardLibrary) {
  const char* texts[] = {"0",
                         "-0",
                         "1",
                         "-1",
                         "+7",
                         ".5",
                         "5.",
                         "1e22",
                         "1e23",
                         "123456789012345678",
                         "9007199254740993",
                         "0.1",
                         "1e-22",
                         "1e-23",
                         "3.4028236e38",
                         "1.17549435e-38",
                         "1e-45",
                         "7e-46",
                         "1.40129846e-45",
                         "4.9e-324",
                         "2e-324",
                         "1.7976931348623157e308",
                         "0.000000000000000000000000000001",
                         "16777217",
                         "16777217.0000001",
                         "8388608.5",
                         "1e400",
                         "-1e400",
                         "1e-400",
                         "-1e-400",
                         "0e999999999999",
                         "1e99999999999999999999",
                         "00000000000000000000000000000000001.5",
                         "0.3000000000000000166533453693773481063545",
                         "100000000000000000000000000000000000000000000000000",
                         "1E5",
                         "1e+5"};
  for (const char* text : texts) {
    EXPECT_TRUE(sameBits(parsed<double>(text), std::strtod(text, nullptr))) << text;
    EXPECT_TRUE(sameBits(parsed<float>(text), std::strtof(text, nullptr))) << text;
  }
}

TEST(ParseNumber, RandomDecimalsAreCorrectlyRounded) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    std::string text = std::to_string(random() >> (random() % 64));
    if (random() % 2) text.insert(random() % (text.size() + 1), ".");
    if (random() % 2) text += "e" + std::to_string(static_cast<int>(random() % 90) - 45);
    EXPECT_TRUE(sameBits(parsed<double>(text), std::strtod(text.c_str(), nullptr))) << text;
    EXPECT_TRUE(sameBits(parsed<float>(text), std::strtof(text.c_str(), nullptr))) << text;
  }
}

TEST(ParseNumber, HalfwaysBetweenSinglesRoundOnce) {
  // Rounded to double first, this decimal becomes the tie 1 + 2^-24 and would then go to the even 1.
  const std::string text = "1.00000005960464477540";
  EXPECT_EQ(parsed<float>(text), std::nextafter(1.0f, 2.0f));
}

TEST(ParseNumber, KnowsWhatIsNoNumber) {
  EXPECT_TRUE(std::isnan(parsed<double>("nan")));
  EXPECT_EQ(parsed<double>("-inf"), -HUGE_VAL);
  EXPECT_EQ(parsed<float>("+inf"), HUGE_VALF);
  for (const std::string text : {"", "-", "+", ".", "e5", "+-1", "--1", "x", "-."}) {
    const char* at = text.data();
    double value;
    EXPECT_FALSE(parseNumber(at, at + text.size(), value)) << text;
    EXPECT_EQ(at, text.data());
  }
}

TEST(TextEmitter, NumbersReadBackExactly) {
  Context context;
  std::mt19937_64 random(11);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = random();
    double wide;
    float narrow;
    std::memcpy(&wide, &bits, sizeof wide);
    std::memcpy(&narrow, &bits, sizeof narrow);
    TextEmitter out(context);
    if (std::isfinite(wide)) {
      out.number(wide);
      EXPECT_TRUE(sameBits(parsed<double>(out.take()), wide));
    }
    if (std::isfinite(narrow)) {
      out.number(narrow);
      EXPECT_TRUE(sameBits(parsed<float>(out.take()), narrow));
    }
  }
}

TEST(TextEmitter, KeepsTextAcrossGrowth) {
  Context context;
  TextEmitter out(context);
  std::string expected;
  for (int i = 0; i < 300000; ++i) {
    out.number(i);
    out.next(0.5f);
    out.endLine();
    expected += std::to_string(i) + " 0.5\n";
  }
  EXPECT_EQ(out.take(), expected);
  EXPECT_EQ(out.take(), "");
}

TEST(TextScanner, WordsLinesAndComments) {
  Context context;
  TextScanner scan("  a b\t# c\r\n\r\n \n d", context, {'#', false, {}});
  EXPECT_EQ(scan.word(), "a");
  EXPECT_EQ(scan.word(), "b");
  EXPECT_TRUE(scan.atLineEnd());
  EXPECT_EQ(scan.word(), "");
  EXPECT_TRUE(scan.nextItem());
  EXPECT_EQ(scan.word(), "d");
  EXPECT_FALSE(scan.nextItem());
}

TEST(TextScanner, ContinuationsJoinLines) {
  Context context;
  TextScanner scan("1 2\\\n 3 \\\r\n4\nskipped \\\n too\n5 # no \\\n6", context, {'#', true, {}});
  for (int64_t i = 1; i <= 4; ++i) EXPECT_EQ(scan.integer("i"), i);
  EXPECT_TRUE(scan.atLineEnd());
  scan.nextLine();
  scan.nextLine();
  EXPECT_EQ(scan.integer("i"), 5);
  EXPECT_TRUE(scan.nextItem());
  EXPECT_EQ(scan.integer("i"), 6);
}

TEST(TextScanner, ErrorsNameTheLineAndTheWord) {
  Context context;
  const auto message = [&](std::string_view text, auto read) -> std::string {
    TextScanner scan(text, context, {'#', false, "part"});
    try {
      scan.nextItem();
      read(scan);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const auto number = [](TextScanner& s) { s.number("x"); };
  EXPECT_EQ(message("\n\n1.5abc", number), "part line 3: expected a number for x, found '1.5abc'");
  EXPECT_EQ(message("", number), "part line 1: expected a number for x, but the file ends");
  EXPECT_EQ(message("1\n2", [](TextScanner& s) { s.number("x"), s.number("y"); }),
            "part line 1: expected a number for y, but the line ends");
  EXPECT_EQ(message("1.5", [](TextScanner& s) { s.integer("n"); }),
            "part line 1: expected a whole number for n, found '1.5'");
  EXPECT_EQ(message("9 1 2", [](TextScanner& s) { s.count("points", 2); }),
            "part line 1: 9 points are announced, but only 4 bytes follow");
  EXPECT_EQ(message("-1", [](TextScanner& s) { s.count("points", 2); }),
            "part line 1: the count of points is -1");
  EXPECT_EQ(message("9", [](TextScanner& s) { s.index("point", 9, 0); }),
            "part line 1: point 9 does not exist, there are 9");
  EXPECT_EQ(message("99999999999999999999", [](TextScanner& s) { s.integer("n"); }),
            "part line 1: a number has too many digits");
}

TEST(TextScanner, IsCancelledWithinAFewMegabytes) {
  Context context;
  std::string text;
  for (int i = 0; i < 1 << 20; ++i) text += "1\n2\n3\n4\n";
  TextScanner scan(text, context);
  context.cancel();
  const auto readAll = [&] {
    while (scan.nextItem()) scan.nextLine();
  };
  EXPECT_THROW(readAll(), Error);
  EXPECT_LT(scan.offset(), size_t(2) << 20);
}

}  // namespace
}  // namespace hackle
