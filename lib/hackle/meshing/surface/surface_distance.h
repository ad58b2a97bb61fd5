// The solid inside a triangle mesh as a signed distance.
#pragma once

#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/meshing/surface/solid_field.h>

namespace hackle {

/// Exact distance from the triangles of a mesh; the sign comes from the winding number, so parts that overlap
/// count as one and cavities stay hollow. Queries may come from many threads at once.
class SurfaceDistance {
 public:
  SurfaceDistance(const TriangleMesh& mesh, Context& context);

  /// Infinite if there are no triangles.
  double distance(const Vec3& p) const;
  /// The winding number is above 1/2.
  bool inside(const Vec3& p) const;
  /// Negative inside.
  double operator()(const Vec3& p) const { return inside(p) ? -distance(p) : distance(p); }
  /// Where the segment between a point inside and one outside leaves the solid first, 0 to 1.
  double crossing(const Vec3& insidePoint, const Vec3& outsidePoint) const;

  const TriangleBvh& tree() const { return mTree; }

 private:
  TriangleBvh mTree;
  WindingNumber mWinding;
};

/// The solid inside a closed, consistently oriented mesh, for `stuffLattice`. Where a mesh is open the sign
/// changes away from the triangles too, and the Lipschitz bound that it gives is wrong.
SolidField solidInside(const TriangleMesh& mesh, Context& context);

}  // namespace hackle
