#include <hackle/ops/describe.h>

#include <gtest/gtest.h>

#include <limits>

#include "ops/every_type_operator.h"

using namespace hackle;

namespace {

const Operator& every() {
  static const Operator kOp = test::everyOperator();
  return kOp;
}

const Parameter& row(const std::string& name) {
  const Parameter* p = findParameter(every().parameters, name);
  if (!p) throw std::runtime_error("no row " + name);
  return *p;
}

Value checked(const std::string& name, const Value& value) { return checkedValue(row(name), value); }

/// The message and remedy of the refusal, "message | remedy"; "" if nothing was refused.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Usage);
    return std::string(e.what()) + " | " + e.remedy();
  }
  return "";
}

std::string refused(const std::string& name, const Value& value) {
  return refusal([&] { checked(name, value); });
}

Value parameterOf(const Value::Map& values, const std::string& name) { return *Value(values).find(name); }

}  // namespace

TEST(Parameter, NumbersComeFromNumbersAndText) {
  EXPECT_EQ(checked("size", 2), Value(2.0));
  EXPECT_EQ(checked("size", 0.25), Value(0.25));
  for (const char* text : {"2.5", "+2.5", " 2.5 ", "25e-1", "2.50"})
    EXPECT_EQ(checked("size", text), Value(2.5));
  EXPECT_EQ(checked("direction", "-1e-3,0,+2"), Value(Value::List{-1e-3, 0.0, 2.0}));
}

