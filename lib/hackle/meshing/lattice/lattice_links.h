// Whether the boundary is a manifold at a lattice vertex that lies on it. Private to lattice.cpp.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle::detail {

/// The tetrahedra around some of the vertices.
class VertexStars {
 public:
  /// Of the vertices with `wanted`.
  VertexStars(Span<const Tetrahedron> tetrahedra, Span<const uint8_t> wanted);
  Span<const int32_t> of(int32_t vertex) const {
    const auto v = static_cast<size_t>(vertex);
    return {mTetrahedra.data() + mStarts[v], static_cast<size_t>(mStarts[v + 1] - mStarts[v])};
  }

 private:
  std::vector<int32_t> mStarts, mTetrahedra;
};

/// `signs` are -1 inside, 0 on the surface, 1 outside; `vertex` has 0. Seen from the vertex, what is inside
/// must be one disc, and so what is outside; false where two parts touch in the vertex or along an edge.
bool isManifoldAt(int32_t vertex, Span<const Tetrahedron> tetrahedra, const VertexStars& stars,
                  Span<const int8_t> signs);

}  // namespace hackle::detail
