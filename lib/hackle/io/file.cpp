#include <hackle/io/file.h>

#include <hackle/io/bytes.h>
#include <hackle/io/formats.h>

#include <fmt/format.h>

namespace hackle {

const std::vector<FileFormat>& fileFormats() {
  static const std::vector<FileFormat> kFormats;
  return kFormats;
}

Geometry readGeometry(const std::filesystem::path& path, Context& context) {
  const MappedFile file(path);
  context.checkCancel();
  throw Error(ErrorCode::BadInput, fmt::format("{} is in no format that Hackle reads", path.string()));
}

void writeGeometry(const std::filesystem::path& path, const Geometry&, Context&) {
  throw Error(ErrorCode::Usage, fmt::format("Hackle writes no files named {}", path.filename().string()));
}

}  // namespace hackle
