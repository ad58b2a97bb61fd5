#include <hackle/geometry/bvh_build.h>

#include <hackle/core/parallel.h>

#include <algorithm>
#include <array>

namespace hackle {

namespace {

constexpr int kBins = 16;
constexpr int kFewBins = 6;  // for ranges of few items, where more bins would cost more than they gain
constexpr int32_t kFewItems = 48;
constexpr int32_t kLeafSize = 4;
constexpr int kBinnedDepth =
    56;  // below, splits are at the median, which needs no more than 31 further levels
constexpr int32_t kSubtreeSize = 1 << 13;  // smaller ranges are built by one thread
constexpr size_t kGrain = 1 << 15;

using Node = TriangleBvh::Node;

struct Bounds {
  float min[3] = {INFINITY, INFINITY, INFINITY};
  float max[3] = {-INFINITY, -INFINITY, -INFINITY};

  void add(const float* low, const float* high) {
    for (int a = 0; a < 3; ++a) {
      min[a] = std::min(min[a], low[a]);
      max[a] = std::max(max[a], high[a]);
    }
  }
  void add(const Bounds& b) { add(b.min, b.max); }
  /// Half the surface; 0 if empty.
  float halfArea() const {
    const float x = max[0] - min[0], y = max[1] - min[1], z = max[2] - min[2];
    return x < 0 ? 0.0f : x * y + y * z + z * x;
  }
};

/// Boxes of the items and of their doubled centres.
struct RangeBounds {
  Bounds items, centres;

  void add(const BvhItem& item) {
    const float centre[3] = {item.doubledCentre(0), item.doubledCentre(1), item.doubledCentre(2)};
    items.add(item.min, item.max);
    centres.add(centre, centre);
  }
};

struct Bin {
  Bounds bounds;
  int32_t count = 0;
};

/// What falls into each bin along each axis.
struct Histogram {
  std::array<std::array<Bin, kBins>, 3> bins;

  void add(const Histogram& other) {
    for (size_t a = 0; a < 3; ++a)
      for (size_t b = 0; b < kBins; ++b) {
        bins[a][b].bounds.add(other.bins[a][b].bounds);
        bins[a][b].count += other.bins[a][b].count;
      }
  }
};

/// Maps doubled centres to bins along each axis.
struct BinMap {
  float low[3], scale[3];
  int bins;

  BinMap(const Bounds& centres, int32_t items) : bins(items < kFewItems ? kFewBins : kBins) {
    for (int a = 0; a < 3; ++a) {
      const float width = centres.max[a] - centres.min[a];
      low[a] = centres.min[a];
      scale[a] = width > 0 && std::isfinite(width) ? static_cast<float>(bins) / width : 0.0f;
    }
  }
  size_t binOf(const BvhItem& item, int axis) const {
    const float place = (item.doubledCentre(axis) - low[axis]) * scale[axis];
    return static_cast<size_t>(std::clamp(static_cast<int>(place), 0, bins - 1));
  }
  void addTo(Histogram& histogram, const BvhItem& item) const {
    for (int a = 0; a < 3; ++a) {
      if (scale[a] == 0.0f) continue;
      Bin& bin = histogram.bins[a][binOf(item, a)];
      bin.bounds.add(item.min, item.max);
      ++bin.count;
    }
  }
};

/// Items in bins below `bin` go left. No split: all centres are equal.
struct Split {
  int axis = -1;
  size_t bin = 0;
};

/// The cheapest split: surface times count, summed over both sides.
Split bestSplit(const Histogram& histogram, size_t binCount) {
  Split best;
  float bestCost = INFINITY;
  for (int a = 0; a < 3; ++a) {
    const std::array<Bin, kBins>& bins = histogram.bins[a];
    float rightCost[kBins];
    Bounds right;
    int32_t count = 0;
    for (size_t b = binCount - 1; b > 0; --b) {
      right.add(bins[b].bounds);
      count += bins[b].count;
      rightCost[b] = count == 0 ? INFINITY : right.halfArea() * static_cast<float>(count);
    }
    Bounds left;
    count = 0;
    for (size_t b = 1; b < binCount; ++b) {
      left.add(bins[b - 1].bounds);
      count += bins[b - 1].count;
      const float cost = left.halfArea() * static_cast<float>(count) + rightCost[b];
      if (count > 0 && cost < bestCost) {
        bestCost = cost;
        best = {a, b};
      }
    }
  }
  return best;
}

/// A part of the items that wants a node.
struct Task {
  int32_t node;
  int32_t begin, end;
  int depth;
  int32_t size() const { return end - begin; }
};

class Builder {
 public:
  explicit Builder(std::vector<BvhItem>& items) : mItems(items) {}

