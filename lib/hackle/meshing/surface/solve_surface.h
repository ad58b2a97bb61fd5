// A copy of a solid's surface on which stress is solved: well shaped triangles, finer where the solid is
// thin.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <functional>
#include <memory>

namespace hackle {

struct SolveSurface {
  TriangleMesh mesh;
  bool levelSet = false;                          // it comes from a level set: sharp edges are round
  std::shared_ptr<const TriangleMesh> decimated;  // what was meshed again; null: the surface itself
};

/// m, the longest edge that is wanted at a place.
using EdgeLimit = std::function<double(const Vec3&)>;

/// Whether a triangle is no higher than this part of its longest edge.
bool isFlat(const TriangleMesh& mesh, size_t t, double part);
/// The first triangle without area, on which stress cannot be solved; -1 if all have some.
int32_t flatTriangle(const TriangleMesh& mesh);

/// About `triangles` triangles for a closed surface without crossings, whose tree is `bvh`. The surface is
/// decimated with its sharp edges kept (sharp_edges.h), meshed again with even triangles (remesh.h) whose
/// edges are at most half as long as the solid is thick there, as far as that many triangles allow, and
/// fitted to the solid's volume (fit_surface.h). Where that does not give a surface free of crossings and
/// of triangles without area it is the surface of a level set (coarse_surface.h), with a warning. With
/// a `limit` edges are no longer than that says, as far as 1500 more triangles allow, or twice as many;
/// elsewhere the thickness counts as far as the number asked for allows. A surface that was `decimated` here
/// before for as many triangles is not decimated again.
SolveSurface solveSurface(const TriangleMesh& mesh, const TriangleBvh& bvh, size_t triangles,
                          Context& context, const EdgeLimit& limit = {},
                          std::shared_ptr<const TriangleMesh> decimated = {});

}  // namespace hackle
