// Tubes of round section around closed curves.
#pragma once

#include <hackle/meshing/shapes/surface_builder.h>

#include <functional>

namespace hackle {

struct TubeOptions {
  double radius = 0.01;  // m; less than the curve's radius of curvature and half its distance from itself
  int segments = 8;      // edges around the section
  /// Direction that the first point of the section at the first point of the curve has, as far as it can.
  Vec3 firstNormal = Vec3::UnitY();
  /// Part of the face at step `along` of the curve whose middle points in direction `outward` from the curve.
  std::function<int32_t(size_t along, const Vec3& outward)> part;
};

/// Adds a tube of quads, a torus or a knot. `curve` is closed: its last point is joined to the first; at
/// least 3 points, neighbours apart. Sections are carried along without twist, and what is left over at the
/// end is spread evenly. The map is cut into charts about as long as a few times their width.
void addTube(Span<const Vec3> curve, const TubeOptions& options, SurfaceBuilder& builder);

/// Radius of the thickest tube around a closed smooth curve that neither touches itself nor folds (the
/// curve's reach), from its points; as good as they are dense.
double thickestTube(Span<const Vec3> curve);

}  // namespace hackle
