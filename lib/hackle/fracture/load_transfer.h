// Loads and supports of an artist's surface, carried over to the coarser mesh that is solved on.
#pragma once

#include <hackle/bem/surface.h>
#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/mechanics/tractions.h>

#include <functional>
#include <vector>

namespace hackle {

/// A region of the fine surface as points with area, each on the coarse triangle that stands for it.
struct CarriedRegion {
  struct Sample {
    Vec3 place, normal;
    double area;     // m^2
    int32_t target;  // coarse triangle
  };
  std::vector<Sample> samples;
  double area = 0;              // m^2, of the region on the fine surface
  Vec3 centre = Vec3::Zero();   // m, of that area
  std::vector<double> covered;  // m^2, per coarse triangle
};

/// Each place of the fine triangles goes to the nearest coarse triangle that faces alike and that `allowed`
/// accepts; samples are at most a quarter of a coarse edge apart.
CarriedRegion carriedRegion(const TriangleMesh& fine, Span<const int32_t> triangles, const BemSurface& coarse,
                            const TriangleBvh& coarseTree, const std::function<bool(size_t)>& allowed,
                            Context& context);

/// Tractions (Pa, per coarse triangle) whose total force and moment are exactly those of `traction` (Pa, at
/// places of the fine surface with a normal) over the region: a triangle has the mean traction of its
/// samples, as far as it is covered, and the smallest field a + b x (x - c) over the covered triangles takes
/// out what that moved.
std::vector<Vec3> carriedTractions(const CarriedRegion& region, const BemSurface& coarse,
                                   const std::function<Vec3(const Vec3& normal)>& traction);

/// The coarse triangles that a support is on: those that the region covers by half or more, or, if it is too
/// small for that, those that it covers most, of about its own area.
std::vector<int32_t> carriedSupport(const CarriedRegion& region, const BemSurface& coarse);

}  // namespace hackle
