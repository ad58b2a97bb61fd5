// Rigid bodies of a host as packed primitives: what a Geometry with them says of its bodies, and the geometry
// after some of them broke.
#pragma once

#include <hackle/coupling/hosted_points.h>

namespace hackle {

/// Shape and pose of a body that the host places by a linear map and an offset, in the host's units; `length`
/// is the host's length for a metre. The stretch of the map goes into the shape, so that what is left is a
/// rotation. `content` gives the shape as it was packed.
void placeBody(HostedBody& body, const Mat3& linear, const Vec3& offset, double length,
               std::function<Geometry(Context&)> content);

/// A fragment as a packed primitive in the host's units: its shape in the rest frame of its parent, turned
/// about its centre. The point that it belongs to is where the centre is.
PackedPrimitive packedFragment(const Fragment& fragment, double length);

/// All packed primitives of a geometry, in their order. Their shapes refer to the geometry, which has to
/// outlive them.
struct HostedGeometry {
  std::vector<int32_t> primitives;
  Geometry points;  // the point of each, with its attributes
  std::vector<HostedPiece> pieces;
};
HostedGeometry hostedGeometry(const Geometry& geometry, double length);

/// Puts the fragments in place of the pieces that broke, behind all others. `points` are those that
/// `fragmentPoints` made of the breaks.
Geometry replacedPieces(const Geometry& geometry, const HostedGeometry& hosted,
                        Span<const HostedBreak> breaks, Geometry points, double length);

}  // namespace hackle
