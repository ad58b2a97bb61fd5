#include <cli/help.h>
#include <cli/progress_display.h>
#include <cli/reference.h>
#include <cli/result_text.h>
#include <cli/terminal.h>
#include <hackle/ops/describe.h>

#include <gtest/gtest.h>

#include <sstream>

#include "ops/every_type_operator.h"

using namespace hackle;
using namespace hackle::cli;

namespace {

const Operator& every() {
  static const Operator kOp = test::everyOperator();
  return kOp;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(Terminal, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three four five six", 24, 4), "one two three four\n    five six");
  EXPECT_EQ(wrapped("a\n\nb", 40, 0), "a\n\nb");
  EXPECT_EQ(wrapped("", 40, 2), "");
  EXPECT_EQ(wrapped(std::string(50, 'x') + " y", 30, 0), std::string(50, 'x') + "\ny");
}

TEST(Terminal, Numbers) {
  EXPECT_EQ(groupedDigits(0), "0");
  EXPECT_EQ(groupedDigits(999), "999");
  EXPECT_EQ(groupedDigits(1000), "1,000");
  EXPECT_EQ(groupedDigits(-1234567), "-1,234,567");
  EXPECT_EQ(groupedDigits(-100), "-100");
  EXPECT_EQ(durationText(0.314), "0.31 s");
  EXPECT_EQ(durationText(4.25), "4.2 s");
  EXPECT_EQ(durationText(185), "3 min 05 s");
  EXPECT_EQ(durationText(7500), "2 h 05 min");
  EXPECT_EQ(sizeText(512), "512 bytes");
  EXPECT_EQ(sizeText(1234567), "1.2 MB");
  EXPECT_EQ(sizeText(999999), "1.0 MB");
  EXPECT_EQ(sizeText(45.6e9), "46 GB");
}

TEST(ResultText, AlignsAndGroups) {
  const Value result =
      Value::Map{{"points", 12345},    {"volume", 1.0 / 3},
                 {"closed", true},     {"centre_of_mass", Value::List{1.0, -2.5, 0.0}},
                 {"nothing", Value()}, {"bounds", Value::Map{{"min", 0.5}, {"largest", 2000000.0}}}};
  EXPECT_EQ(resultText(result),
            "points          12,345\n"
            "volume          0.333333\n"
            "closed          yes\n"
            "centre of mass  1, -2.5, 0\n"
            "nothing         -\n"
            "bounds\n"
            "  min      0.5\n"
            "  largest  2,000,000\n");
  EXPECT_EQ(resultText(Value::Map()), "");
}

TEST(ResultText, ListsOfMapsAreTables) {
  const Value result =
      Value::Map{{"attributes", Value::List{Value::Map{{"name", "P"}, {"size", 3}},
                                            Value::Map{{"name", "uv_set"}, {"size", 1200}}}}};
  EXPECT_EQ(resultText(result),
            "attributes\n"
            "  name     size\n"
            "  P           3\n"
            "  uv_set  1,200\n");
  const Value matrix = Value::Map{{"rows", Value::List{Value::Map{{"m", Value::List{1, 2, 3, 4, 5}}}}}};
  EXPECT_EQ(resultText(matrix), "rows\n  m\n  (5 values)\n");
}

TEST(ProgressBar, FitsEveryWidth) {
  const ProgressState state{{"tetrahedralise", 0.45, 12.3}, 15, ""};
  for (int columns = 1; columns < 200; ++columns)
    EXPECT_LE(progressBarLine(state, columns).size(), size_t(std::max(columns - 1, 1))) << columns;
  const std::string wide = progressBarLine(state, 100);
  EXPECT_TRUE(contains(wide, "tetrahedralise [==================>")) << wide;
  EXPECT_TRUE(contains(wide, " 45%  0:12, 0:15 left")) << wide;
  EXPECT_FALSE(contains(progressBarLine({state.progress, std::nullopt, ""}, 100), "left"));
  const std::string counts = "frame 31 of 72, 48 bodies, 5 events";
  const ProgressState counted{state.progress, 15, counts};
  EXPECT_TRUE(contains(progressBarLine(counted, 120), "0:15 left  " + counts));
  EXPECT_EQ(progressBarLine(counted, 60).size(), 59u);
  EXPECT_EQ(progressBarLine({{"read", 0, 3700}, std::nullopt, ""}, 80), "read       1:01:40");
  EXPECT_TRUE(contains(progressBarLine({{"cut", 1, 1}, 0, ""}, 80),
                       "[========================================] 100%"));
}

TEST(ProgressLines, SayStageShareAndTimes) {
  const ProgressState state{{"cut", 0.456, 12.3}, 15, "frame 3"};
  EXPECT_EQ(progressLogLine(state), "progress: 45% cut, 0:12, 0:15 left, frame 3");
  EXPECT_EQ(progressOpenJdLines(state),
            "openjd_progress: 45.6\nopenjd_status: cut, 0:12, 0:15 left, frame 3");
  EXPECT_EQ(progressLogLine({{"read", 0, 1}, std::nullopt, ""}), "progress: 0% read, 0:01");
}

TEST(ProgressLines, TimeLeftFollowsASteadyRun) {
  TimeLeft left;
  EXPECT_FALSE(left.update({"cut", 0.01, 0.5}));
  for (int second = 3; second < 100; ++second)
    EXPECT_NEAR(left.update({"cut", second / 100.0, double(second)}).value(), 100 - second, 1e-9);
}

TEST(Help, SaysEverythingAboutAParameter) {
  const std::string help = operatorHelp(every(), 100);
  for (const Parameter& p : every().parameters) {
    EXPECT_TRUE(contains(help, p.type == ParameterType::Toggle ? "--[no-]" + p.name : flagText(p))) << p.name;
    for (const MenuItem& item : p.menu) EXPECT_TRUE(contains(help, item.token)) << item.token;
  }
  for (const char* part : {"Look\n", "Impacts\n", "Material\n", "usage: hackle every GEOMETRY [HITS] -o",
                           "[at least 0, usually 0 to 10 m; default 0.5]", "impulse=NUMBER", "style is rough",
                           "Points on the input hits", "Raw data.", "In two paragraphs.",
                           "hackle every geometry.bgeo -o out.bgeo"})
    EXPECT_TRUE(contains(help, part)) << part;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST(Help, ListsByCategory) {
  Operator other = every();
  other.id = "other_one";
  other.category = "Last";
  EXPECT_EQ(operatorList({every(), other, every()}),
            "Test\n  every      Has every type of parameter\n  every      Has every type of parameter\n"
            "\nLast\n  other_one  Has every type of parameter\n");
}

TEST(Reference, PagesHaveEveryParameterAndEscapePipes) {
  Operator op = every();
  op.parameters[1].help = "a|b";
  const std::string page = referencePage(op);
  for (const Parameter& p : op.parameters) EXPECT_TRUE(contains(page, "| `" + p.name + "`<br>")) << p.name;
  EXPECT_TRUE(contains(page, "a\\|b"));
  EXPECT_TRUE(contains(page, "Fields of a record of `impact`"));
  EXPECT_EQ(page, referencePage(op));
}
