#include <cli/progress_display.h>

#include <cli/terminal.h>
#include <hackle/core/error.h>
#include <hackle/core/progress_detail.h>
#include <hackle/core/warning_callback.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hackle::cli {

namespace {

constexpr double kBarAfterSeconds = 0.3;
constexpr double kLogAfterSeconds = 30;  // where nobody asked for lines: short runs keep a clean log
constexpr auto kInterval = std::chrono::milliseconds(100);
// A log gets a line when a stage begins or five per cent are done, at most one a second, at least one every
// half minute.
constexpr double kLineStep = 0.05;
constexpr double kLineSecondsMin = 1;
constexpr double kLineSecondsMax = 30;
const char* const kClearLine = "\r\033[K";

std::string clock(double seconds) {
  const long long whole = static_cast<long long>(std::max(seconds, 0.0));
  if (whole < 3600) return fmt::format("{}:{:02d}", whole / 60, whole % 60);
  return fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole / 60 % 60, whole % 60);
}

double fractionOf(const ProgressState& state) { return std::clamp(state.progress.fraction, 0.0, 1.0); }

std::string timesText(const ProgressState& state) {
  const std::string left = state.secondsLeft ? fmt::format(", {} left", clock(*state.secondsLeft + 0.5)) : "";
  return clock(state.progress.seconds) + left;
}

/// "cut, 0:12, 0:15 left, frame 12"
std::string statusText(const ProgressState& state) {
  return fmt::format("{}, {}{}{}", state.progress.stage, timesText(state), state.detail.empty() ? "" : ", ",
                     state.detail);
}

ProgressStyle resolved(ProgressStyle style) {
  if (style != ProgressStyle::Auto) return style;
  return errorIsTerminal() ? ProgressStyle::Bar : ProgressStyle::Lines;
}

}  // namespace

const std::vector<std::string>& progressStyleNames() {
  static const std::vector<std::string> kNames{"auto", "bar", "lines", "openjd", "off"};
  return kNames;
}

ProgressStyle progressStyleOf(const std::string& word) {
  const std::vector<std::string>& names = progressStyleNames();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end())
    throw Error(ErrorCode::Usage, fmt::format("progress cannot be shown as \"{}\"", word),
                fmt::format("choose one of {}", fmt::join(names, ", ")));
  return static_cast<ProgressStyle>(found - names.begin());
}

std::string progressBarLine(const ProgressState& state, int columns) {
  const size_t width = static_cast<size_t>(std::max(columns - 1, 1));
  const double fraction = fractionOf(state);
  const std::string stage = fmt::format("{:<10}", state.progress.stage);
  std::string line = fmt::format("{} {}", stage, clock(state.progress.seconds));
  if (fraction > 0) {
    const int percent = static_cast<int>(100 * fraction);
    const std::string times = timesText(state) + (state.detail.empty() ? "" : "  " + state.detail);
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

std::string progressLogLine(const ProgressState& state) {
  return fmt::format("progress: {}% {}", static_cast<int>(100 * fractionOf(state)), statusText(state));
}

std::string progressOpenJdLines(const ProgressState& state) {
  return fmt::format("openjd_progress: {:.1f}\nopenjd_status: {}", 100 * fractionOf(state),
                     statusText(state));
}

std::optional<double> TimeLeft::update(const Progress& progress) {
  const double elapsed = progress.seconds;
  if (progress.fraction > 0.02 && elapsed > 1) {
    const double estimate = elapsed * (1 - progress.fraction) / progress.fraction;
    const double expected = mSecondsLeft.value_or(estimate) - (elapsed - mLastEstimate);
    mSecondsLeft = mSecondsLeft ? std::max(0.0, 0.9 * expected + 0.1 * estimate) : estimate;
    mLastEstimate = elapsed;
  }
  return mSecondsLeft;
}

ProgressDisplay::ProgressDisplay(Context& context, ProgressStyle style)
    : mContext(context), mStyle(resolved(style)) {
  mShowAfter = mStyle == ProgressStyle::Bar   ? kBarAfterSeconds
               : style == ProgressStyle::Auto ? kLogAfterSeconds
                                              : 0;
  setWarningCallback(context, [this](const std::string& warning) {
    const std::lock_guard<std::mutex> lock(mMutex);
    writeError(fmt::format("{}warning: {}\n", mDrawn ? kClearLine : "", warning));
    mDrawn = false;
  });
  if (mStyle == ProgressStyle::Off) return;
  context.setProgressCallback([this](const Progress& progress) {
    const std::lock_guard<std::mutex> lock(mMutex);
    mProgress = progress;
  });
  mThread = std::thread([this] { showUntilDone(); });
}

ProgressDisplay::~ProgressDisplay() {
  mContext.setProgressCallback(nullptr);
  setWarningCallback(mContext, nullptr);
  if (!mThread.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mMutex);
    mDone = true;
  }
  mWake.notify_one();
  mThread.join();
  if (mDrawn) writeError(kClearLine);
}

void ProgressDisplay::showUntilDone() {
  std::unique_lock<std::mutex> lock(mMutex);
  while (!mWake.wait_for(lock, kInterval, [this] { return mDone; })) {
    mProgress.seconds = mContext.seconds();
    if (mProgress.seconds < mShowAfter || mProgress.stage.empty()) continue;
    if (mStyle == ProgressStyle::Bar)
      drawBar();
    else
      writeLines();
  }
}

ProgressState ProgressDisplay::state() {
  return {mProgress, mTimeLeft.update(mProgress), progressDetail(mContext)};
}

void ProgressDisplay::drawBar() {
  writeError(kClearLine + progressBarLine(state(), errorColumns()));
  mDrawn = true;
}

void ProgressDisplay::writeLines() {
  const ProgressState now = state();
  const bool first = mLastLine.stage.empty();
  const double waited = mProgress.seconds - mLastLine.seconds;
  const bool news =
      mProgress.stage != mLastLine.stage || mProgress.fraction >= mLastLine.fraction + kLineStep;
  if (!first && waited < (news ? kLineSecondsMin : kLineSecondsMax)) return;
  writeError((mStyle == ProgressStyle::OpenJd ? progressOpenJdLines(now) : progressLogLine(now)) + "\n");
  mLastLine = mProgress;
}

}  // namespace hackle::cli
