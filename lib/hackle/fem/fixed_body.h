// Statics of a body that is held somewhere.
#pragma once

#include <hackle/fem/assembly.h>
#include <hackle/fem/reduced_stiffness.h>
#include <hackle/linalg/symmetric_matrix.h>

#include <array>
#include <memory>

namespace hackle {

/// Holds components of one point at given displacements.
struct Support {
  int32_t point = -1;
  std::array<bool, 3> held{true, true, true};  // x, y, z
  Vec3 displacement = Vec3::Zero();            // m, of the held components
};

/// Keeps matrices and factorisation of one body and the places where it is held; loads and the displacements
/// of supports may change.
class FixedBody {
 public:
  /// Error(BadInput) for a mesh that checkElasticMesh refuses, a support at no point or two that disagree,
  /// and supports that leave a part of the body free to move.
  FixedBody(ElasticMesh mesh, Span<const Support> supports, Context& context);

  /// Displacements (m) under loads (N), 3 #points x any number of columns.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& loads, Context& context) const;
  /// Forces (N) of the supports on the body, 3 #points: K u - f, zero at all others up to rounding.
  Eigen::MatrixXd reactions(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& loads,
                            Context& context) const;

  const ElasticMesh& mesh() const { return mMesh; }
  const SymmetricMatrix& stiffness() const { return mStiffness; }

 private:
  ElasticMesh mMesh;
  SymmetricMatrix mStiffness;
  Eigen::VectorXd mPrescribed;       // m, of held unknowns; 0 elsewhere
  Eigen::VectorXd mPrescribedForce;  // N, the stiffness times it
  std::unique_ptr<const ReducedStiffness> mInverse;
};

}  // namespace hackle
