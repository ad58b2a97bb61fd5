// OpenVDB files (.vdb): every grid is a Volume primitive with a string `name`.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

Geometry readVdbFile(std::string_view bytes, const std::filesystem::path& path, Context& context);
/// Writes the volumes, under the primitives' `name` where there is one; warns about everything else.
std::string writeVdbFile(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
