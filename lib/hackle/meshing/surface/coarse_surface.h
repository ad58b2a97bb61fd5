// A coarse copy of a solid with triangles of about equal size, to solve on.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

struct TriangleMesh;

/// About this many triangles for the solid inside a closed surface: the surface of a level set whose voxels
/// give some more, decimated. Where that loses shells or more than a tenth of the volume (parts thinner than
/// voxels), the surface itself is decimated, with a warning. Closed, 2-manifold, outward.
/// Error(BadInput) as from decimate.
Geometry coarseSurface(const TriangleMesh& mesh, size_t triangles, Context& context);

}  // namespace hackle
