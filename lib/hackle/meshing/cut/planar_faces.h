// Faces from closed loops in one plane.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// A directed edge between vertices; its face is on the left.
struct LoopEdge {
  int32_t from, to;
};

/// Joins edges to closed loops. The edges come sorted by `from` and `to`; as many start as end at each
/// vertex, or Error(Internal). Where loops touch at a vertex, each turns as sharply to the left around
/// `normal` as it can, so that they come apart.
std::vector<std::vector<int32_t>> linkLoops(Span<const LoopEdge> edges, const Vec3& normal,
                                            Span<const Vec3> positions);

/// Loops of one plane, counter-clockwise around `normal` where they bound a face from outside and clockwise
/// where they bound a hole, become faces: an outer loop without holes stays as it is, one with holes is cut
/// into triangles whose corners are the loops' own. Every edge of every loop is in exactly one face, in its
/// own direction, whatever rounding did to the coordinates. `position` gives the place of a vertex.
std::vector<std::vector<int32_t>> facesFromLoops(const std::vector<std::vector<int32_t>>& loops,
                                                 const Vec3& normal, Span<const Vec3> positions);

}  // namespace hackle
