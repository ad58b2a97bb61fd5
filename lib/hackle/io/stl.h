// STL: triangles without anything else, as text or binary.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

/// True if the size is exactly that of a binary STL with the triangle count it announces; also of files that
/// begin with "solid".
bool isBinaryStl(std::string_view bytes);

/// Points with equal coordinates are welded. The names of solids become the primitive string `name`; the two
/// spare bytes of binary triangles the primitive int `stl_attribute`, if any is not 0. Facet normals are
/// ignored. Binary coordinates are single precision.
Geometry readStl(std::string_view bytes, const std::filesystem::path& path, Context& context);

/// Binary, or text for the extension "ascii.stl". Polygons are cut into triangles; normals are computed, zero
/// where a triangle has none. Only text carries `name`, as solids; only binary carries `stl_attribute`.
std::string writeStl(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
