// Sites on spokes and rings around hits, as cracks in panes run.
#pragma once

#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <cstdint>
#include <vector>

namespace hackle {

/// About `count` sites around the `hits` (m) on a surface, in the plane of the surface at each: on spokes at
/// nearly equal angles, and on rings that are closer towards the hit. Each hit has the sites that are nearest
/// to it. Without hits, around the middle of the surface's box, across its shortest side. Sites may lie
/// outside of the solid.
std::vector<Vec3> radialSites(const TriangleMesh& mesh, const TriangleBvh& surface, Span<const Vec3> hits,
                              size_t count, uint64_t seed);

}  // namespace hackle
