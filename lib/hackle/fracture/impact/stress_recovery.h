// Stress at the points of a lattice from their displacements, by local quadratic fits.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/fracture/impact/solid_parts.h>
#include <hackle/geometry/vec.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

using StressVector = Eigen::Matrix<double, 6, 1>;  // xx, yy, zz, yz, xz, xy

inline Mat3 stressTensor(const StressVector& s) {
  Mat3 m;
  m << s[0], s[5], s[4], s[5], s[1], s[3], s[4], s[3], s[2];
  return m;
}

/// Polynomial-preserving recovery [Zhang05]: at every point a quadratic displacement is fitted to those of
/// the points around (two rings near the surface, one inside), each weighted by what is solid around it; its
/// gradient gives the stress. Bending, also across a wall of one cell, is quadratic and hence exact up to the
/// surface: README eq. 2. The fit is linear in displacements; this keeps its coefficients.
class StressRecovery {
 public:
  using Slope = Eigen::Vector3f;  // 1/m

  StressRecovery(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Span<const SolidPart> parts,
                 Context& context);

  size_t pointCount() const { return mStarts.size() - 1; }
  /// The gradient of displacements u at a point is the sum of u_j slope_j^T over these.
  Span<const int32_t> neighboursOf(size_t point) const {
    return {mNeighbours.data() + mStarts[point], static_cast<size_t>(mStarts[point + 1] - mStarts[point])};
  }
  Span<const Slope> slopesOf(size_t point) const {
    return {mSlopes.data() + mStarts[point], static_cast<size_t>(mStarts[point + 1] - mStarts[point])};
  }
  size_t bytes() const;

 private:
  std::vector<int64_t> mStarts;
  std::vector<int32_t> mNeighbours;
  std::vector<Slope> mSlopes;
};

}  // namespace hackle
