// Fracture along a centroidal Voronoi diagram in the interior metric [Schvartzman14].
#pragma once

#include <hackle/fracture/voronoi/cell_scores.h>
#include <hackle/fracture/voronoi/diffusion.h>
#include <hackle/fracture/voronoi/node_energies.h>
#include <hackle/fracture/voronoi/piece_search.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/cut.h>
#include <hackle/meshing/lattice/lattice.h>

#include <functional>
#include <optional>

namespace hackle {

struct CvdBodyOptions {
  Metric metric = Metric::Interior;
  InteriorOptions interior;
  DiffusionOptions diffusion;  // of the metrics Diffusion and Surface
  /// Where a place lies in the space in which distances are measured; may be empty. A stretch of that space
  /// shortens pieces, a wavy one bends them. Asked from several threads.
  std::function<Vec3(const Vec3&)> reference;
};

/// What one body needs for all its fractures.
struct CvdBody {
  std::vector<Vec3> points;  // of a lattice that encloses the surface
  std::vector<Tetrahedron> tetrahedra;
  NodeGraph graph;
  Embedding embedding;
  std::vector<double> shares;  // of the solid in the volume around each node, 0 to 1
};

/// `lattice` must hold `surface` in its inside. Error(BadInput) where the reference space is not finite.
CvdBody prepareCvd(const TetLattice& lattice, const TriangleMesh& surface, const CvdBodyOptions& options,
                   Context& context);

struct CvdCellOptions {
  std::optional<size_t> pieces;  // not set: as many as the threshold asks for
  PieceSearchOptions search;
  NodeEnergyOptions energies;
  /// Parts of a cell that lie apart from it join their neighbours; else they become pieces of their own.
  bool connect = true;
};

struct CvdCells {
  PieceSearch search;  // with the cells
  ConnectedLabels connected;
  double energy = 0;  // J, all of the strain energy, as shaped
};

/// The strain energies (J a node of the body's lattice) that break: shaped, and without what is outside.
std::vector<double> breakingEnergies(const CvdBody& body, Span<const double> energies,
                                     const NodeEnergyOptions& options, Context& context);

/// The cells that strain energies (J a node of the body's lattice) give.
CvdCells cvdCells(const CvdBody& body, Span<const double> energies, const CvdCellOptions& options,
                  Context& context);

/// Cuts the surface, and the solid inside it, along the cells.
Cut cutByCells(const Geometry& solid, const TriangleMesh& mesh, const CvdBody& body, const CvdCells& cells,
               Context& context);

}  // namespace hackle
