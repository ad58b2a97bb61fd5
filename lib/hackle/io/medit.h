// Medit .mesh (text): triangles, quadrilaterals, tetrahedra and edges with reference numbers.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

/// True for text that begins with MeshVersionFormatted.
bool isMedit(std::string_view bytes);

/// Triangles and Quadrilaterals become polygons, Edges polylines. References become the int attribute `ref`
/// of points and of primitives, if any is not 0. Tetrahedra of negative volume are turned over, with a
/// warning. Points of files of dimension 2 get z = 0. Other sections are left out by name.
Geometry readMedit(std::string_view bytes, const std::filesystem::path& path, Context& context);

/// Larger polygons are cut into triangles and polylines into edges, with a warning. The order of primitives
/// is edges, triangles, quadrilaterals, tetrahedra, each in the geometry's order.
std::string writeMedit(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
