// A closed surface around whatever solid some triangles describe.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

struct TriangleMesh;

/// The surface of the solid that triangles enclose, inside being where their generalised winding number is
/// more than 1/2 (or less than -1/2): open, crossing, overlapping, doubled and unconnected triangles are all
/// welcome. A closed, outward 2-manifold of quads and a few triangles about `voxelSize` (m) large; creases
/// are rounded to that size, what is thinner may vanish. Attributes are not carried over.
///
/// Empty if nothing is enclosed (a flat sheet). The result scales with the input: tiny and huge objects give
/// the same mesh. Error(BadInput) if there is no triangle; Error(Usage) for voxels that would be too many.
Geometry resurface(const TriangleMesh& soup, double voxelSize, Context& context);

}  // namespace hackle