TEST(Parameter, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", " ", "abc", "1.0x", "+-3", "--3", "1,2", "0x10"})
    EXPECT_NE(refused("size", text), "") << text;
  for (const char* text : {"nan", "inf", "-inf"})
    EXPECT_NE(refused("size", text).find("expected a finite number"), std::string::npos) << text;
  EXPECT_NE(refused("size", std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_EQ(refused("size", true),
            "size: expected a number, got true | size is a number, at least 0, usually 0 to 10 m");
  EXPECT_NE(refused("size", Value()), "");
  EXPECT_NE(refused("size", Value::List{1, 2}), "");
}

TEST(Parameter, RangesAreNamedWithTheirUnit) {
  EXPECT_EQ(refused("size", -1), "size: -1 is out of range | size must be at least 0 m");
  EXPECT_EQ(refused("count", "101"), "count: 101 is out of range | count must be 1 to 100");
  EXPECT_EQ(refused("tint", "0,0,1.5"), "tint: 1.5 is out of range | tint must be 0 to 1");
  EXPECT_EQ(refused("size", 1e9), "");  // beyond the slider is fine
  EXPECT_EQ(checked("size", 0), Value(0.0));
  EXPECT_EQ(checked("count", 100), Value(100));
}

TEST(Parameter, WholeNumbersKeepTheirDigitsAndFitTheirMember) {
  EXPECT_EQ(checked("count", 3.0), Value(3));
  EXPECT_EQ(checked("count", "3.0"), Value(3));
  EXPECT_EQ(refused("count", 2.5), "count: expected a whole number, got 2.5 | ");
  EXPECT_EQ(checked("seed", "9007199254740993"), Value(int64_t(9007199254740993)));  // 2^53 + 1
  EXPECT_EQ(checked("seed", std::numeric_limits<int64_t>::max()), Value(std::numeric_limits<int64_t>::max()));
  EXPECT_NE(refused("seed", -1), "");      // the member is unsigned
  EXPECT_NE(refused("seed", "1e30"), "");  // beyond 64 bits
  Parameter wide = row("count");
  wide.hardMin = wide.hardMax = std::nullopt;
  EXPECT_EQ(checkedValue(wide, int64_t(2147483647)), Value(2147483647));
  EXPECT_THROW(checkedValue(wide, int64_t(2147483648)), Error);
}

TEST(Parameter, TogglesTakeWordsAndNumbers) {
  for (const Value& yes : {Value(true), Value(1), Value("on"), Value("true"), Value("yes"), Value("1")})
    EXPECT_EQ(checked("caps", yes), Value(true));
  for (const Value& no : {Value(false), Value(0), Value("off"), Value("false"), Value("no"), Value("0")})
    EXPECT_EQ(checked("caps", no), Value(false));
  EXPECT_EQ(refused("caps", "maybe"), "caps: expected on or off, got \"maybe\" | ");
  EXPECT_NE(refused("caps", 2), "");
}

TEST(Parameter, MenusTakeTokensAndNameTheNearest) {
  EXPECT_EQ(checked("style", "jagged"), Value("jagged"));
  EXPECT_EQ(refused("style", "jaged"),
            "style: there is no choice \"jaged\" | did you mean jagged? choose smooth, rough or jagged");
  EXPECT_EQ(refused("style", "xyzzy"),
            "style: there is no choice \"xyzzy\" | choose smooth, rough or jagged");
  EXPECT_NE(refused("style", 1), "");
  EXPECT_NE(refused("style", "Jagged").find("did you mean jagged?"), std::string::npos);
}

TEST(Parameter, VectorsHaveThreeNumbers) {
  EXPECT_EQ(checked("direction", "1,2,3"), Value(Value::List{1.0, 2.0, 3.0}));
  EXPECT_EQ(checked("direction", "1, 2, 3"), Value(Value::List{1.0, 2.0, 3.0}));
  EXPECT_EQ(checked("direction", Value::List{1, 2.5, "3"}), Value(Value::List{1.0, 2.5, 3.0}));
  EXPECT_EQ(checked("direction", "2"), Value(Value::List{2.0, 2.0, 2.0}));
  EXPECT_EQ(checked("direction", 2), Value(Value::List{2.0, 2.0, 2.0}));
  EXPECT_EQ(refused("direction", "1,2"),
            "direction: expected three numbers, got \"1,2\" | write it as x,y,z");
  for (const char* text : {"1,2,3,4", "1,,3", "1,2,", "a,b,c"})
    EXPECT_NE(refused("direction", text), "") << text;
}

TEST(Parameter, RampsAreSortedPairs) {
  EXPECT_EQ(checked("profile", "1:0,0:1").toJson(-1), "[[0.0,1.0],[1.0,0.0]]");
  EXPECT_EQ(checked("profile", Value::List{Value::List{0, 1}, Value::List{1, 2}}).toJson(-1),
            "[[0.0,1.0],[1.0,2.0]]");
  for (const char* text : {"", "1", "0:1:2", "a:b", "0:0,1"}) EXPECT_NE(refused("profile", text), "") << text;
  EXPECT_EQ(refused("profile", "0:0,2:1"),
            "profile: the position 2 is out of range | positions of a ramp are 0 to 1");
  EXPECT_EQ(refused("profile", "0:0,1:5"), "profile: 5 is out of range | profile must be -1 to 2");
}

TEST(Parameter, RampsAreLinearBetweenKnots) {
  Ramp ramp;
  ramp.knots = {{0.25, 1.0}, {0.5, 3.0}, {0.5, 5.0}, {1.0, 0.0}};
  EXPECT_EQ(ramp(0.0), 1.0);
  EXPECT_EQ(ramp(0.375), 2.0);
  EXPECT_EQ(ramp(0.5), 3.0);
  EXPECT_EQ(ramp(0.75), 2.5);
  EXPECT_EQ(ramp(2.0), 0.0);
}

TEST(Parameter, TextIsText) {
  for (const char* name : {"title", "texture_file", "pieces", "weight", "field"}) {
    EXPECT_EQ(checked(name, "12"), Value("12"));
    EXPECT_NE(refused(name, 12), "") << name;
  }
}

TEST(Parameter, OptionalsMayStayOpen) {
  EXPECT_EQ(row("limit").defaultValue, Value());
  EXPECT_EQ(checked("limit", Value()), Value());
  EXPECT_EQ(checked("limit", "3"), Value(3.0));
  EXPECT_NE(refused("limit", -3), "");
}

TEST(Parameter, RecordsNameTheOneThatIsWrong) {
  const Value good = Value::Map{{"at", "1,2,3"}, {"impulse", "5"}};
  const Value list = checked("impact", Value::List{good});
  EXPECT_EQ(*list.asList()[0].find("at"), Value(Value::List{1.0, 2.0, 3.0}));
  EXPECT_EQ(*list.asList()[0].find("dir"), Value(Value::List{0.0, -1.0, 0.0}));  // its default
  EXPECT_EQ(*list.asList()[0].find("style"), Value("rough"));
  EXPECT_EQ(checked("impact", good), list);  // one record without a list
  EXPECT_EQ(refused("impact", Value::List{good, Value::Map{{"impulse", -1}}}),
            "impact 2: impulse: -1 is out of range | impulse must be at least 0 N s");
  EXPECT_EQ(refused("impact", Value::List{good, Value::Map{{"impuls", 1}}}),
            "impact 2 has no parameter impuls | did you mean impulse?");
  EXPECT_NE(refused("impact", "at"), "");
  EXPECT_NE(refused("impact", Value::List{1}), "");
}

TEST(Parameter, UnknownNamesNameTheNearest) {
  const auto refusedName = [](const std::string& name) {
    return refusal([&] { checkedValues(every().parameters, {{name, 1}}, "every"); });
  };
  EXPECT_EQ(refusedName("sise"), "every has no parameter sise | did you mean size?");
  EXPECT_EQ(refusedName("dire"), "every has no parameter dire | did you mean direction?");
  EXPECT_EQ(refusedName("SIZE"), "every has no parameter SIZE | did you mean size?");
  EXPECT_NE(refusedName("q").find("its parameters are style, size"), std::string::npos);
  EXPECT_EQ(nearestName("x", {"at", "size"}), "");
}

TEST(Parameter, AliasesStandForTheRowAndNotBeside) {
  const Value::Map values = checkedValues(every().parameters, {{"scale", 3}}, "every");
  EXPECT_EQ(parameterOf(values, "size"), Value(3.0));
  EXPECT_EQ(Value(values).find("scale"), nullptr);
  EXPECT_EQ(refusal([] {
              checkedValues(every().parameters, {{"scale", 3}, {"size", 4}}, "every");
            }),
            "every: size is given twice | scale and size are the same");
}

TEST(Parameter, OptionsGoThroughTheTableUnchanged) {
  test::EveryOptions options;
  options.style = test::Style::Jagged;
  options.seed = 99;
  options.profile.knots = {{0, 2}, {1, -1}};
  options.limit = 4.5;
  options.impacts.resize(2);
  options.impacts[1].style = test::Style::Smooth;
  options.material.young = 5e9;
  Value::Map values;
  for (const Parameter& p : every().parameters) values.emplace_back(p.name, p.load(&options));
  test::EveryOptions copy;
  for (size_t i = 0; i < values.size(); ++i)
    every().parameters[i].store(&copy, checkedValue(every().parameters[i], values[i].second));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(every().parameters[i].load(&copy), values[i].second) << values[i].first;
  EXPECT_EQ(copy.style, test::Style::Jagged);
  EXPECT_EQ(copy.limit, 4.5);
  EXPECT_EQ(copy.impacts.at(1).style, test::Style::Smooth);
}

TEST(Parameter, IncludedRowsHaveTheDefaultsOfTheirMember) {
  EXPECT_EQ(row("density").defaultValue, Value(1000.0));  // not MaterialOptions' own 2500
  EXPECT_EQ(row("young").section, "Material");
}

TEST(Parameter, EnabledWhileAllConditionsHold) {
  Value::Map values = checkedValues(every().parameters, {}, "every");
  EXPECT_TRUE(isEnabled(row("limit"), values));
  values = checkedValues(every().parameters, {{"style", "smooth"}}, "every");
  EXPECT_FALSE(isEnabled(row("limit"), values));
  values = checkedValues(every().parameters, {{"caps", false}}, "every");
  EXPECT_FALSE(isEnabled(row("limit"), values));
  EXPECT_TRUE(isEnabled(row("size"), values));
}
