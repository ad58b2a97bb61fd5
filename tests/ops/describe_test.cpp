#include <hackle/ops/describe.h>

#include <gtest/gtest.h>

#include "ops/every_type_operator.h"

using namespace hackle;

namespace {

const Operator& every() {
  static const Operator kOp = test::everyOperator();
  return kOp;
}

const Parameter& row(const std::string& name) { return *findParameter(every().parameters, name); }

}  // namespace

TEST(Describe, NumbersAsPeopleWriteThem) {
  EXPECT_EQ(numberText(0), "0");
  EXPECT_EQ(numberText(-0.25), "-0.25");
  EXPECT_EQ(numberText(2400), "2400");
  EXPECT_EQ(numberText(1e5), "100000");
  EXPECT_EQ(numberText(70e9), "7e10");
  EXPECT_EQ(numberText(4.5e7), "4.5e7");
  EXPECT_EQ(numberText(-1.5e-6), "-1.5e-6");
  EXPECT_EQ(numberText(1e100), "1e100");
  EXPECT_EQ(numberText(1.7976931348623157e308), "1.7976931348623157e308");
  EXPECT_EQ(numberText(5e-324), "5e-324");
  EXPECT_EQ(numberText(2147483647), "2147483647");
  EXPECT_EQ(numberText(0.1 + 0.2), "0.30000000000000004");
}

TEST(Describe, NumbersReadBackEqual) {
  const Parameter& size = row("size");
  for (double value = 1e-300; value < 1e300; value *= 12345.678901234567)
    EXPECT_EQ(checkedValue(size, numberText(value)), Value(value));
}

TEST(Describe, DefaultsAreWhatTheCommandLineTakes) {
  EXPECT_EQ(defaultText(row("style")), "rough");
  EXPECT_EQ(defaultText(row("size")), "0.5");
  EXPECT_EQ(defaultText(row("count")), "8");
  EXPECT_EQ(defaultText(row("caps")), "on");
  EXPECT_EQ(defaultText(row("direction")), "0,1,0");
  EXPECT_EQ(defaultText(row("profile")), "0:0,1:1");
  EXPECT_EQ(defaultText(row("texture_file")), "not set");
  EXPECT_EQ(defaultText(row("limit")), "not set");
  EXPECT_EQ(defaultText(row("impact")), "not set");
  for (const Parameter& p : every().parameters) {
    if (p.type == ParameterType::List || defaultText(p) == "not set") continue;
    EXPECT_EQ(checkedValue(p, defaultText(p)), p.defaultValue) << p.name;
  }
}

TEST(Describe, RecordsAreWords) {
  const Parameter& impact = row("impact");
  const Value one = checkedValue(impact, Value::List{Value::Map{{"impulse", 5}}});
  EXPECT_EQ(valueText(impact, one), "at=0,0,0 dir=0,-1,0 impulse=5 kind=0 style=rough");
}

TEST(Describe, Ranges) {
  EXPECT_EQ(rangeText(row("size")), "at least 0, usually 0 to 10 m");
  EXPECT_EQ(hardRangeText(row("size")), "at least 0 m");
  EXPECT_EQ(rangeText(row("count")), "1 to 100");
  EXPECT_EQ(rangeText(row("seed")), "usually 0 to 100");
  EXPECT_EQ(rangeText(row("young")), "1 to 1e13, usually 1e8 to 3e11 Pa");
  EXPECT_EQ(rangeText(row("title")), "");
}

TEST(Describe, MenusAndConditions) {
  EXPECT_EQ(menuText(row("style")), "smooth, rough or jagged");
  EXPECT_EQ(enabledText(row("limit")), "style is rough or jagged and caps is on");
  EXPECT_EQ(enabledText(row("size")), "");
  EXPECT_EQ(joinWords({}, " or "), "");
  EXPECT_EQ(joinWords({"a"}, " or "), "a");
}

TEST(Describe, SectionsInTheirOrder) {
  std::vector<std::string> headings;
  size_t rows = 0;
  for (const ParameterSection& section : parameterSections(every())) {
    headings.push_back(section.heading);
    rows += section.parameters.size();
  }
  EXPECT_EQ(headings, (std::vector<std::string>{"Parameters", "Look", "Impacts", "Material"}));
  EXPECT_EQ(rows, every().parameters.size());
}

TEST(Describe, UsageAndExamples) {
  EXPECT_EQ(usageLine(every()),
            "hackle every GEOMETRY [HITS] -o GEOMETRY [PICTURE] [MODES] [--parameter value ...]");
  EXPECT_EQ(exampleLines(every()), (std::vector<std::string>{"every geometry.bgeo -o out.bgeo"}));
  Operator maker = every();
  maker.inputs.clear();
  ASSERT_NE(positionalParameter(maker), nullptr);
  EXPECT_EQ(exampleLines(maker), (std::vector<std::string>{"every smooth -o out.bgeo"}));
  EXPECT_EQ(flagText(row("texture_file")), "--texture-file");
  EXPECT_EQ(positionalParameter(every()), nullptr);
}
