// One row per file format: how to recognise, read and write it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/io/file.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// Readers take bytes, so that tests and fuzzers can feed them; `path` is for messages and for formats of
/// several files, and may be empty. Each throws Error(BadInput) for malformed data, naming the line or byte,
/// and never allocates more than a small multiple of what it was given.
struct Codec {
  FileFormat format;
  /// True if these bytes can only be this format; null if only the extension tells.
  bool (*recognises)(std::string_view bytes) = nullptr;
  Geometry (*read)(std::string_view bytes, const std::filesystem::path& path, Context& context) = nullptr;
  /// The whole file. `extension` is the one that was asked for ("bgeo.sc").
  std::string (*write)(const Geometry& geometry, const std::string& extension, Context& context) = nullptr;
};

/// All formats, in the order in which they are tried.
const std::vector<Codec>& codecs();

/// The codec that would read these bytes under that name; Error(BadInput) with the known formats if there is
/// none.
const Codec& codecForReading(std::string_view bytes, const std::filesystem::path& path);

}  // namespace hackle
