// One implicit step of a diffusion on a lattice: smooths memberships, and carries the shock of an impact.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/linalg/sparse_cholesky.h>

#include <optional>
#include <vector>

namespace hackle {

/// (M + r l^2 L)^-1 with linear elements: M the lumped mass (kg), L the Laplacian (positive semi-definite,
/// m), r the mean density, l a length (m). README eq. 5 and 6.
class ImplicitStep {
 public:
  /// `masses` are those of the tetrahedra (kg, above 0). Length 0 leaves the lumped mass alone.
  ImplicitStep(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Span<const double> masses,
               double length, Context& context);

  /// Column j is the field of piece first + j at the points: the step applied to the mass of its elements.
  /// The fields of all pieces add up to 1; they lie between 0 and 1 but for what obtuse elements overshoot.
  Eigen::MatrixXd fields(Span<const int32_t> pieceOf, size_t first, size_t count, Context& context) const;

 private:
  Span<const Tetrahedron> mTetrahedra;
  std::vector<double> mElementMass, mPointMass;
  std::optional<SparseCholesky> mFactor;  // none for length 0
};

}  // namespace hackle
