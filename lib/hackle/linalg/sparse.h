// The sparse matrix of the house.
#pragma once

#include <Eigen/SparseCore>

#include <cstdint>

namespace hackle {

/// Compressed columns. Symmetric matrices are read from their lower triangle; what is above is not looked at.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int32_t>;

}  // namespace hackle
