// Even, well shaped triangles for a closed surface, of a size that may vary over it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/sharp_edges.h>

#include <functional>

namespace hackle {

struct RemeshOptions {
  std::function<double(const Vec3&)> edge;  // m, wanted length of edges at a place of the surface
  int rounds = 8;
};

/// The surface whose triangles are changed, and the one that they stand for.
struct RemeshSurface {
  const TriangleMesh& mesh;  // closed, 2-manifold; the same surface as `target` or a coarse copy of it
  const TriangleMesh& target;
  const TriangleBvh& bvh;   // of the target
  const SharpEdges& sharp;  // of the target
};

/// Rounds of splitting long edges, collapsing short ones, flipping and smoothing [Botsch04]. New points are
/// places of the target surface, those on sharp edges places of these, and corners of sharp edges stay. A
/// closed 2-manifold of the same genus comes out; triangles of it may cross where the surface comes closer to
/// itself than an edge is long (`selfIntersections` tells).
struct RemeshResult {
  TriangleMesh mesh;
  std::vector<uint8_t> onSharp;  // per point: 1 on a sharp edge, 2 at a corner of several, else 0
};
RemeshResult remesh(const RemeshSurface& surface, const RemeshOptions& options, Context& context);

/// 1 for an equilateral triangle, 0 for a flat one: 4 sqrt(3) area over the sum of its squared edges.
double triangleQuality(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace hackle
