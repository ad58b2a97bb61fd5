// Lattice points in a space of more dimensions, in which the straight line is as long as the way inside the
// body.
#pragma once

#include <hackle/fracture/voronoi/node_graph.h>

#include <vector>

namespace hackle {

enum class Metric {
  Interior,   // shortest ways inside the lattice, by scaling of their lengths
  Diffusion,  // eigenfunctions of the lattice's Laplacian
  Surface,    // eigenfunctions of the surface's, inside by mean-value coordinates [Rustamov09]
  Euclidean,  // positions as they are
};

/// One row of coordinates (m) a node. Voronoi diagrams in any of the metrics are Euclidean ones of these rows
/// ([Schvartzman14] corollary 1).
struct Embedding {
  size_t dimensions = 0;
  std::vector<double> coordinates;  // #nodes x dimensions

  size_t size() const { return dimensions == 0 ? 0 : coordinates.size() / dimensions; }
  const double* of(size_t node) const { return coordinates.data() + node * dimensions; }
  double squaredDistance(size_t a, size_t b) const;
};

/// Sum of (a_k - b_k)^2, in an order that does not depend on the machine.
double squaredDistance(const double* a, const double* b, size_t dimensions);

/// Three dimensions: the positions themselves.
Embedding euclideanEmbedding(Span<const Vec3> positions);

struct InteriorOptions {
  size_t landmarks = 48;   // nodes whose distances to all others are computed
  size_t dimensions = 12;  // at most
  double kept = 2e-3;      // dimensions below this share of the largest one's variance are left out
};

/// Classical scaling of lengths of shortest ways to landmarks [deSilva04]: distances in the result are those
/// ways where they can be (in convex bodies the straight lines, in three dimensions), and never shrink where
/// the way bends. Landmarks are spread by farthest points. Parts that are not connected are kept apart by
/// more than their own size. `positions` may be those of a warped lattice.
Embedding interiorEmbedding(Span<const Vec3> positions, Span<const Tetrahedron> tetrahedra,
                            const NodeGraph& graph, const InteriorOptions& options, Context& context);

}  // namespace hackle
