// Geometry files: one call to read any format, one to write any.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

struct FileFormat {
  std::string name;                     // "Wavefront OBJ"
  std::vector<std::string> extensions;  // "obj"; compound ones too: "bgeo.sc"
  bool reads = false;
  bool writes = false;
};

/// Every format, for help and messages.
const std::vector<FileFormat>& fileFormats();

/// Reads a file; what it is follows from its first bytes where they say, else from its name. Throws Error(Io)
/// if it cannot be opened, Error(BadInput) with the reason and the place (line or byte) if it is malformed or
/// holds what we do not support. Things that are left out are warned about by name.
Geometry readGeometry(const std::filesystem::path& path, Context& context);

/// Writes a file in the format of its extension, under a temporary name that is renamed at the end. What the
/// format cannot carry is warned about by name. Throws Error(Io), or Error(Usage) for an unknown extension.
void writeGeometry(const std::filesystem::path& path, const Geometry& geometry, Context& context);

/// Throws the Error(Usage) that `writeGeometry` would for the extension of this name.
void checkGeometryName(const std::filesystem::path& path);

/// Writes a whole file under a temporary name that is renamed at the end; stops where the context is
/// cancelled.
void writeBytes(const std::filesystem::path& path, std::string_view bytes, Context& context);

}  // namespace hackle
