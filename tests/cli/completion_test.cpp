#include <cli/completion.h>

#include <gtest/gtest.h>

#include "ops/every_type_operator.h"

using namespace hackle;
using namespace hackle::cli;

namespace {

using Words = std::vector<std::string>;

const std::vector<Operator>& table() {
  static const std::vector<Operator> kOperators = [] {
    Operator maker = test::everyOperator();
    maker.id = "make";
    maker.inputs.clear();
    return std::vector<Operator>{test::everyOperator(), maker};
  }();
  return kOperators;
}

/// What the last word can become; "FILES" at the end if names of files fit.
Words complete(Words words) {
  words.insert(words.begin(), "hackle");
  const Completions found = completions(table(), words, words.size() - 1);
  Words texts;
  for (const auto& candidate : found.candidates) texts.push_back(candidate.text);
  if (found.files) texts.push_back("FILES");
  return texts;
}

std::string bash(const Words& words) { return answerToShell(table(), "bash", words, words.size() - 1); }

}  // namespace

TEST(Completion, VerbsAndOperators) {
  EXPECT_EQ(complete({"e"}), Words{"every"});
  EXPECT_EQ(complete({"he"}), Words{"help"});
  EXPECT_EQ(complete({"help", ""}), (Words{"every", "make"}));
  EXPECT_EQ(complete({"completion", ""}), (Words{"bash", "zsh"}));
  EXPECT_EQ(complete({"nonsense", ""}), Words{});
}

TEST(Completion, Flags) {
  EXPECT_EQ(complete({"every", "--si"}), Words{"--size"});
  EXPECT_EQ(complete({"every", "--no"}), (Words{"--no-caps", "--no-progress"}));
  EXPECT_EQ(complete({"every", "--texture"}), Words{"--texture-file"});
  EXPECT_EQ(complete({"every", "a.bgeo", "--js"}), Words{"--json"});
}

TEST(Completion, Values) {
  EXPECT_EQ(complete({"every", "--style", ""}), (Words{"smooth", "rough", "jagged"}));
  EXPECT_EQ(complete({"every", "--style", "j"}), Words{"jagged"});
  EXPECT_EQ(complete({"every", "--style=j"}), Words{"--style=jagged"});
  EXPECT_EQ(complete({"every", "--size", ""}), Words{});
  EXPECT_EQ(complete({"every", "--progress", "o"}), (Words{"openjd", "off"}));
  EXPECT_EQ(complete({"every", "--texture_file", ""}), Words{"FILES"});
  EXPECT_EQ(complete({"every", "-o", ""}), Words{"FILES"});
  EXPECT_EQ(complete({"every", "--json", ""}), Words{"FILES"});
  EXPECT_EQ(complete({"every", "--threads", ""}), Words{});
  EXPECT_EQ(complete({"every", ""}), Words{"FILES"});
  EXPECT_EQ(complete({"make", "sm"}), Words{"smooth"});
}

TEST(Completion, Records) {
  EXPECT_EQ(complete({"every", "--impact", "k"}), (Words{"kind=", "FILES"}));
  EXPECT_EQ(complete({"every", "--impact", "kind=1", "st"}), (Words{"style=", "FILES"}));
  EXPECT_EQ(complete({"every", "--impact", "style=j"}), (Words{"style=jagged", "FILES"}));
  EXPECT_EQ(complete({"every", "--impact", "kind=1", "--si"}), Words{"--size"});
}

TEST(Completion, BashSplitsAtEqualsSigns) {
  EXPECT_EQ(bash({"hackle", "every", "--style", "=", "j"}), "jagged\n");
  EXPECT_EQ(bash({"hackle", "every", "--style", "="}), "smooth\nrough\njagged\n");
  EXPECT_EQ(bash({"hackle", "every", "--style=j"}), "--style=jagged\n");
  EXPECT_EQ(bash({"hackle", "every", "--impact", "kind", "=", "1", "st"}), "style=\n:files\n");
  EXPECT_EQ(bash({"hackle", "every", "--impact", "style", "=", "j"}), "jagged\n:files\n");
}

TEST(Completion, ZshGetsDescriptions) {
  EXPECT_EQ(answerToShell(table(), "zsh", {"hackle", "every", "--siz"}, 2), "--size:Edge length.\n");
  EXPECT_EQ(answerToShell(table(), "zsh", {"hackle", "every", "--style=j"}, 2), "--style=jagged:Jagged\n");
}

TEST(Completion, OddPositionsGiveNothing) {
  EXPECT_EQ(answerToShell(table(), "bash", {"hackle"}, 0), "");
  EXPECT_EQ(answerToShell(table(), "bash", {"hackle", "help"}, 2), "every\nmake\n");  // a word not yet begun
  EXPECT_THROW(completionScript("fish"), Error);
}
