// How far two surfaces are apart.
#pragma once

#include <hackle/core/context.h>

namespace hackle {

struct TriangleMesh;

struct SurfaceDeviation {
  double hausdorff = 0.0;  // m, the largest distance from a point of either surface to the other
  double mean = 0.0;       // m, averaged over the samples of both
};

/// Measured at the corners and at points of the triangles that are at most `spacing` (m) apart: less than the
/// true Hausdorff distance by at most `spacing`. A surface without triangles is infinitely far from others.
SurfaceDeviation surfaceDeviation(const TriangleMesh& a, const TriangleMesh& b, double spacing,
                                  Context& context);

}  // namespace hackle
