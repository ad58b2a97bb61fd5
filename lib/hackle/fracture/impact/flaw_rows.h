// Flaws in the lattice of a body, with the stresses of its vibrations there.
#pragma once

#include <hackle/fracture/impact/flaws.h>
#include <hackle/fracture/impact/modal_body.h>

#include <array>
#include <vector>

namespace hackle {

/// Stress at a flaw: at the surface, which no stress crosses, the three components within it along two axes
/// a and b (aa, bb, ab); inside all six (xx, yy, zz, yz, xz, xy).
struct StressComponents {
  std::array<float, 6> values{};
  size_t count = 6;
  /// Of the tensor.
  double squaredNorm() const;
};

struct FlawRows {
  std::vector<Flaw> flaws;
  std::vector<LatticePlace> places;
  std::vector<int32_t> tetrahedra;  // that hold them; -1: outside of the lattice, never fails
  std::vector<float> rows;          // Pa per unit of a mode: the components of one mode after another
  std::vector<int64_t> starts;      // of each flaw within rows
  Eigen::MatrixXf norms;            // mode x flaw, Pa^2 / J: |stress|^2 over the frequency squared

  size_t componentCount(size_t flaw) const { return flaws[flaw].normal.isZero() ? 6 : 3; }
  StressComponents componentsOf(size_t flaw, const StressVector& stress) const;
  Mat3 tensorOf(size_t flaw, const float* components) const;
  /// Factors of the components whose sum is v . stress v.
  StressComponents pullsOf(size_t flaw, const Vec3& v) const;
  size_t bytes() const;
};
FlawRows flawRows(const ModalBody& body, std::vector<Flaw> flaws, Context& context);

/// Flaws of one strength (Pa, times paint) at all points of the lattice, moved to the surface where they are
/// outside: for materials without scatter.
std::vector<Flaw> uniformFlaws(const ModalBody& body, const Solid& solid, double strength,
                               const PaintedFactor& paint, Context& context);

/// Stress at a place from a column of rows 6 per point.
template <class Rows>
StressVector atPlace(const Rows& rows, const LatticePlace& place, Eigen::Index column) {
  StressVector sum = StressVector::Zero();
  for (size_t k = 0; k < 4; ++k)
    sum +=
        place.weights[k] * rows.template block<6, 1>(6 * static_cast<Eigen::Index>(place.points[k]), column)
                               .template cast<double>();
  return sum;
}

/// What of a stress acts within a surface of this normal; all of it for the normal 0.
Mat3 stressWithin(const Mat3& stress, const Vec3& normal);

}  // namespace hackle
