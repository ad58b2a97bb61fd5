#include <cli/progress_bar.h>

#include <cli/terminal.h>
#include <hackle/core/progress_detail.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hackle::cli {

namespace {

constexpr double kShowAfterSeconds = 0.3;
constexpr auto kInterval = std::chrono::milliseconds(100);
const char* const kClearLine = "\r\033[K";

std::string clock(double seconds) {
  const long long whole = static_cast<long long>(std::max(seconds, 0.0));
  if (whole < 3600) return fmt::format("{}:{:02d}", whole / 60, whole % 60);
  return fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string progressLine(const Progress& progress, double secondsLeft, int columns,
                         const std::string& detail) {
  const size_t width = static_cast<size_t>(std::max(columns - 1, 1));
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  const std::string stage = fmt::format("{:<10}", progress.stage);
  std::string times = clock(progress.seconds);
  std::string line = fmt::format("{} {}", stage, times);
  if (fraction > 0) {
    const int percent = static_cast<int>(100 * fraction);
    if (secondsLeft >= 0) times += fmt::format(", {} left", clock(secondsLeft + 0.5));
    if (!detail.empty()) times += "  " + detail;
    line = fmt::format("{} {:3d}%  {}", stage, percent, times);
    // The bar takes what is free, if that is enough to show anything.
    const size_t frame = 3;  // brackets and a space
    const size_t room = width > line.size() + frame ? std::min<size_t>(width - line.size() - frame, 40) : 0;
    if (room >= 8) {
      const size_t filled = static_cast<size_t>(static_cast<double>(room) * fraction);
      std::string bar(filled, '=');
      if (filled < room) bar += '>';
      bar.resize(room, ' ');
      line = fmt::format("{} [{}] {:3d}%  {}", stage, bar, percent, times);
    }
  }
  if (line.size() > width) line.resize(width);
  return line;
}

ProgressBar::ProgressBar(Context& context) : mContext(context) {
  context.setProgressCallback([this](const Progress& progress) {
    const std::lock_guard<std::mutex> lock(mMutex);
    mProgress = progress;
  });
  mThread = std::thread([this] { drawUntilDone(); });
}

ProgressBar::~ProgressBar() {
  mContext.setProgressCallback(nullptr);
  {
    const std::lock_guard<std::mutex> lock(mMutex);
    mDone = true;
  }
  mWake.notify_one();
  mThread.join();
  if (mDrawn) writeError(kClearLine);
}

void ProgressBar::drawUntilDone() {
  std::unique_lock<std::mutex> lock(mMutex);
  while (!mWake.wait_for(lock, kInterval, [this] { return mDone; })) {
    mProgress.seconds = mContext.seconds();
    if (mProgress.seconds >= kShowAfterSeconds && !mProgress.stage.empty()) draw();
  }
}

void ProgressBar::draw() {
  // Time left, from the speed so far; smoothed, and counted down between estimates.
  const double elapsed = mProgress.seconds;
  const double fraction = mProgress.fraction;
  if (fraction > 0.02 && elapsed > 1) {
    const double estimate = elapsed * (1 - fraction) / fraction;
    const double expected = mSecondsLeft - (elapsed - mLastEstimate);
    mSecondsLeft = mSecondsLeft < 0 ? estimate : std::max(0.0, 0.9 * expected + 0.1 * estimate);
    mLastEstimate = elapsed;
  }
  writeError(kClearLine + progressLine(mProgress, mSecondsLeft, errorColumns(), progressDetail(mContext)));
  mDrawn = true;
}

}  // namespace hackle::cli
