// Private parts of Context that parallel.cpp needs too. Not installed.
#pragma once

#include <hackle/core/context.h>

#include <tbb/task_arena.h>
#ifndef HACKLE_HOUDINI
#include <tbb/global_control.h>
#endif

#include <mutex>
#include <optional>
#include <thread>

namespace hackle {

class Memo;

struct Context::Shared {
  mutable std::mutex mutex;
  int threads = 0;
  // Inside Houdini the number of threads is Houdini's to set: a global control of ours would change it.
#ifndef HACKLE_HOUDINI
  std::unique_ptr<tbb::global_control> moreThreads;  // where more are asked for than there are cores
#endif
  std::unique_ptr<tbb::task_arena> arena;  // made when first needed, for `threads` threads
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  Stage* current = nullptr;
  double reached = 0.0;  // overall fraction, never falls
  std::vector<StageTime> times;
  std::vector<std::string> warnings;
  std::vector<std::vector<std::string>*> warningLogs;  // of memo.h
  Memo* memo = nullptr;                                // the front's
  std::optional<std::vector<bool>> wantedOutputs;      // of wanted_outputs.h; not set: all
  mutable std::mutex detailMutex;  // of its own: progress callbacks ask for the detail under the other one
  std::string detail;              // of progress_detail.h
  std::function<void(const Progress&)> callback;
  std::function<void(const std::string&)> warningCallback;  // of warning_callback.h
  std::chrono::steady_clock::time_point lastCallback{};

  mutable std::atomic<int64_t> lastPoll{0};  // steady clock, milliseconds
  mutable std::mutex pollMutex;
  std::thread::id pollThread;  // none: any

  tbb::task_arena& taskArena();
};

}  // namespace hackle