  std::vector<Node> build(Context& context) {
    if (mItems.empty()) return {};

    // Split large ranges one by one, on all threads.
    std::vector<Node> nodes(1);
    std::vector<Task> open{{0, 0, static_cast<int32_t>(mItems.size()), 0}}, small;
    for (size_t i = 0; i < open.size(); ++i) {
      const Task task = open[i];
      if (task.size() <= kSubtreeSize) {
        small.push_back(task);
        continue;
      }
      for (const Task& child : splitNode(nodes, task, rangeBounds(task, context), &context))
        open.push_back(child);
    }

    // Build the small ranges, each by one thread, and append their nodes in order.
    std::vector<std::vector<Node>> subtrees(small.size());
    parallelFor(context, small.size(), 1, [&](size_t i) { subtrees[i] = buildSubtree(small[i]); });
    for (size_t i = 0; i < small.size(); ++i) append(nodes, subtrees[i], small[i].node);
    return nodes;
  }

 private:
  BvhItem* at(int32_t i) { return mItems.data() + i; }

  RangeBounds rangeBounds(const Task& task) {
    RangeBounds bounds;
    for (int32_t i = task.begin; i < task.end; ++i) bounds.add(*at(i));
    return bounds;
  }
  RangeBounds rangeBounds(const Task& task, Context& context) {
    return parallelReduce(
        context, static_cast<size_t>(task.size()), kGrain, RangeBounds(),
        [&](size_t begin, size_t end) {
          const int32_t first = task.begin + static_cast<int32_t>(begin);
          return rangeBounds({0, first, first + static_cast<int32_t>(end - begin), 0});
        },
        [](RangeBounds a, const RangeBounds& b) {
          a.items.add(b.items);
          a.centres.add(b.centres);
          return a;
        });
  }

  Histogram fillBins(const Task& task, const BinMap& map, Context* context) {
    const auto fill = [&](size_t begin, size_t end) {
      Histogram histogram;
      for (size_t i = begin; i < end; ++i) map.addTo(histogram, *at(task.begin + static_cast<int32_t>(i)));
      return histogram;
    };
    if (!context) return fill(0, static_cast<size_t>(task.size()));
    return parallelReduce(*context, static_cast<size_t>(task.size()), kGrain, Histogram(), fill,
                          [](Histogram a, const Histogram& b) {
                            a.add(b);
                            return a;
                          });
  }

  /// Where to cut the range in two; sorts the items to the two sides.
  int32_t partition(const Task& task, const Bounds& centres, Context* context) {
    if (task.depth < kBinnedDepth) {
      const BinMap map(centres, task.size());
      const Split split = bestSplit(fillBins(task, map, context), static_cast<size_t>(map.bins));
      if (split.axis >= 0) {
        const BvhItem* middle = std::partition(at(task.begin), at(task.end), [&](const BvhItem& item) {
          return map.binOf(item, split.axis) < split.bin;
        });
        return static_cast<int32_t>(middle - mItems.data());
      }
    }
    const int32_t middle = task.begin + task.size() / 2;
    int axis = 0;
    for (int a = 1; a < 3; ++a)
      if (centres.max[a] - centres.min[a] > centres.max[axis] - centres.min[axis]) axis = a;
    std::nth_element(at(task.begin), at(middle), at(task.end), [&](const BvhItem& a, const BvhItem& b) {
      const float x = a.doubledCentre(axis), y = b.doubledCentre(axis);
      return x != y ? x < y : a.triangle < b.triangle;
    });
    return middle;
  }

