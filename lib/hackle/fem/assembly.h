// Matrices and load vectors of linear elasticity on tetrahedra. Unknown 3 p + k is component k of point p.
#pragma once

#include <hackle/core/span.h>
#include <hackle/fem/elastic_mesh.h>
#include <hackle/linalg/sparse.h>

#include <Eigen/Core>

namespace hackle {

/// Stiffness (N/m) of a checked mesh, 3 #points square, lower triangle: README eq. 2.
SparseMatrix stiffnessMatrix(const ElasticMesh& mesh, Context& context);

enum class MassKind {
  Consistent,  // of the shape functions: exact for every linear motion
  Lumped       // a quarter of each tetrahedron at its corners; diagonal
};
/// Mass (kg), 3 #points square, lower triangle: README eq. 3.
SparseMatrix massMatrix(const ElasticMesh& mesh, MassKind kind, Context& context);

/// Nodal forces (N) of tractions (Pa, one per triangle) on triangles between the mesh's points.
Eigen::VectorXd tractionForces(Span<const Vec3> points, Span<const Triangle> triangles,
                               Span<const Vec3> tractions);
/// Nodal forces (N) of an acceleration (m/s^2) of every point, such as gravity.
Eigen::VectorXd bodyForces(const ElasticMesh& mesh, const Vec3& acceleration);

}  // namespace hackle
