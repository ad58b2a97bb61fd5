// The deformation of a free body at the height of impacts on its surface.
#pragma once

#include <hackle/fem/free_body.h>
#include <hackle/fem/surface_embedding.h>

namespace hackle {

/// Impacts as forces at the nodes of a lattice.
struct ImpactLoad {
  Eigen::VectorXd forces;         // N, 3 #points
  std::vector<Contact> contacts;  // one per impact
};

/// Impacts at the same time, each with its peak force (Hertz). `surface` with its `bvh` is what is hit;
/// `embedding` is that of the body's lattice. The mass that an impact meets is the effective one at its
/// place; `mass` (kg), if set, is the true mass of the whole body where the lattice is larger than it (a
/// cage).
ImpactLoad impactLoad(const FreeBody& body, const SurfaceEmbedding& embedding, const TriangleMesh& surface,
                      const TriangleBvh& bvh, Span<const Impact> impacts, std::optional<double> mass,
                      const ContactOptions& options, Context& context);

struct ImpactResponse {
  Eigen::VectorXd displacements;        // m, of the lattice, without rigid part
  std::vector<double> energyDensities;  // J/m^3, of every tetrahedron
  double energy = 0;                    // J
  std::vector<Contact> contacts;        // one per impact
};

/// The response to forces at nodes as a quasi-static load that inertia balances. Energy goes with the square
/// of the load.
ImpactResponse impactResponse(const FreeBody& body, ImpactLoad load, Context& context);
/// The same of impacts alone.
ImpactResponse impactResponse(const FreeBody& body, const SurfaceEmbedding& embedding,
                              const TriangleMesh& surface, const TriangleBvh& bvh, Span<const Impact> impacts,
                              std::optional<double> mass, const ContactOptions& options, Context& context);

}  // namespace hackle
