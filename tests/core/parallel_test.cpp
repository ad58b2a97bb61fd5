#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>

namespace hackle {
namespace {

double sumOn(int threads) {
  Context context;
  context.setThreads(threads);
  return parallelReduce(
      context, 1000003, 1000, 0.0,
      [](size_t begin, size_t end) {
        double sum = 0;
        for (size_t i = begin; i < end; ++i) sum += 1.0 / static_cast<double>(3 * i + 1);
        return sum;
      },
      [](double a, double b) { return a + b; });
}

TEST(Parallel, SumsAreEqualOnAnyNumberOfThreads) {
  const double one = sumOn(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(one, sumOn(threads));
}

TEST(Parallel, LowestFailureIsReported) {
  Context context;
  context.setThreads(4);
  for (int round = 0; round < 20; ++round) {
    try {
      parallelFor(context, 1000, 7, [](size_t i) {
        if (i % 100 == 37) throw Error(ErrorCode::Failed, std::to_string(i));
      });
      FAIL();
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "37");
    }
  }
}

TEST(Parallel, StableSortEqualsStandardSort) {
  Context context;
  std::vector<std::pair<int, int>> values;
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    values.emplace_back(static_cast<int>(state >> 54), i);
  }
  auto expected = values;
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(expected.begin(), expected.end(), less);
  parallelStableSort(context, values, less);
  EXPECT_EQ(values, expected);
}

TEST(Parallel, CancelStopsTheLoop) {
  Context context;
  std::atomic<int> calls{0};
  try {
    parallelFor(context, 1000000, 1, [&](size_t) {
      if (++calls == 10) context.cancel();
    });
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled);
  }
  EXPECT_LT(calls, 1000);
}

}  // namespace
}  // namespace hackle
