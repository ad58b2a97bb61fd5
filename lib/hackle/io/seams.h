// Joins what a format of one index a corner had to split: vertices at one place that differ in normal or uv.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <cstdint>
#include <vector>

namespace hackle {

/// For each vertex the first vertex that it is one point with. Two triangles are joined along a side if both
/// have one there that no other vertex pair shares; where more than two meet, only if they stay open
/// otherwise. So closed surfaces come out closed, and bodies that only touch stay apart where that can be
/// told. `triangles` holds 3 vertices each. Positions are compared exactly; -0 equals 0.
std::vector<int32_t> joinSeams(Span<const Vec3> positions, Span<const int32_t> triangles);

}  // namespace hackle
