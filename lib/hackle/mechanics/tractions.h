// Loads on a surface, constant per triangle, and how to take the part out of them that would move the body.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// Force and torque about `centre` of tractions on triangles.
struct NetLoad {
  Vec3 force = Vec3::Zero();   // N
  Vec3 torque = Vec3::Zero();  // N m
};

/// `tractions` (Pa) has one entry a triangle. The torque counts the whole triangle: of a constant traction
/// that is its force at the centroid.
NetLoad netLoad(Span<const Vec3> points, Span<const Triangle> triangles, Span<const Vec3> tractions,
                const Vec3& centre);

struct BalancedTractions {
  std::vector<Vec3> tractions;  // Pa, one per triangle
  NetLoad removed;              // about the area's centroid
};

/// The tractions without net force and torque that are nearest to the given ones in the norm
/// sum_f area_f |change_f|^2 ([Hahn17] eq. 7.5 with area weights, so that the result does not depend on how
/// the surface is meshed): q - W^-1 S^T (S W^-1 S^T)^-1 S q. The change is the traction field of a rigid
/// motion, a + b x (x - c). What is left is at most about 1e-12 of the input's. Triangles without area get
/// no change. Error(BadInput) without any area, or where all of it lies on one line of centroids (a torque
/// about that line cannot be taken out).
BalancedTractions balancedTractions(Span<const Vec3> points, Span<const Triangle> triangles,
                                    Span<const Vec3> tractions);

}  // namespace hackle
