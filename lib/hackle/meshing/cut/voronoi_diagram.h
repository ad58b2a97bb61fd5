// The Voronoi diagram of sites in a box, cell by cell, with exact combinatorics.
#pragma once

#include <hackle/core/context.h>
#include <hackle/meshing/cut/score_predicates.h>

#include <array>
#include <vector>

namespace hackle {

/// A convex cell. Its planes are named by the site across (or a plane of the box, see ScorePredicates); its
/// vertices are the triples of planes that meet there, counter-clockwise seen from outside: on the face of
/// plane a of a vertex (a, b, c), the edge shared with b comes before the edge shared with c.
struct VoronoiCell {
  std::vector<std::array<int32_t, 3>> vertices;
  std::vector<int32_t> neighbours;  // sites and box planes that have a face, sorted
};

/// All cells. The combinatorics are those of the symbolically perturbed diagram, so every vertex belongs to
/// exactly four cells (or box planes), and cells agree about it. Sites must be distinct and strictly inside
/// the box.
std::vector<VoronoiCell> voronoiDiagram(const ScorePredicates& predicates, Span<const Vec3> sites,
                                        const Box3& box, Context& context);

}  // namespace hackle
