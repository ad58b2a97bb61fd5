// Mean-value coordinates of places with respect to a closed triangle mesh.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

namespace hackle {

/// Values of the mesh's points (one row a point) at places (one row a place), by the weights of [Ju05]:
/// linear functions of space come out exactly, on the surface it interpolates, and it is defined outside too.
/// Time goes with places times triangles.
Eigen::MatrixXd meanValueInterpolation(Span<const Vec3> points, Span<const Triangle> triangles,
                                       const Eigen::MatrixXd& values, Span<const Vec3> places,
                                       Context& context);

}  // namespace hackle
