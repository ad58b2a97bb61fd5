// PLY: points and polygons with any numeric properties, as text or binary in either byte order.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

bool isPly(std::string_view bytes);

/// Elements become
///
///     vertex      points: x y z are P
///     face        polygons, from the list vertex_indices or vertex_index
///     tristrips   polygons: triangles of strips, -1 starts a new one; those with equal corners are dropped
///     edge        polylines, from vertex1 and vertex2
///
/// and properties of vertex and face attributes of points and primitives:
///
///     nx ny nz                        N
///     red green blue (or diffuse_red) Cd (float, 3), 0 to 1 if they are whole numbers
///     alpha                           Alpha, likewise
///     s t, u v, texture_u texture_v   point uv (float, 3)
///     list texcoord of faces          vertex uv (float, 3)
///     a_0 a_1 ... side by side        a, one tuple
///     any other                       its own name; whole numbers are int32, those of type uint int64
///
/// Other elements and lists are left out by name. P is stored single in files if x is a float.
Geometry readPly(std::string_view bytes, const std::filesystem::path& path, Context& context);

/// Binary little endian; text for the extension "ascii.ply", big endian for "bigendian.ply". Carries all
/// numeric attributes of points and polygons, and vertex uv. Cd is written as bytes where that loses nothing,
/// else as floats; int64 as int or uint where it fits, else as double.
std::string writePly(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
