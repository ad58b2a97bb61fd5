// What a run says on standard error while it goes on: how far it is, how long it will take, and its warnings.
#pragma once

#include <hackle/core/context.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace hackle::cli {

enum class ProgressStyle {
  Auto,    // a bar on a terminal; elsewhere lines, from the thirtieth second on
  Bar,     // one line that is drawn again and again
  Lines,   // plain lines for logs
  OpenJd,  // lines that Open Job Description reads: openjd_progress, openjd_status
  Off
};

/// The words of `--progress`, in the order of the enumeration.
const std::vector<std::string>& progressStyleNames();
/// Throws Error(Usage) for other words.
ProgressStyle progressStyleOf(const std::string& word);

/// What is known of a run at one moment.
struct ProgressState {
  Progress progress;
  std::optional<double> secondsLeft;
  std::string detail;  // of progress_detail.h
};

/// The line for a terminal of that many columns, never wider than columns - 1:
/// "cut       [=========>          ]  45%  0:12, 0:15 left". Without a known fraction (0) there is neither
/// bar nor time left.
std::string progressBarLine(const ProgressState& state, int columns);
/// "progress: 45% cut, 0:12, 0:15 left, frame 12"
std::string progressLogLine(const ProgressState& state);
/// "openjd_progress: 45.0\nopenjd_status: cut, 0:12, 0:15 left, frame 12"
std::string progressOpenJdLines(const ProgressState& state);

/// Estimates the time that is left from the speed so far, smoothed, and counts down between estimates.
class TimeLeft {
 public:
  std::optional<double> update(const Progress& progress);

 private:
  std::optional<double> mSecondsLeft;
  double mLastEstimate = 0;  // when it was made, in seconds of the run
};

/// Shows progress from a thread of its own, so that the clock runs even where a stage says nothing, and
/// writes warnings at the moment they are given. A bar shows nothing in runs shorter than a moment and clears
/// its line at the end.
class ProgressDisplay {
 public:
  /// Follows the context until it is destroyed, which must be before the context is.
  ProgressDisplay(Context& context, ProgressStyle style);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

 private:
  void showUntilDone();
  void drawBar();
  void writeLines();
  ProgressState state();

  Context& mContext;
  ProgressStyle mStyle;  // never Auto
  double mShowAfter;     // seconds
  std::mutex mMutex;
  std::condition_variable mWake;
  Progress mProgress;  // the newest
  TimeLeft mTimeLeft;
  bool mDone = false;
  bool mDrawn = false;  // a bar stands on the terminal
  Progress mLastLine;   // of the log
  std::thread mThread;
};

}  // namespace hackle::cli
