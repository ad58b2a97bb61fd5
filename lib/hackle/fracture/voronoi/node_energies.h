// Strain energies of lattice nodes as an artist wants them: more or less concentrated, fragile here and tough
// there.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/triangle_mesh.h>

#include <functional>
#include <vector>

namespace hackle {

struct NodeEnergyOptions {
  double granularity = 1.0;  // alpha: 1 as computed, 0 evenly, above 1 more concentrated
  /// beta: 1 as it is, above 1 fragile, below 1 tough; not negative. Asked from several threads; may be
  /// empty.
  std::function<double(const Vec3&)> fragility;
};

/// A quarter of the volumes of the tetrahedra around each node, m^3.
std::vector<double> nodeVolumes(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra);

/// J a node: a quarter of the energy of every tetrahedron goes to each of its corners ([Schvartzman14]
/// section 3.3). `densities` in J/m^3, one per tetrahedron.
std::vector<double> nodeEnergies(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                 Span<const double> densities);

/// What part of the volume around each node, 0 to 1, is inside the surface; by the winding numbers of four
/// places in each tetrahedron that the surface may pass. A lattice around a surface has energy outside of it,
/// which breaks nothing.
std::vector<double> solidShares(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                const TriangleMesh& surface, Context& context);

/// beta W^alpha of [Schvartzman14] section 3.4 for the density W = energy / volume of each node, times the
/// node's volume. W^alpha is scaled so that the total energy (J) stays as it was: thresholds keep their
/// meaning, and with alpha 0 only the total of the load is left. `energies` in J a node. Error(BadInput) if
/// one is negative or not finite, or where the fragility is.
std::vector<double> shapedEnergies(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                   Span<const double> energies, const NodeEnergyOptions& options,
                                   Context& context);

}  // namespace hackle
