// Functions that are constant on pieces of the element graph. Private to the solver of fracture modes.
#pragma once

#include <hackle/fracture/modes/min_cut.h>

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace hackle::detail {

/// A function by its pieces: connected regions of equal values.
struct Piecewise {
  std::vector<int32_t> pieceOf;                 // of each element, numbered by first elements
  Eigen::VectorXd values;                       // of each piece
  std::vector<std::array<int32_t, 2>> borders;  // pairs of pieces that touch, first < second, ascending
  std::vector<double> borderCosts;              // m^2

  Eigen::Index size() const { return values.size(); }
  double variation() const;
  Eigen::VectorXd perElement() const;
};
/// Values within 1e-9 of the function's range count as equal.
Piecewise piecewise(const CutNetwork& network, const Eigen::VectorXd& values);

/// Makes a function M-orthogonal to constants and to `modes` to rounding, and of M-norm 1, by changes of
/// rounding size to the values of its pieces.
void orthonormalise(Piecewise& function, const Eigen::VectorXd& masses, const Eigen::MatrixXd& modes);

/// A function of k + 1 constraints (constants included) needs at most k + 2 pieces. Joins pieces without
/// raising the variation, with the same constraints and the same product with itself before, which makes the
/// norm larger; true if some were joined.
bool joinPieces(Piecewise& function, const CutNetwork& network, const Eigen::VectorXd& masses,
                const Eigen::MatrixXd& modes);

}  // namespace hackle::detail
