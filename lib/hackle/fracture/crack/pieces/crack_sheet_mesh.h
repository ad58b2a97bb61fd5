// A recorded crack as a mesh of triangles that share points.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/volume/sheet_band.h>

#include <functional>
#include <vector>

namespace hackle {

/// Open, and manifold as far as the record is.
struct CrackSheetMesh {
  std::vector<Vec3> points;  // m
  std::vector<float> times;  // s, at points
  std::vector<Triangle> triangles;

  /// Corners within `weld` (m) of an earlier one become that point; triangles that vanish are left out.
  CrackSheetMesh(const SheetBand& band, Span<const std::array<float, 3>> cornerTimes, double weld);

  /// Strips of a front that was divided anew meet in points that are on edges of their neighbours: these are
  /// split there, so that both share all points. Points count as on an edge within `reach` (m).
  void zip(double reach, Context& context);

  /// Keeps the side of the points that are marked; `crossing` gives where an edge (kept, dropped) is cut, 0
  /// (at the point that is kept) to 1. Points that are not used any more go.
  void clip(const std::vector<uint8_t>& keep, const std::function<double(int32_t, int32_t)>& crossing);

  /// Takes away inner points while all planes of triangles that were there stay within `tolerance` (m) of
  /// what is left, and times within half of what a front needs for a voxel or so. Rims stay.
  void coarsen(double tolerance, Context& context);

  double area() const;  // m^2

 private:
  void dropUnused();
};

}  // namespace hackle
