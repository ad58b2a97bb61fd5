#include <gtest/gtest.h>
#include <hackle/core/context.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/poll_thread.h>
#include <hackle/core/progress_detail.h>
#include <hackle/core/warning_callback.h>

#include <atomic>
#include <thread>

namespace hackle {
namespace {

TEST(Context, ProgressRisesFromZeroToOneThroughNestedStages) {
  Context context;
  std::vector<Progress> seen;
  context.setProgressCallback([&](const Progress& p) { seen.push_back(p); });
  {
    const Context::Stage outer(context, "outer", 0.5);
    { const Context::Stage first(context, "first", 0.5); }
    { const Context::Stage second(context, "second", 0.5); }
  }
  { const Context::Stage last(context, "last", 0.5); }
  { const Context::Stage end(context, "end"); }
  ASSERT_EQ(seen.size(), 5u);
  const double expected[] = {0.0, 0.0, 0.25, 0.5, 1.0};
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_DOUBLE_EQ(seen[i].fraction, expected[i]) << seen[i].stage;
}

TEST(Context, ACallbackMayAskForTheDetail) {
  Context context;
  std::vector<std::string> seen;
  context.setProgressCallback([&](const Progress&) { seen.push_back(progressDetail(context)); });
  setProgressDetail(context, "frame 3");
  { const Context::Stage stage(context, "work", 1.0); }
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), "frame 3");
}

TEST(Context, AdvanceNeverFalls) {
  Context context;
  double last = -1;
  context.setProgressCallback([&](const Progress& p) {
    EXPECT_GE(p.fraction, last);
    last = p.fraction;
  });
  const Context::Stage stage(context, "work", 1.0);
  for (const double f : {0.1, 0.5, 0.3, 2.0, -1.0}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    context.advance(f);
  }
  EXPECT_DOUBLE_EQ(last, 1.0);
}

TEST(Context, StagesOfOneNameAddUp) {
  Context context;
  for (int i = 0; i < 3; ++i) {
    const Context::Stage stage(context, "cut");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::vector<StageTime> times = context.stageTimes();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].name, "cut");
  EXPECT_GE(times[0].seconds, 0.03);
}

TEST(Context, WarningsAreKeptOnceInOrder) {
  Context context;
  for (const char* text : {"b", "a", "b"}) context.warn(text);
  EXPECT_EQ(context.warnings(), (std::vector<std::string>{"b", "a"}));
}

TEST(Context, WarningsAreToldWhenTheyAreFirstGiven) {
  Context context;
  std::vector<std::string> told;
  setWarningCallback(context, [&](const std::string& warning) { told.push_back(warning); });
  context.warn("b");
  EXPECT_EQ(told, std::vector<std::string>{"b"});
  for (const char* text : {"a", "b"}) context.warn(text);
  setWarningCallback(context, nullptr);
  context.warn("c");
  EXPECT_EQ(told, (std::vector<std::string>{"b", "a"}));
}

TEST(Context, PollCancelsAndStaysCancelled) {
  Context context;
  bool asked = false;
  context.setCancelPoll([&] { return std::exchange(asked, true) == false; });
  EXPECT_TRUE(context.cancelled());
  EXPECT_TRUE(context.cancelled());
  EXPECT_THROW(context.checkCancel(), Error);
  EXPECT_THROW(Context::Stage(context, "next"), Error);
}

TEST(Context, ThreadLimitIsReported) {
  Context context;
  context.setThreads(3);
  EXPECT_EQ(context.threads(), 3);
  EXPECT_THROW(context.setThreads(-1), Error);
}

TEST(Error, ExitCodesAreTheDocumentedOnes) {
  EXPECT_EQ(exitCode(ErrorCode::Usage), 2);
  EXPECT_EQ(exitCode(ErrorCode::BadInput), 3);
  EXPECT_EQ(exitCode(ErrorCode::Io), 5);
  EXPECT_EQ(exitCode(ErrorCode::Failed), 4);
  EXPECT_EQ(exitCode(ErrorCode::Internal), 4);
  EXPECT_EQ(exitCode(ErrorCode::Cancelled), 130);
}

TEST(Context, APollOfOneThreadIsAskedByNoOther) {
  Context context;
  context.setThreads(4);
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> asked{0}, foreign{0};
  context.setCancelPoll([&] {
    ++asked;
    if (std::this_thread::get_id() != own) ++foreign;
    return asked >= 3;
  });
  pollOnThisThread(context);
  // It is asked although others ask for the context's state all the time, and they see what it found.
  EXPECT_THROW(parallelFor(context, size_t(1) << 20, 1,
                           [&](size_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); }),
               Error);
  EXPECT_EQ(foreign, 0);
  EXPECT_TRUE(context.cancelled());
}

}  // namespace
}  // namespace hackle
