// The motions of a body that cost no energy: three translations and three rotations of every part that hangs
// together.
#pragma once

#include <hackle/fem/elastic_mesh.h>
#include <hackle/linalg/sparse.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

/// Rigid motions, orthonormal in the mass of the body. Fields are 3 #points numbers, any number of columns.
class RigidMotions {
 public:
  /// `mass`: of the mesh, lower triangle.
  RigidMotions(const ElasticMesh& mesh, const SparseMatrix& mass, Context& context);

  size_t parts() const { return mParts; }
  size_t count() const { return 6 * mParts; }
  /// All motions as columns, 3 #points x count().
  Eigen::MatrixXd basis() const;
  /// How much of each motion (rows) is in each field of displacements: R^T M u.
  Eigen::MatrixXd componentsOf(const Eigen::MatrixXd& displacements) const;
  /// Accelerations by forces along each motion: R^T f.
  Eigen::MatrixXd accelerations(const Eigen::MatrixXd& forces) const;
  /// Takes the rigid part out of displacements: u - R R^T M u.
  void removeFromDisplacements(Eigen::MatrixXd& displacements) const;
  /// Adds the forces of inertia, so that neither force nor torque is left on any part: f - M R R^T f.
  void relieve(Eigen::MatrixXd& forces) const;
  /// Six unknowns of every part that fix its motions and nothing else, ascending; chosen for good numbers.
  std::vector<int32_t> determinateUnknowns() const;

 private:
  Eigen::MatrixXd project(const Eigen::MatrixXd& fields, const Eigen::MatrixXd& onto) const;
  void subtract(Eigen::MatrixXd& fields, const Eigen::MatrixXd& of, const Eigen::MatrixXd& amounts) const;

  size_t mParts = 0;
  std::vector<int32_t> mPartOf;  // of every point
  Eigen::MatrixXd mMotions;      // 3 #points x 6: the motions of a point's own part
  Eigen::MatrixXd mMassMotions;  // the mass times them
};

}  // namespace hackle
