#include <hackle/linalg/dense.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace hackle {

SymmetricEigen symmetricEigen(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

ColumnRanking rankColumns(const Eigen::MatrixXd& a, std::optional<double> threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  if (threshold) qr.setThreshold(*threshold);
  const auto& order = qr.colsPermutation().indices();
  return {{order.data(), order.data() + order.size()}, static_cast<int32_t>(qr.rank())};
}

Eigen::VectorXd leastSquares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(a).solve(b);
}

}  // namespace hackle
