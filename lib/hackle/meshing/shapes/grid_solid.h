// Solids made of the cells of a rectilinear grid: boxes, stairs, bricks with cores.
#pragma once

#include <hackle/meshing/shapes/surface_builder.h>

#include <array>
#include <functional>
#include <vector>

namespace hackle {

using CellIndex = std::array<int, 3>;

struct GridSolidOptions {
  /// m, ascending coordinates of the planes between cells, per axis; at least two each.
  std::array<std::vector<double>, 3> planes;
  /// m, target length of edges: cells are cut into equal quads of about that.
  double spacing = 0.01;
  /// Whether a cell is part of the solid. Cells that touch only along an edge or at a corner make the surface
  /// non-manifold: leave no such. All cells if empty.
  std::function<bool(const CellIndex&)> filled;
  /// Part of the face of a cell on an axis's lower (-1) or upper (+1) side. If empty: left, right (x),
  /// bottom, top (y), back, front (z).
  std::function<std::string(const CellIndex&, int axis, int side)> part;
  /// Where a point of the grid goes; unmoved if empty. Must keep orientation.
  std::function<Vec3(const Vec3&)> place;
};

/// Adds the surface of the filled cells, in quads. Each plane and side is one chart, in the grid's own
/// lengths.
void addGridSolid(const GridSolidOptions& options, SurfaceBuilder& builder);

/// "left", "right", "bottom", "top", "back", "front"
const char* boxSideName(int axis, int side);

}  // namespace hackle
