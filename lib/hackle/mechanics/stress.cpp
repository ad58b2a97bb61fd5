#include <hackle/mechanics/stress.h>

#include <Eigen/Eigenvalues>

#include <cmath>

namespace hackle {

PrincipalStress principalStress(const Mat3& stress) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(stress);
  PrincipalStress result;
  result.values = solver.eigenvalues().reverse();
  for (int k = 0; k < 2; ++k) {
    Vec3 d = solver.eigenvectors().col(2 - k).normalized();
    Eigen::Index largest = 0;
    d.cwiseAbs().maxCoeff(&largest);
    if (d[largest] < 0) d = -d;
    result.directions.col(k) = d;
  }
  result.directions.col(2) = result.directions.col(0).cross(result.directions.col(1)).normalized();
  return result;
}

Vec3 principalValues(const Mat3& stress) {
  Eigen::SelfAdjointEigenSolver<Mat3> solver;
  solver.computeDirect(stress, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().reverse();
}

double vonMises(const Mat3& stress) {
  const Mat3 full = stress.selfadjointView<Eigen::Lower>();
  const Mat3 deviator = full - full.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5) * deviator.norm();
}

}  // namespace hackle
