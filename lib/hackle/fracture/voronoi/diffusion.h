// Embeddings by diffusion maps: eigenfunctions of a Laplacian as coordinates.
#pragma once

#include <hackle/fracture/voronoi/embedding.h>

namespace hackle {

struct DiffusionOptions {
  size_t eigenfunctions = 48;  // at most
  double time = 0.15;          // of diffusion, over the slowest decay: t = time / lambda_1
  double kept = 0.01;          // coordinates with less than this share of the first one's weight are left out
};

/// Coordinates exp(-lambda_k t) phi_k with the eigenpairs of the lattice's linear finite elements, free
/// boundaries: diffusion distance [Coifman05] of the volume, scaled to metres so that edges of the lattice
/// have their length on average. Far distances saturate. `positions` may be those of a warped lattice.
Embedding latticeDiffusion(Span<const Vec3> positions, Span<const Tetrahedron> tetrahedra,
                           const NodeGraph& graph, const DiffusionOptions& options, Context& context);

/// The interior distance of [Rustamov09] as [Schvartzman14] uses it: a diffusion map of the surface
/// (cotangent Laplacian), interpolated at the nodes by mean-value coordinates. The surface should be closed
/// and welded; time goes with its triangles times the nodes. Scaled like `latticeDiffusion`.
Embedding surfaceDiffusion(Span<const Vec3> surface, Span<const Triangle> triangles,
                           Span<const Vec3> positions, const NodeGraph& graph,
                           const DiffusionOptions& options, Context& context);

}  // namespace hackle
