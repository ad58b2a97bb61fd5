#include <hackle/core/context.h>

#include <hackle/core/context_shared.h>
#include <hackle/core/error.h>
#include <hackle/core/poll_thread.h>
#include <sys/resource.h>

#include <algorithm>

namespace hackle {

namespace {
using Clock = std::chrono::steady_clock;
constexpr int64_t kPollMilliseconds = 20;
constexpr auto kCallbackInterval = std::chrono::milliseconds(33);

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
}  // namespace

Context::Context() : mShared(std::make_unique<Shared>()) {}
Context::~Context() = default;

void Context::setThreads(int threads) {
  if (threads < 0) throw Error(ErrorCode::Usage, "threads must be 0 (all cores) or more");
  std::lock_guard<std::mutex> lock(mShared->mutex);
  mShared->threads = threads;
  mShared->arena.reset();
#ifndef HACKLE_HOUDINI
  mShared->moreThreads.reset();
#endif
}

tbb::task_arena& Context::Shared::taskArena() {
  std::lock_guard<std::mutex> lock(mutex);
  if (arena) return *arena;
#ifndef HACKLE_HOUDINI
  if (threads > tbb::this_task_arena::max_concurrency())
    moreThreads =
        std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
#endif
  arena = std::make_unique<tbb::task_arena>(threads > 0 ? threads : int(tbb::task_arena::automatic));
  return *arena;
}

int Context::threads() const { return mShared->taskArena().max_concurrency(); }

bool Context::cancelled() const {
  if (mCancelled.load(std::memory_order_relaxed)) return true;
  if (!mCancelPoll) return false;
  const std::thread::id own = mShared->pollThread;
  if (own != std::thread::id() && own != std::this_thread::get_id()) return false;
  // Ask the front at most once in kPollMilliseconds, and never on two threads at a time.
  const int64_t now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
  int64_t last = mShared->lastPoll.load(std::memory_order_relaxed);
  if (now - last < kPollMilliseconds || !mShared->lastPoll.compare_exchange_strong(last, now)) return false;
  std::unique_lock<std::mutex> lock(mShared->pollMutex, std::try_to_lock);
  if (!lock.owns_lock() || !mCancelPoll()) return false;
  const_cast<Context*>(this)->cancel();
  return true;
}

void pollOnThisThread(Context& context) { context.shared().pollThread = std::this_thread::get_id(); }

void Context::checkCancel() const {
  if (cancelled()) throw Error(ErrorCode::Cancelled, "cancelled");
}

void Context::setProgressCallback(std::function<void(const Progress&)> callback) {
  std::lock_guard<std::mutex> lock(mShared->mutex);
  mShared->callback = std::move(callback);
}

Context::Stage::Stage(Context& context, std::string name, double share)
    : mContext(context), mName(std::move(name)), mStart(Clock::now()) {
  context.checkCancel();
  Shared& shared = context.shared();
  std::lock_guard<std::mutex> lock(shared.mutex);
  mParent = shared.current;
  const double parentEnd = mParent ? mParent->mBase + mParent->mWidth : 1.0;
  const double parentWidth = mParent ? mParent->mWidth : 1.0;
  mBase = shared.reached;
  mWidth = std::clamp(share * parentWidth, 0.0, std::max(0.0, parentEnd - mBase));
  shared.current = this;
  const auto known = std::find_if(shared.times.begin(), shared.times.end(),
                                  [&](const StageTime& t) { return t.name == mName; });
  if (known == shared.times.end()) shared.times.push_back({mName, 0.0});
  if (shared.callback) {
    shared.lastCallback = Clock::now();
    shared.callback({mName, shared.reached, secondsSince(shared.start)});
  }
}

Context::Stage::~Stage() {
  Shared& shared = mContext.shared();
  std::lock_guard<std::mutex> lock(shared.mutex);
  shared.reached = std::max(shared.reached, mBase + mWidth);
  shared.current = mParent;
  for (StageTime& time : shared.times)
    if (time.name == mName) time.seconds += secondsSince(mStart);
}

void Context::advance(double fractionOfStage) {
  checkCancel();
  std::unique_lock<std::mutex> lock(mShared->mutex, std::try_to_lock);
  if (!lock.owns_lock() || !mShared->current) return;
  const Stage& stage = *mShared->current;
  mShared->reached =
      std::max(mShared->reached, stage.mBase + stage.mWidth * std::clamp(fractionOfStage, 0.0, 1.0));
  const Clock::time_point now = Clock::now();
  if (!mShared->callback || now - mShared->lastCallback < kCallbackInterval) return;
  mShared->lastCallback = now;
  mShared->callback({stage.mName, mShared->reached, secondsSince(mShared->start)});
}

void Context::warn(const std::string& message) {
  std::lock_guard<std::mutex> lock(mShared->mutex);
  auto& warnings = mShared->warnings;
  if (std::find(warnings.begin(), warnings.end(), message) == warnings.end()) {
    warnings.push_back(message);
    if (mShared->warningCallback) mShared->warningCallback(message);
  }
  for (auto* log : mShared->warningLogs) log->push_back(message);
}

std::vector<std::string> Context::warnings() const {
  std::lock_guard<std::mutex> lock(mShared->mutex);
  return mShared->warnings;
}

std::vector<StageTime> Context::stageTimes() const {
  std::lock_guard<std::mutex> lock(mShared->mutex);
  return mShared->times;
}

double Context::seconds() const { return secondsSince(mShared->start); }

double peakMemoryMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0 / 1e6;
}

}  // namespace hackle
