// Which closed surfaces of a mesh are one solid body.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// Triangles of each body, ascending: an outside and the cavities directly in it, by the orientation of
/// shells that share no points. Bodies come in the order of their outsides' first triangles; a cavity that
/// lies in nothing is a body of its own.
std::vector<std::vector<int32_t>> findBodies(Span<const Vec3> points, Span<const Triangle> triangles);

}  // namespace hackle
