// Reader of Houdini geometry files: .geo and .bgeo, plain or inside .gz and .sc, of Houdini 13 and later.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string_view>

namespace hackle::houdini {

/// True if the bytes can only be a Houdini geometry file, one of the old kinds included.
bool isGeometryFile(std::string_view bytes);

/// Reads a file. Faces are turned to Hackle's winding. What Geometry does not carry is warned about by name;
/// damaged data and the formats before Houdini 12 are an Error(BadInput) with the reason.
Geometry readGeometryFile(std::string_view bytes, const std::filesystem::path& path, Context& context);

}  // namespace hackle::houdini
