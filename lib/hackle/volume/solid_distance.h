// The solid that any triangles enclose, as a function of space: how far, and on which side.
#pragma once

#include <hackle/geometry/bvh.h>
#include <hackle/geometry/winding_number.h>

namespace hackle {

/// With d the distance to the nearest triangle and w the generalised winding number, the solid is where
/// |w| > 1/2 and
///   f = d (1 - 2 |w|), |w| taken as at most 1.
/// For a closed surface without overlaps f is the exact signed distance, negative inside. Where shells
/// overlap or are nested it is negative throughout, though small at triangles in the inside; across holes it
/// is continuous and zero on the sheet |w| = 1/2 that closes them. Shells that are inside out count as if
/// they were not.
///
/// May be asked from many threads at once.
class SolidDistance {
 public:
  /// Triangles with corners that are not finite are left out.
  SolidDistance(const TriangleMesh& mesh, Context& context);
  SolidDistance(const SolidDistance&) = delete;
  SolidDistance& operator=(const SolidDistance&) = delete;

  bool empty() const { return mBvh.empty(); }
  const Box3& bounds() const { return mBounds; }
  /// Every edge is passed equally often in both directions, corners at equal positions taken as one: then w
  /// is a whole number off the triangles and only changes across them.
  bool balanced() const { return mBalanced; }

  /// d, if it is less than `limit`, else `limit`.
  double distance(const Vec3& p, double limit = std::numeric_limits<double>::infinity()) const;
  /// |w|, rounded if the triangles are balanced.
  double winding(const Vec3& p) const;
  /// f of given d and |w|.
  static double value(double distance, double winding);
  double operator()(const Vec3& p) const { return value(distance(p), winding(p)); }

 private:
  TriangleBvh mBvh;
  WindingNumber mWinding;
  Box3 mBounds;
  bool mBalanced;
};

}  // namespace hackle
