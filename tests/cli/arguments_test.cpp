#include <cli/arguments.h>
#include <hackle/ops/describe.h>
#include <hackle/ops/registry.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "ops/every_type_operator.h"

using namespace hackle;
using namespace hackle::cli;

namespace {

using Words = std::vector<std::string>;

/// Words at spaces.
Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

const Operator& every() {
  static const Operator kOp = test::everyOperator();
  return kOp;
}

Arguments parse(const std::string& line) { return parseArguments(every(), split(line)); }

/// The value that a line gives to a parameter, checked.
Value inForce(const std::string& line, const std::string& name) {
  return *Value(checkedValues(every().parameters, parse(line).values, "every")).find(name);
}

/// "message | remedy"
std::string refused(const std::string& line, const Operator& op = every()) {
  try {
    parseArguments(op, split(line));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Usage) << line;
    return std::string(e.what()) + " | " + e.remedy();
  }
  return "";
}

}  // namespace

TEST(Arguments, ValuesFollowOrAreJoined) {
  for (const char* line :
       {"--size 3", "--size=3", "--size=+3", "a.bgeo --size 3 b.bgeo", "--size 1 --size 3"})
    EXPECT_EQ(inForce(line, "size"), Value(3.0)) << line;
  EXPECT_EQ(inForce("--title=a=b", "title"), Value("a=b"));
  EXPECT_EQ(inForce("--title=", "title"), Value(""));
  EXPECT_EQ(inForce("--title=--caps", "title"), Value("--caps"));
}

TEST(Arguments, NegativeNumbersAreValues) {
  EXPECT_EQ(inForce("--direction -1,0,0", "direction"), Value(Value::List{-1.0, 0.0, 0.0}));
  EXPECT_EQ(inForce("--direction -.5,0,-2", "direction"), Value(Value::List{-0.5, 0.0, -2.0}));
  EXPECT_EQ(refused("--size -3"), "size: -3 is out of range | size must be at least 0 m");
}

TEST(Arguments, HyphensAndUnderscoresAreAlike) {
  for (const char* line : {"--texture-file t.png", "--texture_file t.png", "--texture_file=t.png"})
    EXPECT_EQ(inForce(line, "texture_file"), Value("t.png")) << line;
}

TEST(Arguments, Toggles) {
  for (const char* line : {"--caps", "--caps on", "--caps=on", "--caps yes", "--caps=1", "--no-caps --caps"})
    EXPECT_EQ(inForce(line, "caps"), Value(true)) << line;
  for (const char* line : {"--no-caps", "--no_caps", "--caps off", "--caps=false", "--caps --no-caps"})
    EXPECT_EQ(inForce(line, "caps"), Value(false)) << line;
  // A word that is no toggle's is an input.
  EXPECT_EQ(parse("--caps a.bgeo").inputs, Words{"a.bgeo"});
  EXPECT_EQ(refused("--no-caps=on"), "--no-caps takes no value | ");
  EXPECT_EQ(refused("--no-size").substr(0, 28), "every has no flag --no-size ");
}

TEST(Arguments, ListsAreRepeatedRecords) {
  const Value list =
      inForce("in.bgeo --impact at=0,1,0 dir=-1,0,0 impulse=5 --impact style=jagged --size 2", "impact");
  ASSERT_EQ(list.asList().size(), 2u);
  EXPECT_EQ(*list.asList()[0].find("dir"), Value(Value::List{-1.0, 0.0, 0.0}));
  EXPECT_EQ(*list.asList()[0].find("impulse"), Value(5.0));
  EXPECT_EQ(*list.asList()[1].find("style"), Value("jagged"));
  EXPECT_EQ(*list.asList()[1].find("impulse"), Value(1.0));
  EXPECT_EQ(inForce("--impact=kind=2 impulse=3", "impact").asList().size(), 1u);
  // Records end at the first word that is none.
  EXPECT_EQ(parse("--impact impulse=5 in.bgeo").inputs, Words{"in.bgeo"});
  EXPECT_EQ(refused("--impact in.bgeo"),
            "--impact needs field=value words | its fields are at, dir, impulse, kind and style");
  EXPECT_EQ(refused("--impact impulse=1 --impact impuls=5"),
            "impact 2 has no parameter impuls | did you mean impulse?");
  EXPECT_EQ(refused("--impact kind=1 kind=2"), "impact 1: kind is given twice | ");
}

TEST(Arguments, OldNamesWorkAndReachTheRun) {
  EXPECT_EQ(inForce("--scale 3", "size"), Value(3.0));
  EXPECT_EQ(parse("--scale 3").values[0].first, "scale");
  EXPECT_EQ(inForce("--scale 3 --size 4", "size"), Value(4.0));
}

TEST(Arguments, UnknownFlagsNameTheNearest) {
  EXPECT_EQ(refused("--sizes 3"), "every has no flag --sizes | did you mean --size?");
  EXPECT_EQ(refused("--texture_fil x"), "every has no flag --texture_fil | did you mean --texture-file?");
  EXPECT_EQ(refused("--jsn -"), "every has no flag --jsn | did you mean --json?");
  EXPECT_EQ(refused("--xyzzyplugh"), "every has no flag --xyzzyplugh | hackle help every shows its flags");
  EXPECT_NE(refused("-x"), "");
}

TEST(Arguments, MissingValues) {
  EXPECT_EQ(refused("--size"), "--size needs a value | write --size NUMBER (at least 0, usually 0 to 10 m)");
  EXPECT_EQ(refused("--style --caps"),
            "--style needs a value | write --style CHOICE (smooth, rough or jagged)");
  EXPECT_EQ(refused("--size -o out.bgeo").substr(0, 19), "--size needs a valu");
  EXPECT_NE(refused("-o"), "");
  EXPECT_NE(refused("--json"), "");
  EXPECT_NE(refused("--threads"), "");
}

