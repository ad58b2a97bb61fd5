// Pictures as PNG files.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/image.h>

#include <filesystem>
#include <string>

namespace hackle {

/// The bytes of a PNG file, 8-bit sRGB. Equal pictures give equal bytes: there is no time in the file. Throws
/// Error(Internal) if the picture is empty or its size does not fit its pixels.
std::string encodePng(const Image& image);

/// Writes a `.png` file under a temporary name that is renamed at the end. Throws Error(Io), or Error(Usage)
/// for another extension.
void writeImage(const std::filesystem::path& path, const Image& image, Context& context);

/// Throws the Error(Usage) that `writeImage` would for the extension of this name.
void checkImageName(const std::filesystem::path& path);

}  // namespace hackle
