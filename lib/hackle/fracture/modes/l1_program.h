// A small dense program: the cheapest combination of columns with a given sum. Private to the solver of
// fracture modes.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace hackle::detail {

/// min Σ_j costs_j |w_j| subject to Σ_j columns_j w_j = target; dual: max target·y subject to |y·columns_j|
/// <= costs_j.
struct L1Solution {
  std::vector<int32_t> basis;  // as many columns as there are rows; all other weights are 0
  Eigen::VectorXd weights;     // of the basis
  Eigen::VectorXd prices;      // y
  double objective = 0;
  int pivots = 0;
  bool solved = false;  // false: the columns do not span the rows, or pivots ran out
};

/// Simplex method on the basis; because weights may have either sign, any independent basis is a feasible
/// start. `basis` is where to start; if it is empty or not independent, one is chosen. Costs must be
/// positive.
L1Solution cheapestCombination(const Eigen::Ref<const Eigen::MatrixXd>& columns,
                               const Eigen::Ref<const Eigen::VectorXd>& costs, const Eigen::VectorXd& target,
                               std::vector<int32_t> basis);

}  // namespace hackle::detail
