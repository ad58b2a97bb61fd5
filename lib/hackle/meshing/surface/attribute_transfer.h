// Attributes of one surface for another that lies close to it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

/// Gives the polygons of `target` the attributes and groups of those of `source`, from the closest place on
/// it: points and vertices interpolate there, primitives take those of the polygon nearest to their middle.
/// The corners of a face stay on one side of texture seams (edges where the vertex attribute `uv` of `source`
/// does not agree). Normals (N) belong to the old surface and are left out. Nothing happens if `source` has
/// no faces.
void transferAttributes(const Geometry& source, Geometry& target, Context& context);

}  // namespace hackle
