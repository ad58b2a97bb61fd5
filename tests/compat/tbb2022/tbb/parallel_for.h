// Stand-in for TBB 2022: functions are called as constants, and the context of loops comes with the loops.
#pragma once

namespace tbb {
namespace detail {
namespace d1 {

class task_group_context {
 public:
  enum kind_type { isolated, bound };
  task_group_context(kind_type relation_with_parent = bound, unsigned traits = 0);
  bool cancel_group_execution();
  bool is_group_execution_cancelled();
};

template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function& f) {
  for (; first < last; ++first) f(first);
}
template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function& f, task_group_context&) {
  for (; first < last; ++first) f(first);
}

}  // namespace d1
}  // namespace detail

inline namespace v1 {
using detail::d1::parallel_for;
using detail::d1::task_group_context;
}  // namespace v1
}  // namespace tbb
