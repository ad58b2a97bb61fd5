#include "watched_run.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace hackle::python {

namespace py = pybind11;

namespace {

constexpr auto kSignalInterval = std::chrono::milliseconds(20);

/// What the worker tells the thread that waits for it.
class Mailbox {
 public:
  void post(const Progress& progress) {
    {
      const std::lock_guard<std::mutex> lock(mMutex);
      // A slow callback skips steps inside a stage but hears of every stage.
      if (!mNews.empty() && mNews.back().stage == progress.stage) mNews.pop_back();
      mNews.push_back(progress);
    }
    mChanged.notify_one();
  }
  void finish(std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(mMutex);
    mDone = true;
    mFailure = std::move(failure);
    mChanged.notify_one();
  }
  /// Waits for news, the end, or the next look at signals; true at the end.
  bool wait(std::deque<Progress>& news) {
    std::unique_lock<std::mutex> lock(mMutex);
    mChanged.wait_for(lock, kSignalInterval, [&] { return mDone || !mNews.empty(); });
    news.clear();
    news.swap(mNews);
    return mDone;
  }
  /// Of the work; null if it went well. Call after the end.
  const std::exception_ptr& failure() const { return mFailure; }

 private:
  std::mutex mMutex;
  std::condition_variable mChanged;
  std::deque<Progress> mNews;
  bool mDone = false;
  std::exception_ptr mFailure;
};

/// The worker's thread; ends with its scope, asked to stop early if the scope is left by an exception.
class Worker {
 public:
  Worker(Context& context, std::function<void()> body) : mContext(context), mThread(std::move(body)) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (std::uncaught_exceptions() > mExceptions) mContext.cancel();
    mThread.join();
  }

 private:
  Context& mContext;
  int mExceptions = std::uncaught_exceptions();
  std::thread mThread;
};

/// Python's turn: the callback, then signal handlers. Throws what they raise.
void attend(const std::deque<Progress>& news, const py::object& callback) {
  for (const Progress& p : news) callback(p.stage, p.fraction, p.seconds);
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace

void runWatched(Context& context, const py::object& progress, const std::function<void()>& work) {
  Mailbox mailbox;
  if (!progress.is_none()) context.setProgressCallback([&mailbox](const Progress& p) { mailbox.post(p); });
  std::exception_ptr interrupt;
  {
    const Worker worker(context, [&] {
      std::exception_ptr failure;
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      mailbox.finish(std::move(failure));
    });
    bool done = false;
    while (!done) {
      std::deque<Progress> news;
      {
        const py::gil_scoped_release release;
        done = mailbox.wait(news);
      }
      if (interrupt) continue;
      try {
        attend(news, progress);
      } catch (...) {
        interrupt = std::current_exception();
        context.cancel();
      }
    }
  }
  context.setProgressCallback(nullptr);
  if (interrupt) std::rethrow_exception(interrupt);
  if (mailbox.failure()) std::rethrow_exception(mailbox.failure());
}

void emitWarnings(const Context& context, int stackLevel) {
  const std::vector<std::string> messages = context.warnings();
  if (messages.empty()) return;
  const py::object category = py::module_::import("hackle._errors").attr("Warning");
  for (const std::string& message : messages)
    if (PyErr_WarnEx(category.ptr(), message.c_str(), stackLevel) != 0) throw py::error_already_set();
}

void runWithWarnings(Context& context, const py::object& progress, int stackLevel,
                     const std::function<void()>& work) {
  try {
    runWatched(context, progress, work);
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    try {
      emitWarnings(context, stackLevel);
    } catch (const py::error_already_set&) {
      // The failure itself says more than a warning that was turned into an exception.
    }
    std::rethrow_exception(failure);
  }
  emitWarnings(context, stackLevel);
}

}  // namespace hackle::python
