// Shading normals at the corners of drawn triangles.
#pragma once

#include <hackle/core/context.h>
#include <hackle/render/drawable.h>

namespace hackle {

/// Unit normals, 3 per triangle: the vertex or point attribute N where there is one, else averaged where
/// faces meet at no more than `cuspAngle` degrees. Zero where there is no direction.
std::vector<Vec3f> cornerNormals(const Geometry& geometry, const Drawable& drawable, double cuspAngle,
                                 Context& context);

}  // namespace hackle
