// Shortest ways through the inside of a lattice.
#pragma once

#include <hackle/fracture/voronoi/node_graph.h>

#include <vector>

namespace hackle {

/// Lengths of shortest ways inside tetrahedra, by fast marching [Kimmel98]: |grad u| = 1, with u linear in
/// each tetrahedron. It is too long by up to a few per cent, never shorter than the straight line.
class LatticeGeodesics {
 public:
  /// The arguments must outlive this. `positions` may be those of a warped lattice.
  LatticeGeodesics(Span<const Vec3> positions, Span<const Tetrahedron> tetrahedra, const NodeGraph& graph)
      : mPositions(positions), mTetrahedra(tetrahedra), mGraph(graph) {}

  /// From one node to all, in metres; infinite where no way leads. Where the way can hardly be told from a
  /// straight line (longer by less than 3 %), it is the straight line; above 8 % it is as marched; linear
  /// between.
  std::vector<double> from(size_t node, Context& context) const;

 private:
  std::vector<double> march(size_t node, Context& context) const;

  Span<const Vec3> mPositions;
  Span<const Tetrahedron> mTetrahedra;
  const NodeGraph& mGraph;
};

}  // namespace hackle
