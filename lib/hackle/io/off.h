// OFF, the Object File Format of Geomview: polygons, with normals, colours and uv of points.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hackle {

/// True for text that begins with OFF, or with the letters that say what points have: COFF, NOFF, STOFF,
/// CNOFF and so on.
bool isOff(std::string_view bytes);

/// Points N (float, 3), Cd (float, 3) and uv (float, 3) as the header says; colours after a plain point or
/// after a face become point or primitive Cd, white for those that have none. Colours are whole numbers up to
/// 255, or have a decimal point or exponent and go to 1. Alpha and indices into colour maps are left out.
/// Each point and each face ends its line. Four-dimensional and binary files are refused.
Geometry readOff(std::string_view bytes, const std::filesystem::path& path, Context& context);

/// Colours are written as whole numbers where that loses nothing.
std::string writeOff(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle
