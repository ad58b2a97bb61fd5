// Stand-in for TBB 2020.
#pragma once

#include <cstddef>

namespace tbb {
namespace interface9 {

class global_control {
 public:
  enum parameter { max_allowed_parallelism, thread_stack_size, parameter_max };
  global_control(parameter p, size_t value);
  ~global_control();
};

}  // namespace interface9
using interface9::global_control;

}  // namespace tbb
