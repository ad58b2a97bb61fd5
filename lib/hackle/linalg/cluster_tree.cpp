#include <hackle/linalg/cluster_tree.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

double diameter(const Cluster& c) { return (c.high - c.low).norm(); }

double distance(const Cluster& a, const Cluster& b) {
  return (a.low - b.high).cwiseMax(b.low - a.high).cwiseMax(0.0).norm();
}

}  // namespace

ClusterTree::ClusterTree(Span<const Eigen::Vector3d> points, Span<const double> radii, size_t leafSize) {
  mOrder.resize(points.size());
  for (size_t i = 0; i < points.size(); ++i) mOrder[i] = static_cast<int32_t>(i);
  if (points.empty()) return;
  Cluster root;
  root.end = points.size();
  mClusters.push_back(root);
  for (size_t k = 0; k < mClusters.size(); ++k) {
    // Box of the points, and of all that they stand for
    Cluster c = mClusters[k];
    Eigen::Vector3d low = points[mOrder[c.begin]], high = low;
    c.low = low;
    c.high = high;
    for (size_t i = c.begin; i < c.end; ++i) {
      const size_t p = static_cast<size_t>(mOrder[i]);
      const Eigen::Vector3d wide = Eigen::Vector3d::Constant(radii.empty() ? 0.0 : radii[p]);
      low = low.cwiseMin(points[p]);
      high = high.cwiseMax(points[p]);
      c.low = c.low.cwiseMin(points[p] - wide);
      c.high = c.high.cwiseMax(points[p] + wide);
    }
    mLevels = std::max(mLevels, c.level + 1);
    if (c.size() > leafSize) {
      // Halve at the median of the longest side; equal coordinates go by index
      Eigen::Index axis;
      (high - low).maxCoeff(&axis);
      const size_t middle = c.begin + c.size() / 2;
      const auto at = [&](size_t i) { return mOrder.begin() + static_cast<std::ptrdiff_t>(i); };
      std::nth_element(at(c.begin), at(middle), at(c.end), [&](int32_t a, int32_t b) {
        const double x = points[a][axis], y = points[b][axis];
        return x != y ? x < y : a < b;
      });
      std::sort(at(c.begin), at(middle));
      std::sort(at(middle), at(c.end));
      c.first = static_cast<int32_t>(mClusters.size());
      c.second = c.first + 1;
      Cluster child;
      child.level = c.level + 1;
      child.begin = c.begin;
      child.end = middle;
      mClusters.push_back(child);
      child.begin = middle;
      child.end = c.end;
      mClusters.push_back(child);
    }
    mClusters[k] = c;
  }
}

std::vector<BlockPair> blockPairs(const ClusterTree& tree, double eta) {
  std::vector<BlockPair> pairs, open;
  if (!tree.clusters().empty()) open.push_back({0, 0, false});
  while (!open.empty()) {
    BlockPair pair = open.back();
    open.pop_back();
    const Cluster& a = tree.clusters()[pair.rows];
    const Cluster& b = tree.clusters()[pair.columns];
    if (pair.rows == pair.columns) {
      if (a.isLeaf()) {
        pairs.push_back(pair);
        continue;
      }
      open.insert(open.end(),
                  {{a.second, a.second, false}, {a.first, a.second, false}, {a.first, a.first, false}});
      continue;
    }
    const double gap = distance(a, b);
    pair.far = gap > 0 && std::min(diameter(a), diameter(b)) <= eta * gap;
    if (pair.far || (a.isLeaf() && b.isLeaf())) {
      pairs.push_back(pair);
      continue;
    }
    // Split the larger of the two, both where they are alike
    const bool splitA = !a.isLeaf() && (b.isLeaf() || diameter(a) > 0.7 * diameter(b));
    const bool splitB = !b.isLeaf() && (a.isLeaf() || diameter(b) > 0.7 * diameter(a));
    const int32_t rows[2] = {splitA ? a.second : pair.rows, a.first};
    const int32_t columns[2] = {splitB ? b.second : pair.columns, b.first};
    for (size_t i = 0; i < (splitA ? 2u : 1u); ++i)
      for (size_t j = 0; j < (splitB ? 2u : 1u); ++j) open.push_back({rows[i], columns[j], false});
  }
  return pairs;
}

}  // namespace hackle
