// One line on the terminal that says what is going on, how far it is and how long it will take.
#pragma once

#include <hackle/core/context.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hackle::cli {

/// The line for a terminal of that many columns, never wider than columns - 1:
/// "cut       [=========>          ]  45%  0:12, 0:15 left". Without a known fraction (0) there is neither
/// bar nor time left. `secondsLeft` < 0: not known yet.
std::string progressLine(const Progress& progress, double secondsLeft, int columns,
                         const std::string& detail = {});

/// Draws on standard error, ten times a second from a thread of its own, so that the clock runs even where a
/// stage says nothing. Shows nothing in runs shorter than a moment; clears its line at the end.
class ProgressBar {
 public:
  /// Follows the context until it is destroyed, which must be before the context is.
  explicit ProgressBar(Context& context);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void drawUntilDone();
  void draw();

  Context& mContext;
  std::mutex mMutex;
  std::condition_variable mWake;
  Progress mProgress;  // the newest
  bool mDone = false;
  bool mDrawn = false;
  double mSecondsLeft = -1;  // smoothed
  double mLastEstimate = 0;  // when it was made, in seconds of the run
  std::thread mThread;
};

}  // namespace hackle::cli
