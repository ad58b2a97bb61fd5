// An order of elimination that keeps sparse factors small.
#pragma once

#include <hackle/core/context.h>

#include <cstdint>
#include <vector>

namespace hackle {

/// An undirected graph: neighbours of vertex v are adjacent[starts[v]] to adjacent[starts[v + 1] - 1], each
/// edge listed at both ends, no loops.
struct SparsityGraph {
  std::vector<int32_t> starts{0}, adjacent;
  std::vector<int32_t> weights;  // unknowns that a vertex stands for; empty: 1 each

  int32_t size() const { return static_cast<int32_t>(starts.size()) - 1; }
};

/// Nested dissection [George73]: order[k] is the vertex eliminated k-th. The graph is halved by a small set
/// of vertices that comes last, and each half in the same way; parts of about a hundred vertices are ordered
/// by minimum degree. Halves are found on coarser graphs and refined [Karypis98]. The same order on any
/// number of threads.
std::vector<int32_t> nestedDissection(const SparsityGraph& graph, Context& context);

}  // namespace hackle
