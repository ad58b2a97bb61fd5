#include <hackle/meshing/surface/box_tree.h>

#include <algorithm>
#include <numeric>

namespace hackle {

BoxTree::BoxTree(std::vector<Box3> boxes) : mLeafOf(boxes.size()) {
  if (boxes.empty()) return;
  std::vector<int32_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  const size_t nodes = 2 * boxes.size() - 1;
  for (std::vector<int32_t>* list : {&mParent, &mRight, &mItem}) list->reserve(nodes);
  mBoxes.reserve(nodes);
  build(boxes, order, 0, boxes.size(), -1);
}

/// Halves the items along the longest side of the box of their middles.
int32_t BoxTree::build(const std::vector<Box3>& boxes, std::vector<int32_t>& order, size_t begin, size_t end,
                       int32_t parent) {
  const int32_t node = static_cast<int32_t>(mBoxes.size());
  mParent.push_back(parent);
  mRight.push_back(-1);
  mItem.push_back(-1);
  Box3 box, middles;
  for (size_t i = begin; i < end; ++i) {
    const Box3& own = boxes[order[i]];
    box.add(own);
    middles.add(own.centre());
  }
  mBoxes.push_back(box);
  if (end - begin == 1) {
    mItem.back() = order[begin];
    mLeafOf[order[begin]] = node;
    return node;
  }
  int axis;
  middles.size().maxCoeff(&axis);
  const size_t half = (begin + end) / 2;
  const auto at = [&](size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(half), at(end), [&](int32_t a, int32_t b) {
    const double ca = boxes[a].centre()[axis], cb = boxes[b].centre()[axis];
    return ca != cb ? ca < cb : a < b;
  });
  build(boxes, order, begin, half, node);
  const int32_t right = build(boxes, order, half, end, node);
  mRight[node] = right;
  return node;
}

void BoxTree::update(int32_t item, const Box3& box) {
  size_t node = static_cast<size_t>(mLeafOf[item]);
  mBoxes[node] = box;
  while (mParent[node] >= 0) {
    node = static_cast<size_t>(mParent[node]);
    Box3 both = mBoxes[node + 1];
    both.add(mBoxes[mRight[node]]);
    if (both.min == mBoxes[node].min && both.max == mBoxes[node].max) return;
    mBoxes[node] = both;
  }
}

}  // namespace hackle
