// What is kept between runs: found by content, bounded, never left behind by work that failed.
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>

namespace hackle {
namespace {

struct Number {
  double value;
  size_t size;
  size_t bytes() const { return size; }
};

/// Squares; counts how often it really did.
struct Squares {
  int made = 0;
  double of(Context& context, double x, size_t size = 8) {
    return remembered<Number>(context, MemoKey("square").add(x),
                              [&] {
                                ++made;
                                context.warn("squared " + std::to_string(int(x)));
                                return std::make_shared<const Number>(Number{x * x, size});
                              })
        ->value;
  }
};

TEST(Memo, WithoutOneEverythingIsMade) {
  Context context;
  Squares squares;
  EXPECT_EQ(squares.of(context, 3), 9);
  EXPECT_EQ(squares.of(context, 3), 9);
  EXPECT_EQ(squares.made, 2);
}

TEST(Memo, FindsByContentAndRepeatsWarnings) {
  Memo memo;
  Squares squares;
  for (int run = 0; run < 3; ++run) {
    Context context;
    setMemo(context, &memo);
    EXPECT_EQ(squares.of(context, 3), 9);
    EXPECT_EQ(squares.of(context, 4), 16);
    EXPECT_EQ(context.warnings(), (std::vector<std::string>{"squared 3", "squared 4"}));
  }
  EXPECT_EQ(squares.made, 2);
  EXPECT_EQ(memo.made(), 2u);
  EXPECT_EQ(memo.found(), 4u);
}

TEST(Memo, KeepsWarningsThatWereSaidBefore) {
  Memo memo;
  Squares squares;
  {
    Context context;
    setMemo(context, &memo);
    context.warn("squared 3");
    squares.of(context, 3);
  }
  Context context;
  setMemo(context, &memo);
  squares.of(context, 3);
  EXPECT_EQ(context.warnings().size(), 1u);
}

TEST(Memo, LetsGoOfWhatWasNotUsedForLongest) {
  Memo memo(100);
  Context context;
  setMemo(context, &memo);
  Squares squares;
  for (const double x : {1.0, 2.0, 3.0}) squares.of(context, x, 40);
  EXPECT_EQ(memo.count(), 2u);
  EXPECT_EQ(memo.bytes(), 80u);
  squares.of(context, 2, 40);
  squares.of(context, 4, 40);
  EXPECT_EQ(squares.made, 4);
  squares.of(context, 2, 40);  // used after 3, so 3 went
  EXPECT_EQ(squares.made, 4);
  squares.of(context, 3, 40);
  EXPECT_EQ(squares.made, 5);
  // Too large for it alone: given, not kept, and nothing else goes.
  EXPECT_EQ(squares.of(context, 5, 101), 25);
  EXPECT_EQ(memo.count(), 2u);
  EXPECT_LE(memo.bytes(), 100u);
}

TEST(Memo, DropsWhatNoRunAskedFor) {
  Memo memo;
  Context context;
  setMemo(context, &memo);
  Squares squares;
  squares.of(context, 1);
  squares.of(context, 2);
  memo.dropUnused();
  EXPECT_EQ(memo.count(), 2u);
  squares.of(context, 2);
  memo.dropUnused();
  EXPECT_EQ(memo.count(), 1u);
  EXPECT_EQ(memo.bytes(), 8u);
  squares.of(context, 2);
  EXPECT_EQ(squares.made, 2);
  memo.clear();
  EXPECT_EQ(memo.bytes(), 0u);
}

TEST(Memo, FailedAndCancelledWorkLeavesNothing) {
  Memo memo;
  const MemoKey key("fails");
  Context context;
  setMemo(context, &memo);
  const auto fail = [&] {
    throw Error(ErrorCode::Failed, "no");
    return std::shared_ptr<const Number>();
  };
  EXPECT_THROW(remembered<Number>(context, key, fail), Error);
  const auto stop = [&] {
    context.cancel();
    context.checkCancel();
    return std::make_shared<const Number>(Number{1, 8});
  };
  EXPECT_THROW(remembered<Number>(context, key, stop), Error);
  EXPECT_EQ(memo.count(), 0u);
  // Nor does the log of warnings stay with the context.
  context.warn("still there");
  EXPECT_EQ(context.warnings().size(), 1u);
}

TEST(Memo, TypesAndNamesKeepApart) {
  Memo memo;
  Context context;
  setMemo(context, &memo);
  struct Other : Number {};
  const auto number = [&](double x) { return std::make_shared<const Number>(Number{x, 8}); };
  const auto other = [&] { return std::make_shared<const Other>(Other{{7, 8}}); };
  EXPECT_EQ(remembered<Number>(context, MemoKey("a").add(1), [&] { return number(1); })->value, 1);
  EXPECT_EQ(remembered<Number>(context, MemoKey("b").add(1), [&] { return number(2); })->value, 2);
  EXPECT_EQ(remembered<Other>(context, MemoKey("a").add(1), other)->value, 7);
  EXPECT_EQ(remembered<Number>(context, MemoKey("a").add(1), [&] { return number(9); })->value, 1);
}

TEST(MemoKey, TellsContentAndOrder) {
  const auto key = [] { return MemoKey("k"); };
  EXPECT_TRUE(key().add(1.0).add("ab") == key().add(1.0).add("ab"));
  EXPECT_FALSE(key().add(1.0).add(2.0) == key().add(2.0).add(1.0));
  EXPECT_FALSE(key().add("ab").add("c") == key().add("a").add("bc"));
  EXPECT_FALSE(key().add(std::string_view()) == key());
  EXPECT_FALSE(key().add(true) == key().add(false));
  EXPECT_FALSE(key().add(MemoKey("x").add(1)) == key().add(MemoKey("x").add(2)));
  // Objects count by identity, also when they look alike.
  const auto a = std::make_shared<const int>(1), b = std::make_shared<const int>(1);
  EXPECT_TRUE(key().add(a) == key().add(a));
  EXPECT_FALSE(key().add(a) == key().add(b));
  EXPECT_FALSE(key().add(MemoKey("x").add(a)) == key().add(MemoKey("x").add(b)));
}

TEST(Memo, ManyThreadsAskAtOnce) {
  Memo memo(64);
  Context context;
  context.setThreads(4);
  setMemo(context, &memo);
  std::vector<double> sums(2000);
  parallelFor(context, sums.size(), 1, [&](size_t i) {
    const double x = static_cast<double>(i % 11);
    sums[i] = remembered<Number>(context, MemoKey("x").add(x), [&] {
                return std::make_shared<const Number>(Number{2 * x, 8});
              })->value;
  });
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 2.0 * static_cast<double>(i % 11));
  EXPECT_LE(memo.bytes(), 64u);
}

}  // namespace
}  // namespace hackle