  /// Fills in the task's node, and gives it two children if it is no leaf.
  std::vector<Task> splitNode(std::vector<Node>& nodes, const Task& task, const RangeBounds& bounds,
                              Context* context) {
    Node& node = nodes[task.node];
    std::copy(bounds.items.min, bounds.items.min + 3, node.min);
    std::copy(bounds.items.max, bounds.items.max + 3, node.max);
    if (task.size() <= kLeafSize) {
      node.first = task.begin;
      node.count = task.size();
      return {};
    }
    const int32_t middle = partition(task, bounds.centres, context);
    const int32_t child = static_cast<int32_t>(nodes.size());
    node.first = child;
    node.count = 0;
    nodes.resize(nodes.size() + 2);
    return {{child, task.begin, middle, task.depth + 1}, {child + 1, middle, task.end, task.depth + 1}};
  }

  std::vector<Node> buildSubtree(const Task& root) {
    std::vector<Node> nodes(1);
    nodes.reserve(static_cast<size_t>(root.size()));
    std::vector<Task> stack{{0, root.begin, root.end, root.depth}};
    while (!stack.empty()) {
      const Task task = stack.back();
      stack.pop_back();
      const std::vector<Task> children = splitNode(nodes, task, rangeBounds(task), nullptr);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    return nodes;
  }

  /// Puts a subtree in place of node `root`; its other nodes go to the end.
  static void append(std::vector<Node>& nodes, const std::vector<Node>& subtree, int32_t root) {
    const int32_t shift = static_cast<int32_t>(nodes.size()) - 1;
    nodes[root] = subtree[0];
    nodes.insert(nodes.end(), subtree.begin() + 1, subtree.end());
    const auto move = [&](Node& node) {
      if (node.count == 0) node.first += shift;
    };
    move(nodes[root]);
    for (size_t i = static_cast<size_t>(shift) + 1; i < nodes.size(); ++i) move(nodes[i]);
  }

  std::vector<BvhItem>& mItems;
};

float halfArea(const Node& node) {
  Bounds bounds;
  bounds.add(node.min, node.max);
  return bounds.halfArea();
}

/// Up to four descendants of an inner node that cover it, left to right.
std::vector<int32_t> wideChildren(const std::vector<Node>& nodes, int32_t root) {
  const auto at = [&](int32_t n) -> const Node& { return nodes[n]; };
  if (at(root).count > 0) return {root};
  std::vector<int32_t> children{at(root).first, at(root).first + 1};
  while (children.size() < 4) {
    size_t widest = children.size();
    for (size_t i = 0; i < children.size(); ++i)
      if (at(children[i]).count == 0 &&
          (widest == children.size() || halfArea(at(children[i])) > halfArea(at(children[widest]))))
        widest = i;
    if (widest == children.size()) break;
    const int32_t first = at(children[widest]).first;
    children[widest] = first;
    children.insert(children.begin() + static_cast<std::ptrdiff_t>(widest) + 1, first + 1);
  }
  return children;
}

}  // namespace

std::vector<BvhWideNode> widenBvh(const std::vector<Node>& nodes) {
  std::vector<BvhWideNode> wide;
  if (nodes.empty()) return wide;
  wide.reserve(nodes.size() / 3 + 1);
  struct Task {
    int32_t wide, source;
  };
  std::vector<Task> open{{0, 0}};  // last in, first out: subtrees stay together in memory
  wide.emplace_back();
  while (!open.empty()) {
    const Task task = open.back();
    open.pop_back();
    BvhWideNode node;
    std::fill(node.first, node.first + 4, -1);
    std::fill(node.count, node.count + 4, 0);
    std::fill(&node.min[0][0], &node.min[0][0] + 12, INFINITY);
    std::fill(&node.max[0][0], &node.max[0][0] + 12, -INFINITY);
    size_t i = 0;
    for (const int32_t c : wideChildren(nodes, task.source)) {
      const Node& child = nodes[c];
      for (int a = 0; a < 3; ++a) {
        node.min[a][i] = child.min[a];
        node.max[a][i] = child.max[a];
      }
      node.count[i] = child.count;
      node.first[i] = child.first;
      if (child.count == 0) {
        node.first[i] = static_cast<int32_t>(wide.size());
        open.push_back({node.first[i], c});
        wide.emplace_back();
      }
      ++i;
    }
    wide[task.wide] = node;
  }
  return wide;
}

std::vector<TriangleBvh::Node> buildBvhNodes(std::vector<BvhItem>& items, Context& context) {
  return Builder(items).build(context);
}

}  // namespace hackle
