// Decompositions of small dense matrices, compiled once: Eigen's take seconds in every source that uses them.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <vector>

namespace hackle {

struct SymmetricEigen {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // orthonormal columns
};
SymmetricEigen symmetricEigen(const Eigen::MatrixXd& a);

/// Columns by a QR decomposition with pivoting: the first `rank` are independent, as well as can be.
struct ColumnRanking {
  std::vector<int32_t> order;
  int32_t rank = 0;
};
/// Pivots below `threshold` of the largest count as 0; not given: those of rounding.
ColumnRanking rankColumns(const Eigen::MatrixXd& a, std::optional<double> threshold = {});

/// The x that makes |a x - b| smallest.
Eigen::VectorXd leastSquares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace hackle
