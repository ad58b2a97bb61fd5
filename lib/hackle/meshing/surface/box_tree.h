// A tree of boxes that may change: finds those that meet a box.
#pragma once

#include <hackle/geometry/vec.h>

#include <cstdint>
#include <vector>

namespace hackle {

/// The tree's shape stays as it was built while boxes move, so it is good as long as boxes stay about where
/// they were among the others. Takes any number of items.
class BoxTree {
 public:
  explicit BoxTree(std::vector<Box3> boxes);

  void update(int32_t item, const Box3& box);
  void remove(int32_t item) { update(item, Box3()); }

  /// Calls visit(item) for every item whose box meets the given one; ends touching count.
  template <class Visit>
  void forEachNear(const Box3& box, const Visit& visit) const {
    if (mBoxes.empty()) return;
    int32_t stack[64];
    int size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const size_t node = static_cast<size_t>(stack[--size]);
      if (!meet(mBoxes[node], box)) continue;
      if (mItem[node] >= 0) {
        visit(mItem[node]);
        continue;
      }
      stack[size++] = mRight[node];
      stack[size++] = static_cast<int32_t>(node) + 1;
    }
  }

  static bool meet(const Box3& a, const Box3& b) {
    return a.min.x() <= b.max.x() && b.min.x() <= a.max.x() && a.min.y() <= b.max.y() &&
           b.min.y() <= a.max.y() && a.min.z() <= b.max.z() && b.min.z() <= a.max.z();
  }

 private:
  int32_t build(const std::vector<Box3>& boxes, std::vector<int32_t>& order, size_t begin, size_t end,
                int32_t parent);

  // Nodes depth first: the left child of a node follows it.
  std::vector<Box3> mBoxes;
  std::vector<int32_t> mParent, mRight, mItem;  // mItem: -1 for inner nodes
  std::vector<int32_t> mLeafOf;                 // node of each item
};

}  // namespace hackle
