// Which points of a lattice an edge joins, and which tetrahedra a point has.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// Points that no tetrahedron uses have neither neighbours nor tetrahedra.
class NodeGraph {
 public:
  NodeGraph() = default;
  NodeGraph(size_t points, Span<const Tetrahedron> tetrahedra, Context& context);

  size_t size() const { return mStarts.empty() ? 0 : mStarts.size() - 1; }
  /// Ascending.
  Span<const int32_t> neighbours(size_t node) const {
    return {mNeighbours.data() + mStarts[node], static_cast<size_t>(mStarts[node + 1] - mStarts[node])};
  }
  /// Ascending.
  Span<const int32_t> tetrahedra(size_t node) const {
    return {mTetrahedra.data() + mTetStarts[node],
            static_cast<size_t>(mTetStarts[node + 1] - mTetStarts[node])};
  }

 private:
  std::vector<int32_t> mStarts, mNeighbours, mTetStarts, mTetrahedra;
};

}  // namespace hackle
