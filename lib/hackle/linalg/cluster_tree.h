// Nested clusters of points in space, and the pairs of clusters that a hierarchical matrix is made of.
#pragma once

#include <hackle/core/span.h>

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace hackle {

struct Cluster {
  size_t begin = 0, end = 0;        // of the tree's order
  int32_t first = -1, second = -1;  // children, or -1
  int32_t level = 0;
  Eigen::Vector3d low, high;  // box of the points, each widened by its radius

  size_t size() const { return end - begin; }
  bool isLeaf() const { return first < 0; }
};

/// Binary tree: a cluster is halved across the longest side of its box. Depends on nothing but the points.
class ClusterTree {
 public:
  ClusterTree() = default;
  /// `radii` may be empty. Leaves hold at most `leafSize` points.
  ClusterTree(Span<const Eigen::Vector3d> points, Span<const double> radii, size_t leafSize);

  const std::vector<Cluster>& clusters() const { return mClusters; }  // parents first
  const std::vector<int32_t>& order() const { return mOrder; }        // point at each place
  int32_t levels() const { return mLevels; }

 private:
  std::vector<Cluster> mClusters;
  std::vector<int32_t> mOrder;
  int32_t mLevels = 0;
};

struct BlockPair {
  int32_t rows, columns;  // clusters; rows come first in the tree's order, or both are the same
  bool far;               // may be approximated by a matrix of low rank
};

/// Pairs of clusters that cover every unordered pair of points once. Far ones have
/// min(diameters) <= eta * distance.
std::vector<BlockPair> blockPairs(const ClusterTree& tree, double eta);

}  // namespace hackle
