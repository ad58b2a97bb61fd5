// Centroidal Voronoi diagrams on the nodes of a lattice, in any embedding.
#pragma once

#include <hackle/fracture/voronoi/embedding.h>

#include <cstdint>
#include <vector>

namespace hackle {

struct LloydOptions {
  int iterations = 40;      // at most
  double tolerance = 2e-3;  // stop when a step lowers the energy by less than this share
  uint64_t seed = 0;
};

struct CentroidalCells {
  size_t dimensions = 0;
  std::vector<double> sites;     // count() x dimensions
  std::vector<int32_t> labels;   // of every node: its nearest site, ties to the lower
  std::vector<double> energies;  // E_D (J m^2) after each step; never rises
  int iterations = 0;            // moves of the sites

  size_t count() const { return dimensions == 0 ? 0 : sites.size() / dimensions; }
  const double* site(size_t s) const { return sites.data() + s * dimensions; }
  /// Energy that is left, [Schvartzman14] eq. 3: the sum over nodes of energy times squared distance from the
  /// site.
  double energy() const { return energies.empty() ? 0.0 : energies.back(); }
};

/// CVD(N, W) of [Schvartzman14] eq. 9 by Lloyd's method. `energies` (J a node, none negative) are weights;
/// sites are drawn from them without replacement, those for N among those for N + 1, and the result does not
/// change when all are multiplied by a number, but for its energy. Nodes without energy are drawn last. With
/// as many sites as nodes or more, every node is a site.
///
/// Cells are flooded from the sites along the graph to begin with; every step then finds the nearest site of
/// each node exactly: sites farther from its last one than twice the node cannot be nearer [Phillips02].
CentroidalCells centroidalCells(const Embedding& embedding, const NodeGraph& graph,
                                Span<const double> energies, size_t count, const LloydOptions& options,
                                Context& context);

}  // namespace hackle
