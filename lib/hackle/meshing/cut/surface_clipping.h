// The parts of a triangle mesh in each cell of a Voronoi diagram.
#pragma once

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/voronoi_diagram.h>

namespace hackle {

/// A convex part of a triangle in a cell, as the cyclic sequence of the lines that bound it: >= 0 is the
/// bisector with that site, -1, -2, -3 the triangle's edges 0-1, 1-2, 2-0. Corner k lies between lines k and
/// k + 1. Counter-clockwise.
struct ClippedTriangle {
  int32_t triangle = 0;
  int32_t cell = 0;
  std::vector<int32_t> lines;
};

struct ClippedSurface {
  std::vector<int32_t> pointCell;      // the cell of each mesh point
  std::vector<ClippedTriangle> parts;  // of triangles whose corners lie in different cells, by triangle
};

ClippedSurface clipSurface(const ScorePredicates& predicates, const std::vector<VoronoiCell>& cells,
                           Span<const Vec3> sites, const TriangleMesh& mesh, Context& context);

}  // namespace hackle
