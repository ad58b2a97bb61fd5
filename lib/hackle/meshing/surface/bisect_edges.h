// A finer copy of a closed surface with the same shape.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/triangle_mesh.h>

#include <vector>

namespace hackle {

struct BisectedMesh {
  TriangleMesh mesh;
  std::vector<int32_t> source;  // per triangle: the one that it is part of
};

/// Splits edges longer than `longest` (m) in the middle, the longest first, so that every triangle is split
/// across its longest edge ([Rivara84]: angles stay above half of the smallest). Stops at `limit` triangles.
/// The surface has to be closed and manifold; points of the input come first.
BisectedMesh bisectEdges(const TriangleMesh& mesh, double longest, size_t limit, Context& context);

}  // namespace hackle