TEST(Arguments, OutputsInPortOrder) {
  EXPECT_EQ(parse("in.bgeo -o a.bgeo b.png c.modes").outputs, (Words{"a.bgeo", "b.png", "c.modes"}));
  EXPECT_EQ(parse("-o a.bgeo -o b.png in.bgeo --caps").outputs, (Words{"a.bgeo", "b.png", "in.bgeo"}));
  EXPECT_EQ(parse("--output=a.bgeo in.bgeo").inputs, (Words{"in.bgeo"}));
  EXPECT_EQ(parse("-o a.bgeo b.png c.modes in.bgeo").inputs, (Words{"in.bgeo"}));
  EXPECT_EQ(parse("in.bgeo -o - - c.modes").outputs, (Words{"", "", "c.modes"}));
  EXPECT_EQ(refused("-o a b c -o d"), "every has 3 outputs; there is none for d | ");
  Operator single = every();
  single.outputs.resize(1);
  EXPECT_EQ(parseArguments(single, split("-o out.bgeo in.bgeo")).inputs, Words{"in.bgeo"});
  single.outputs.clear();
  EXPECT_EQ(refused("in.bgeo -o out.bgeo", single), "every writes no file | leave -o away");
}

TEST(Arguments, AFileForAnOutputAsksForIt) {
  Operator asked = every();
  asked.outputs[1].toggle = "caps";
  // Whatever the default is.
  Parameter& toggle = *std::find_if(asked.parameters.begin(), asked.parameters.end(),
                                    [](const Parameter& p) { return p.name == "caps"; });
  for (const bool otherwise : {false, true}) {
    toggle.defaultValue = otherwise;
    const auto caps = [&](const std::string& line) {
      const Value::Map values = parseArguments(asked, split(line)).values;
      return Value(checkedValues(asked.parameters, values, "every")).find("caps")->asBool();
    };
    EXPECT_FALSE(caps("in.bgeo --no-caps -o a.bgeo -o b.png"));
    EXPECT_TRUE(caps("in.bgeo -o a.bgeo -o b.png"));
    EXPECT_FALSE(caps("in.bgeo -o a.bgeo"));
    EXPECT_FALSE(caps("in.bgeo -o a.bgeo - c.modes"));
    EXPECT_TRUE(caps("in.bgeo -o a.bgeo --caps"));
  }
}

TEST(Arguments, InputsMayBeLeftOpenOrLookLikeFlags) {
  EXPECT_EQ(parse("a.bgeo - c.bgeo").inputs, (Words{"a.bgeo", "", "c.bgeo"}));
  EXPECT_EQ(parse("-- --size -o").inputs, (Words{"--size", "-o"}));
}

TEST(Arguments, FirstWordSetsTheMenuOfAMaker) {
  Operator maker = every();
  maker.inputs.clear();
  EXPECT_EQ(parseArguments(maker, split("jagged --size 2")).values[0].second, Value("jagged"));
  EXPECT_EQ(refused("jaged", maker).substr(0, 38), "style: there is no choice \"jaged\" | di");
  EXPECT_NE(refused("jagged smooth", maker), "");
}

TEST(Arguments, GeneralFlags) {
  const Arguments all = parse("--json r.json --threads 3 --quiet --no-progress");
  EXPECT_EQ(all.json, "r.json");
  EXPECT_EQ(all.threads, 3);
  EXPECT_TRUE(all.quiet);
  EXPECT_FALSE(all.verbose);
  EXPECT_EQ(all.progress, ProgressStyle::Off);
  EXPECT_EQ(parse("-v").progress, ProgressStyle::Auto);
  EXPECT_TRUE(parse("-v").verbose);
  EXPECT_EQ(parse("--progress=openjd").progress, ProgressStyle::OpenJd);
  EXPECT_EQ(refused("--progress rows"),
            "progress cannot be shown as \"rows\" | choose one of auto, bar, lines, openjd, off");
  EXPECT_EQ(parse("--json -").json, "-");
  EXPECT_EQ(parse("--json=-").json, "-");
  EXPECT_TRUE(parse("-h").help);
  EXPECT_TRUE(parse("--style nonsense --help").help);
  EXPECT_EQ(refused("--threads -1"), "threads: -1 is out of range | threads must be 0 to 4096");
  EXPECT_EQ(refused("--threads many").substr(0, 26), "threads: expected a number");
  EXPECT_EQ(refused("--quiet=3"), "--quiet takes no value | ");
}

TEST(Arguments, SeedIsAParameterLikeAnyOther) {
  EXPECT_EQ(inForce("--seed 5", "seed"), Value(5));
  EXPECT_NE(refused("--seed 5", findOperator("convert")), "");
}

TEST(Arguments, TheReportIsFoundAmongNonsense) {
  EXPECT_EQ(jsonTarget(split("--nonsense --json r.json")), "r.json");
  EXPECT_EQ(jsonTarget(split("--json=- --nonsense")), "-");
  EXPECT_EQ(jsonTarget(split("--json --nonsense")), std::nullopt);
  EXPECT_EQ(jsonTarget(split("in.obj -- --json r.json")), std::nullopt);
}

TEST(Arguments, EveryExampleOfEveryOperatorIsUnderstood) {
  for (const Operator& op : operators())
    for (const std::string& example : exampleLines(op)) {
      Words words = split(example);
      ASSERT_EQ(words.at(0), op.id) << example;
      words.erase(words.begin());
      EXPECT_NO_THROW(parseArguments(op, words)) << example;
    }
}
