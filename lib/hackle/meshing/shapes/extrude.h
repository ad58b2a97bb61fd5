// Prisms over plane regions that are given as structured grids: notched bars, gears.
#pragma once

#include <hackle/meshing/shapes/surface_builder.h>

#include <functional>
#include <vector>

namespace hackle {

/// A plane region between two curves of equally many points, a quad grid of `columns` × `rows` points. Row 0
/// is the first curve, the last row the second one. `ring`: the last column is followed by the first one.
/// Seen from +z, going from column to column and then from row to row turns counter-clockwise.
struct PlaneGrid {
  size_t columns = 0, rows = 0;
  bool ring = false;
  std::vector<Vec2> points;  // rows × columns, a row after the other

  const Vec2& at(size_t column, size_t row) const { return points[row * columns + column % columns]; }
  size_t columnSteps() const { return ring ? columns : columns - 1; }
};

/// The grid of straight lines between two curves of equally many points, `rows` points on each.
PlaneGrid ruledGrid(const std::vector<Vec2>& first, const std::vector<Vec2>& second, size_t rows, bool ring);

struct ExtrudeOptions {
  std::vector<double> levels;  // m, ascending z of the layers' borders; at least two
  /// Part of the wall along the first (row 0) or second curve, per step from a column to the next.
  std::function<std::string(size_t columnStep)> firstPart, secondPart;
  std::string startPart = "left", endPart = "right";    // walls at the first and last column; not for rings
  std::string lowerPart = "back", upperPart = "front";  // caps at the first and last level
  /// Where (x, y, z) goes; unmoved if empty. Must keep orientation.
  std::function<Vec3(const Vec3&)> place;
};

/// Adds the surface of the prism over a grid, in quads. A chart per cap, and one per stretch of wall of one
/// part. `onFace`, if given, hears of every wall face: its index, whether on the second curve, and its column
/// step.
void addPrism(const PlaneGrid& grid, const ExtrudeOptions& options, SurfaceBuilder& builder,
              const std::function<void(int32_t face, bool second, size_t columnStep)>& onFace = {});

}  // namespace hackle
