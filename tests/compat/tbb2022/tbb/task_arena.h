// Stand-in for TBB 2022 (that of Houdini 21): what the library uses, declared as that version does. There is
// no tbb/task.h any more.
#pragma once

namespace tbb {
namespace detail {
namespace d1 {

class task_arena_base {
 public:
  enum class priority : int { low, normal, high };
  static const int automatic = -1;
  static const int not_initialized = -2;
};

class task_arena : public task_arena_base {
 public:
  task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1,
             priority a_priority = priority::normal);
  task_arena(const task_arena& a);
  ~task_arena();
  int max_concurrency() const;
  template <typename F>
  auto execute(F&& f) -> decltype(f()) {
    return f();
  }
};

int max_concurrency();

}  // namespace d1
}  // namespace detail

inline namespace v1 {
using detail::d1::task_arena;
namespace this_task_arena {
using detail::d1::max_concurrency;
}
}  // namespace v1
}  // namespace tbb
