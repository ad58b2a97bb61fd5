// Stand-in for TBB 2020, where the context of loops belongs to tasks.
#pragma once

namespace tbb {

class task_group_context {
 public:
  enum kind_type { isolated, bound };
  task_group_context(kind_type relation_with_parent = bound, unsigned traits = 0);
  bool cancel_group_execution();
  bool is_group_execution_cancelled() const;
};

}  // namespace tbb
