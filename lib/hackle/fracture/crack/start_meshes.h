// Meshes to solve on that resolve the places where cracks start first.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/fracture/crack/first_system.h>
#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/fracture/solve_mesh.h>
#include <hackle/fracture/surface_conditions.h>

namespace hackle {

/// Meshes that a body's thickness alone sizes spend triangles where nothing happens. Under the loads of
/// `data` (of this body) the mesh is solved once; where the stress comes within a factor of three of that
/// which starts the first crack, and edges are longer than 0.6 of the thickness there, the body is meshed
/// again with edges of half the thickness, finer ones at notches and those that the `borders` of supports ask
/// for. Else it is the same mesh, with its system.
struct StartMesh {
  SolveMesh mesh;
  std::shared_ptr<const FirstSystem> system;  // null if the body was meshed again
};
StartMesh resolvingStarts(const SolveMesh& mesh, const BoundaryData& data, Span<const WantedEdge> borders,
                          const CrackMaterial& material, size_t triangles, Context& context);

}  // namespace hackle
