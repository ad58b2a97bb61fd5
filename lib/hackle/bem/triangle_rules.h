// Quadrature on a triangle.
#pragma once

#include <hackle/core/span.h>

#include <array>
#include <vector>

namespace hackle {

/// Points as barycentric coordinates, weights that add up to 1. Integrates polynomials up to `degree`
/// exactly.
struct TriangleRule {
  int degree = 0;
  std::vector<std::array<double, 3>> points;
  std::vector<double> weights;
  size_t size() const { return weights.size(); }
};

/// The smallest rule known here of at least this degree: symmetric ones up to degree 8 (Strang and Fix,
/// Dunavant), collapsed products of Gauss rules above, up to degree 28.
const TriangleRule& triangleRule(int degree);

/// Gauss-Kronrod 7/15 on [0, 1].
struct KronrodRule {
  std::array<double, 15> points, kronrod, gauss;
};
const KronrodRule& kronrodRule();

}  // namespace hackle
