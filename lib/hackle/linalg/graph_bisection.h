// Small sets of vertices that halve a graph. Private to nested_dissection.cpp.
#pragma once

#include <hackle/core/context.h>

#include <cstdint>
#include <vector>

namespace hackle::detail {

/// As SparsityGraph, with weights of edges: how many edges of the finest graph one stands for.
struct WeightedGraph {
  std::vector<int32_t> starts{0}, adjacent, edgeWeights, weights;

  int32_t size() const { return static_cast<int32_t>(starts.size()) - 1; }
};

constexpr uint8_t kSeparator = 2;

/// 0 and 1 for the halves, between which there is no edge, kSeparator for what lies between.
std::vector<uint8_t> vertexSeparator(const WeightedGraph& graph, Context& context);

}  // namespace hackle::detail
