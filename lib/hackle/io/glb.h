// glTF 2.0: binary files (.glb) in and out, text files (.gltf) with embedded buffers in.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

/// True if the bytes start as a .glb file does.
bool isGlb(std::string_view bytes);

/// All meshes of the scene in place: each vertex of the file is a point (with N, uv, Cd where the file has
/// them), triangles, strips and fans are polygons, lines are polylines, the node's name is the primitive
/// attribute `name`, the material's name `shop_materialpath`. What is left out (skins, animations, ...) is
/// warned about. Throws Error(BadInput) for malformed files, buffers in other files, and required extensions
/// that we do not know.
Geometry readGlb(std::string_view bytes, const std::filesystem::path& path, Context& context);

/// One node a piece (primitive attribute `name`; one node without a name if there is none), with polygons as
/// triangles and polylines as lines; N, uv and Cd come along. Inside and outside faces, and faces of
/// different shop_materialpath, have materials of their own. Positions are single precision. Throws
/// Error(BadInput) for points that are not finite, Error(Failed) beyond the format's 4 GB.
std::string writeGlb(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
