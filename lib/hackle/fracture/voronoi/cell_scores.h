// From labelled nodes to the scores that the cutter wants.
#pragma once

#include <hackle/fracture/voronoi/lloyd.h>
#include <hackle/meshing/cut/lattice_envelope.h>

namespace hackle {

/// Labels with every cell in one part along the edges of the lattice: parts apart from a cell's largest one
/// (by nodes) go to the nearest site among those around them. `moved` tells how many nodes did. Parts of the
/// lattice that are not connected keep their labels.
struct ConnectedLabels {
  std::vector<int32_t> labels;
  size_t moved = 0;
};
ConnectedLabels connectedLabels(const Embedding& embedding, const NodeGraph& graph,
                                const CentroidalCells& cells);

/// Minus the squared distances from sites, m^2, at the corners of tetrahedra that several cells may share:
/// of all sites of cells within an edge of a corner that no corner's own site beats at all four. That is all
/// sites that can win somewhere in the tetrahedron, so cells are those of the embedding interpolated
/// linearly, which inside tetrahedra are convex. Elsewhere, the node's own label alone.
LatticeScores cellScores(const Embedding& embedding, const NodeGraph& graph,
                         Span<const Tetrahedron> tetrahedra, const CentroidalCells& cells,
                         const ConnectedLabels& connected, Context& context);

}  // namespace hackle
