// Moves a whole geometry by an affine map.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

/// x -> linear * x + offset, column vectors. What turns with the points goes along:
/// - P and attributes with qualifier `point` as points, `vector` (and `v` without qualifier) as vectors,
///   `normal` (and `N` without qualifier) as normals that keep their length, `quaternion` (x, y, z, w; and
///   `orient` without qualifier) by the rotation in the map;
/// - volumes by their grid transform, packed primitives by their own, what is in them stays shared;
/// - a mirroring map turns faces and tetrahedra over, so that outside stays outside.
void transformGeometry(Geometry& geometry, const Mat3& linear, const Vec3& offset, Context& context);

/// The rotation nearest to a linear map (the R of M = R S); of -M if M mirrors.
Mat3 rotationOf(const Mat3& linear);

/// Angles in degrees, about x first, then y, then z (fixed axes).
Mat3 rotationFromDegrees(const Vec3& angles);

}  // namespace hackle
