// Stand-in for TBB 2022.
#pragma once

#include <cstddef>

namespace tbb {
namespace detail {
namespace d1 {

class global_control {
 public:
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    parameter_max
  };
  global_control(parameter p, std::size_t value);
  ~global_control();
};

}  // namespace d1
}  // namespace detail

inline namespace v1 {
using detail::d1::global_control;
}
}  // namespace tbb
