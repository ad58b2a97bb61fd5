// Fewer triangles for a closed surface.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

struct TriangleMesh;

struct DecimateOptions {
  size_t triangles = 1000;  // to reach
  /// Collapses are not tested for triangles that meet others: three times as fast, for who looks for
  /// crossings in the result. Where no collapse would have been refused it is the same.
  bool mayCross = false;
};

struct DecimateResult {
  Geometry surface;            // triangles; points keep the order of the input
  size_t triangles = 0;        // in it
  bool reached = true;         // false if no further edge could go without harm
  size_t refusedCrossing = 0;  // collapses that would have made triangles cross
  size_t crossingBefore = 0;   // pairs of triangles that crossed in the input
};

/// Collapses edges in the order of the quadric error [Garland97] until this many triangles are left. The
/// result is a closed 2-manifold of the same genus: an edge goes only if its ends have exactly two neighbours
/// in common, if no triangle around turns over or becomes a sliver, and if none of them meets another
/// triangle of the mesh (exact test); an input free of self-intersections gives an output free of them.
/// Attributes are not carried over.
///
/// Error(BadInput) if the surface is not closed, oriented and manifold. A target below what the topology
/// allows gives the smallest mesh that was found, with a warning.
DecimateResult decimate(const TriangleMesh& mesh, const DecimateOptions& options, Context& context);

}  // namespace hackle
