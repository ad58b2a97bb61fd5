// Stand-in for TBB 2020.
#pragma once

#include <tbb/task.h>

namespace tbb {
namespace strict_ppl {

template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function& f) {
  for (; first < last; ++first) f(first);
}
template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function& f, task_group_context&) {
  for (; first < last; ++first) f(first);
}

}  // namespace strict_ppl
using strict_ppl::parallel_for;

}  // namespace tbb
