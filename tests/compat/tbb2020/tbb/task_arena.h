// Stand-in for TBB 2020: what the library uses, declared as that version does (namespaces interface7 inline,
// the constant of automatic size an object of the class).
#pragma once

namespace tbb {
namespace interface7 {

class task_arena {
 public:
  static const int automatic = -1;
  explicit task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1);
  task_arena(const task_arena& other);
  int max_concurrency() const;
  template <typename F>
  auto execute(F& f) -> decltype(f()) {
    return f();
  }
  template <typename F>
  auto execute(const F& f) -> decltype(f()) {
    return f();
  }
};

namespace this_task_arena {
int max_concurrency();
}

}  // namespace interface7

using interface7::task_arena;
namespace this_task_arena {
using namespace interface7::this_task_arena;
}

}  // namespace tbb
