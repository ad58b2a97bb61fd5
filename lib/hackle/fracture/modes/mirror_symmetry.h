// Mirrors that leave a solid and its lattice as they are: the modes of such a solid come with their images.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/modes/element_graph.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <vector>

namespace hackle {

/// Of each mirror, the element at the place that it moves each element to.
using ElementMirrors = std::vector<std::vector<int32_t>>;

/// Mirrors at the planes through the middle of the solid's box across x, y and z: those that move all corners
/// of the surface onto it, within 1e-3 of its diagonal, and elements onto ones of the same paint. Cells at
/// the surface need not be mirror images: elements go to the one that lies there, or next to it.
ElementMirrors elementMirrors(const TriangleMesh& mesh, const TriangleBvh& bvh, Span<const Vec3> points,
                              Span<const Tetrahedron> tetrahedra, const ElementPaint& paint,
                              Context& context);

}  // namespace hackle
