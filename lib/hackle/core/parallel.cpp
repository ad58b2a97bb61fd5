#include <hackle/core/parallel.h>

#include <hackle/core/context_shared.h>
#include <tbb/parallel_for.h>

#include <exception>
#include <limits>
#include <mutex>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace hackle {

namespace {

/// TBB is not compiled with the thread sanitizer, which therefore has to be told that tasks begin after
/// parallel_for was called and end before it returns.
struct TaskOrder {
#if defined(__SANITIZE_THREAD__)
  void called() { __tsan_release(&mCall); }
  void begun() { __tsan_acquire(&mCall); }
  void ended() { __tsan_release(&mReturn); }
  void returned() { __tsan_acquire(&mReturn); }

 private:
  char mCall = 0, mReturn = 0;
#else
  void called() {}
  void begun() {}
  void ended() {}
  void returned() {}
#endif
};

}  // namespace

void parallelRanges(Context& context, size_t count, size_t grain,
                    const std::function<void(size_t, size_t)>& body) {
  grain = std::max<size_t>(grain, 1);
  const size_t ranges = (count + grain - 1) / grain;
  if (ranges == 0) return;
  const auto runRange = [&](size_t r) { body(r * grain, std::min(count, (r + 1) * grain)); };

  if (ranges == 1 || context.threads() == 1) {
    for (size_t r = 0; r < ranges; ++r) {
      context.checkCancel();
      runRange(r);
    }
    return;
  }

  std::mutex mutex;
  std::exception_ptr failure;
  size_t failedRange = std::numeric_limits<size_t>::max();
  TaskOrder order;
  order.called();
  context.shared().taskArena().execute([&] {
    tbb::parallel_for(size_t(0), ranges, [&](size_t r) {
      order.begun();
      // Ranges below a failed one still run, so that the reported failure is always the lowest.
      if (context.cancelled()) return;
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (failure && failedRange < r) return;
      }
      try {
        runRange(r);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex);
        if (r < failedRange) {
          failedRange = r;
          failure = std::current_exception();
        }
      }
      order.ended();
    });
  });
  order.returned();
  if (failure) std::rethrow_exception(failure);
  context.checkCancel();
}

}  // namespace hackle
