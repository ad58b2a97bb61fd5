// Stress at the points of a lattice from the constant stresses of its tetrahedra, by local linear fits.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
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

/// What is inside the solid of each tetrahedron of a lattice that reaches beyond it.
struct SolidPart {
  double share = 0;            // of the volume, 0 to 1
  Vec3 centre = Vec3::Zero();  // m, of the part inside; of the tetrahedron where nothing is
};
std::vector<SolidPart> solidParts(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                  const struct TriangleMesh& surface, Context& context);

/// At every point a linear field is fitted to the stresses of the tetrahedra around (two rings near the
/// surface, one inside), each standing at the centre of its part of the solid and weighted by that part. So
/// stress at the surface is extrapolated instead of averaged: README, section 3. The fit is linear in the
/// stresses; this keeps its coefficients.
class StressRecovery {
 public:
  StressRecovery(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Span<const SolidPart> parts,
                 Context& context);

  size_t pointCount() const { return mStarts.size() - 1; }
  Span<const int32_t> tetrahedraOf(size_t point) const {
    return {mTetrahedra.data() + mStarts[point], static_cast<size_t>(mStarts[point + 1] - mStarts[point])};
  }
  Span<const float> weightsOf(size_t point) const {
    return {mWeights.data() + mStarts[point], static_cast<size_t>(mStarts[point + 1] - mStarts[point])};
  }
  size_t bytes() const;

 private:
  std::vector<int64_t> mStarts;
  std::vector<int32_t> mTetrahedra;
  std::vector<float> mWeights;
};

}  // namespace hackle
