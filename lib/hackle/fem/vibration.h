// Natural vibrations of a free body.
#pragma once

#include <hackle/fem/assembly.h>
#include <hackle/linalg/eigenpairs.h>

#include <Eigen/Core>

namespace hackle {

struct VibrationOptions {
  size_t count = 20;  // elastic modes, besides the rigid ones
  MassKind mass = MassKind::Consistent;
  EigenOptions eigen;  // of the solver
};

struct VibrationModes {
  size_t rigid = 0;             // the first of them: six for each connected part
  Eigen::VectorXd frequencies;  // rad/s, ascending; exactly 0 for rigid motions
  Eigen::MatrixXd shapes;       // 3 #points x modes, orthonormal in mass (kg^-1/2)
  double residual = 0;          // of the eigensolver
};

/// Modes of K u = omega^2 M u. Rigid motions are recognised by their shape, not by a small frequency, and
/// replaced by exact ones; the elastic modes are orthogonal to them. Fewer modes come out where the mesh has
/// no more. Error(BadInput) for a mesh that checkElasticMesh refuses or one with joints.
VibrationModes vibrationModes(const ElasticMesh& mesh, const VibrationOptions& options, Context& context);

/// The same with matrices of the caller's on the mesh's points, lower triangles; `options.mass` is not used.
VibrationModes vibrationModes(const ElasticMesh& mesh, const SparseMatrix& stiffness,
                              const SparseMatrix& mass, const VibrationOptions& options, Context& context);

}  // namespace hackle
