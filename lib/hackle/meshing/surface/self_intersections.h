// Triangles that pass through each other, by exact predicates.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/vec.h>

#include <array>
#include <cstdint>
#include <vector>

namespace hackle {

struct TriangleMesh;

/// Pairs of triangles that have more in common than corners and edges at equal positions: they cross, touch
/// within, overlap in a plane, or are the same. The smaller number comes first; pairs are ascending. Corners
/// at equal positions are one corner, whether they are one point or not. Triangles without area or with
/// corners that are not finite are left out. The answer is exact for the given coordinates.
std::vector<std::array<int32_t, 2>> selfIntersections(const TriangleMesh& mesh, Context& context);

/// The same for one pair; both must have an area.
bool trianglesIntersect(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t);

/// Sign of the volume of a tetrahedron: 1 if d is below the plane of a, b, c that looks counter-clockwise
/// from above, -1 above, 0 in the plane. Exact.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace hackle
