// What every long call takes: cancel, progress, warnings, a thread limit and timers.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hackle {

struct Progress {
  std::string stage;      // "read", "cut", ...
  double fraction = 0.0;  // of the whole run, 0 to 1; stages without a share stand still
  double seconds = 0.0;   // since the context was made
};

struct StageTime {
  std::string name;
  double seconds = 0.0;
};

/// One context belongs to one run. `cancel`, `cancelled`, `warn` and `advance` may be called from any thread;
/// stages are opened and closed by the thread that started the run.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Threads ---------------------------------------------------------------------------------------------
  /// 0 means all cores. Results do not depend on it.
  void setThreads(int threads);
  int threads() const;

  // Cancel ----------------------------------------------------------------------------------------------
  void cancel() { mCancelled.store(true, std::memory_order_relaxed); }
  bool cancelled() const;
  /// Throws Error(Cancelled) once somebody asked to stop. Cheap enough for every few thousand operations.
  void checkCancel() const;
  /// Asked now and then by `cancelled()` on any thread; true means stop. A front hooks its own interrupt
  /// here.
  void setCancelPoll(std::function<bool()> poll) { mCancelPoll = std::move(poll); }

  // Progress --------------------------------------------------------------------------------------------
  /// Called at most about thirty times a second, from whatever thread advances; calls never overlap.
  void setProgressCallback(std::function<void(const Progress&)> callback);
  /// A named part of the run; closes at the end of the scope. `share` is its part of the enclosing stage's
  /// progress, 0 to 1. The times of stages with equal names add up.
  class Stage {
   public:
    Stage(Context& context, std::string name, double share = 0.0);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

   private:
    friend class Context;
    Context& mContext;
    std::string mName;
    Stage* mParent;
    double mBase;   // overall fraction at which the stage starts
    double mWidth;  // overall fraction that the stage covers
    std::chrono::steady_clock::time_point mStart;
  };
  /// Says how far the current stage is, 0 to 1, and checks for cancel.
  void advance(double fractionOfStage);

  // Warnings and timers ---------------------------------------------------------------------------------
  /// One line for the user: what was done that they may not expect. Repeated lines are kept once.
  void warn(const std::string& message);
  std::vector<std::string> warnings() const;
  /// Stages in the order in which they were first opened.
  std::vector<StageTime> stageTimes() const;
  double seconds() const;

  struct Shared;  // locks and the task arena; internal
  Shared& shared() const { return *mShared; }

 private:
  std::atomic<bool> mCancelled{false};
  std::function<bool()> mCancelPoll;
  std::unique_ptr<Shared> mShared;
};

/// Largest resident memory of this process so far, in MB (1e6 bytes).
double peakMemoryMb();

}  // namespace hackle
