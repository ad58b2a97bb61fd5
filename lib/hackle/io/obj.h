// Wavefront OBJ: polygons and polylines with uv, normals, vertex colours, groups, objects and materials.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

/// What a statement becomes, and is written from:
///
///     v x y z [r g b]  point, point Cd (float, 3); points without a colour among coloured ones are white
///     vt, vn           vertex uv and vertex N (float, 3); corners without one get zeros
///     f, l             polygon, polyline; any number of corners is kept
///     p                checked; the points are there anyway
///     g a b            primitive groups a and b; "default" is none
///     o, usemtl        primitive strings name and shop_materialpath
///     s                primitive int smoothing_group, if any is not 0
///     mtllib           detail string mtllib, a tuple with one element a statement
///
/// Groups cost a byte a primitive each: where they would need far more memory than the file has bytes, the
/// whole `g` lines become a primitive string `group` instead, with a warning. Other statements are left out
/// by name. Corners may name points that come later.
Geometry readObj(std::string_view bytes, const std::filesystem::path& path, Context& context);

/// Writes point uv and N too, where there are none on vertices. Blanks in group names become underscores.
/// Coordinates have single precision where the geometry's positionFileStorage says so.
std::string writeObj(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
