// Moves the points of a coarse surface so that it holds the volume of the fine one that it stands for.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/triangle_mesh.h>

#include <cstdint>
#include <vector>

namespace hackle {

/// Points of a coarse surface that lie on a curved one make it too thin: a hexagon inside a circle has 0.69
/// of its second moment of area, one of equal area 1.007. Points move along their normals by the offsets d
/// that minimise the sum over samples of the fine surface, w_s (distance_s - sum b_v d_v n_v . n)^2, and a
/// little |d|^2 (b: barycentric weights in the nearest triangle). Points with a flag in `fixed` stay.
void fitSurface(TriangleMesh& coarse, Span<const uint8_t> fixed, const TriangleMesh& fine, Context& context);

}  // namespace hackle
