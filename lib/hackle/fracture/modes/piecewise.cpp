#include <hackle/fracture/modes/piecewise.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <map>

namespace hackle::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double Piecewise::variation() const {
  double sum = 0;
  for (size_t b = 0; b < borders.size(); ++b)
    sum += borderCosts[b] * std::abs(values[borders[b][0]] - values[borders[b][1]]);
  return sum;
}

VectorXd Piecewise::perElement() const {
  VectorXd result(static_cast<Index>(pieceOf.size()));
  for (Index e = 0; e < result.size(); ++e) result[e] = values[pieceOf[e]];
  return result;
}

Piecewise piecewise(const CutNetwork& network, const VectorXd& values) {
  Piecewise result;
  result.pieceOf.assign(static_cast<size_t>(values.size()), -1);
  std::vector<int32_t> stack;
  std::vector<double> pieceValues;
  const double same = values.size() > 0 ? 1e-9 * (values.maxCoeff() - values.minCoeff()) : 0;
  for (int32_t seed = 0; seed < network.size(); ++seed) {
    if (result.pieceOf[seed] >= 0) continue;
    const auto piece = static_cast<int32_t>(pieceValues.size());
    pieceValues.push_back(values[seed]);
    result.pieceOf[seed] = piece;
    stack.assign(1, seed);
    while (!stack.empty()) {
      const int32_t v = stack.back();
      stack.pop_back();
      network.forNeighbours(v, [&](int32_t u, double) {
        if (result.pieceOf[u] >= 0 || std::abs(values[u] - values[seed]) > same) return;
        result.pieceOf[u] = piece;
        stack.push_back(u);
      });
    }
  }
  result.values = Eigen::Map<const VectorXd>(pieceValues.data(), static_cast<Index>(pieceValues.size()));
  std::map<std::array<int32_t, 2>, double> costs;
  for (int32_t v = 0; v < network.size(); ++v)
    network.forNeighbours(v, [&](int32_t u, double cost) {
      const int32_t a = result.pieceOf[v], b = result.pieceOf[u];
      if (a < b) costs[{a, b}] += cost;
    });
  for (const auto& [pair, cost] : costs) {
    result.borders.push_back(pair);
    result.borderCosts.push_back(cost);
  }
  return result;
}

namespace {

VectorXd pieceMasses(const Piecewise& function, const VectorXd& masses) {
  VectorXd result = VectorXd::Zero(function.size());
  for (Index e = 0; e < masses.size(); ++e) result[function.pieceOf[e]] += masses[e];
  return result;
}

/// Rows: constants (scaled to norm 1) and modes. Columns: pieces, in the unit of the square root of their
/// mass.
MatrixXd constraints(const Piecewise& function, const VectorXd& masses, const VectorXd& roots,
                     const MatrixXd& modes) {
  MatrixXd rows = MatrixXd::Zero(modes.cols() + 1, function.size());
  const double total = std::sqrt(masses.sum());
  for (Index e = 0; e < masses.size(); ++e) {
    rows(0, function.pieceOf[e]) += masses[e] / total;
    for (Index k = 0; k < modes.cols(); ++k) rows(k + 1, function.pieceOf[e]) += masses[e] * modes(e, k);
  }
  return rows * roots.cwiseInverse().asDiagonal();
}

}  // namespace

void orthonormalise(Piecewise& function, const VectorXd& masses, const MatrixXd& modes) {
  const VectorXd roots = pieceMasses(function, masses).cwiseSqrt();
  const MatrixXd rows = constraints(function, masses, roots, modes);
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(1e-9);
  solver.compute(rows);
  VectorXd x = function.values.cwiseProduct(roots);
  for (int round = 0; round < 2; ++round) {
    x -= solver.solve(rows * x);
    x /= x.norm();
  }
  function.values = x.cwiseQuotient(roots);
}

bool joinPieces(Piecewise& function, const CutNetwork& network, const VectorXd& masses,
                const MatrixXd& modes) {
  const VectorXd roots = pieceMasses(function, masses).cwiseSqrt();
  MatrixXd rows = constraints(function, masses, roots, modes);
  if (function.size() <= rows.rows() + 1) return false;
  // A direction that all constraints allow, and the product with the function itself.
  const VectorXd x = function.values.cwiseProduct(roots);
  rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
  rows.bottomRows(1) = x.transpose();
  const Eigen::JacobiSVD<MatrixXd> svd(rows, Eigen::ComputeFullV);
  VectorXd direction = svd.matrixV().col(function.size() - 1).cwiseQuotient(roots);
  double slope = 0;
  for (size_t b = 0; b < function.borders.size(); ++b) {
    const auto [i, j] = function.borders[b];
    const double jump = function.values[i] - function.values[j];
    slope += function.borderCosts[b] * (jump < 0 ? -1 : 1) * (direction[i] - direction[j]);
  }
  if (slope > 0) direction = -direction;
  // Go until the first jump closes; in the other direction if there is none.
  for (int attempt = 0; attempt < 2; ++attempt, direction = -direction) {
    double step = 0;
    size_t closing = function.borders.size();
    for (size_t b = 0; b < function.borders.size(); ++b) {
      const auto [i, j] = function.borders[b];
      const double jump = function.values[i] - function.values[j], change = direction[i] - direction[j];
      if (jump * change >= 0) continue;
      if (closing == function.borders.size() || -jump / change < step) {
        step = -jump / change;
        closing = b;
      }
    }
    if (closing == function.borders.size()) continue;
    function.values += step * direction;
    const auto [keep, drop] = function.borders[closing];
    function.values[drop] = function.values[keep];
    function = piecewise(network, function.perElement());
    return true;
  }
  return false;
}

}  // namespace hackle::detail
