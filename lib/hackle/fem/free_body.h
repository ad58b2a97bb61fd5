// Statics of a body in flight: pushed, but held nowhere.
#pragma once

#include <hackle/fem/assembly.h>
#include <hackle/fem/reduced_stiffness.h>
#include <hackle/fem/rigid_motions.h>
#include <hackle/linalg/symmetric_matrix.h>

#include <memory>

namespace hackle {

/// Displacements (m) of a free body under loads (N, 3 #points); see FreeBody::solve.
Eigen::VectorXd solveFreeBody(const ElasticMesh& mesh, const Eigen::VectorXd& loads, Context& context);

/// Keeps matrices and factorisation of one body.
///
/// A load on a free body accelerates it; in the frame that moves along, the forces of inertia -M R R^T f
/// balance the load (inertia relief), and the deformation follows from K u = f - M R R^T f. K has the rigid
/// motions R as null space, so u is defined up to them: of all solutions we give the one without rigid part,
/// R^T M u = 0. It is computed by fixing six unknowns of each part that fix its motions and nothing else
/// (a generalised inverse of K [Farhat98]): a balanced load puts no force on them, so any choice gives the
/// same result.
class FreeBody {
 public:
  /// Checks and factorises. Error(BadInput) for a mesh that checkElasticMesh refuses or one with joints.
  FreeBody(ElasticMesh mesh, Context& context);
  /// The same with matrices of the caller's on the mesh's points, lower triangles. Rigid motions must be the
  /// null space of the stiffness.
  FreeBody(ElasticMesh mesh, const SparseMatrix& stiffness, const SparseMatrix& mass, Context& context);

  /// Deformations (m) under loads (N), 3 #points x any number of columns. Error(Failed) if rounding left a
  /// residual above 1e-6 of the load.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& loads, Context& context) const;

  const ElasticMesh& mesh() const { return mMesh; }
  const SymmetricMatrix& stiffness() const { return mStiffness; }
  const RigidMotions& rigidMotions() const { return *mRigid; }
  /// kg that a unit force somewhere meets, the body's turning included: force / acceleration along it.
  /// `load` is the force as 3 #points nodal forces of any size.
  double effectiveMass(const Eigen::VectorXd& load) const;
  /// Memory of mesh, matrix and factor, about.
  size_t bytes() const;

 private:
  ElasticMesh mMesh;
  SymmetricMatrix mStiffness;
  std::unique_ptr<const RigidMotions> mRigid;
  std::unique_ptr<const ReducedStiffness> mInverse;
};

}  // namespace hackle
