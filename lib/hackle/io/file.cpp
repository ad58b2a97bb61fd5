#include <hackle/io/file.h>

#include <hackle/core/error.h>
#include <hackle/io/bytes.h>
#include <hackle/io/codec.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace hackle {

namespace {

/// The longest known extension that the file's name ends with, or "".
std::string extensionOf(const std::filesystem::path& path, const Codec& codec) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  std::string best;
  for (const std::string& extension : codec.format.extensions) {
    const std::string ending = "." + extension;
    const bool ends =
        name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
    if (ends && extension.size() > best.size()) best = extension;
  }
  return best;
}

std::string knownExtensions(bool forWriting) {
  std::vector<std::string> all;
  for (const Codec& codec : codecs())
    if (forWriting ? codec.format.writes : codec.format.reads)
      for (const std::string& extension : codec.format.extensions) all.push_back("." + extension);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::pair<const Codec*, std::string> codecForWriting(const std::filesystem::path& path) {
  for (const Codec& codec : codecs()) {
    const std::string extension = extensionOf(path, codec);
    if (!extension.empty() && codec.write) return {&codec, extension};
  }
  throw Error(ErrorCode::Usage, fmt::format("Hackle writes no files named {}", path.filename().string()),
              "it writes " + knownExtensions(true));
}

}  // namespace

const std::vector<FileFormat>& fileFormats() {
  static const std::vector<FileFormat> kFormats = [] {
    std::vector<FileFormat> formats;
    for (const Codec& codec : codecs()) formats.push_back(codec.format);
    return formats;
  }();
  return kFormats;
}

const Codec& codecForReading(std::string_view bytes, const std::filesystem::path& path) {
  for (const Codec& codec : codecs())
    if (codec.read && codec.recognises && codec.recognises(bytes)) return codec;
  for (const Codec& codec : codecs())
    if (codec.read && !extensionOf(path, codec).empty()) return codec;
  throw Error(ErrorCode::BadInput, fmt::format("{} is in no format that Hackle reads", path.string()),
              "it reads " + knownExtensions(false));
}

Geometry readGeometry(const std::filesystem::path& path, Context& context) {
  const Context::Stage stage(context, "read");
  const FileBytes file(path, &context);
  const Codec& codec = codecForReading(file.bytes(), path);
  try {
    return codec.read(file.bytes(), path, context);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    throw Error(e.code(), fmt::format("{}: {}", path.string(), e.what()), e.remedy());
  }
}

void writeGeometry(const std::filesystem::path& path, const Geometry& geometry, Context& context) {
  const Context::Stage stage(context, "write");
  const auto [codec, extension] = codecForWriting(path);
  const std::string bytes = codec->write(geometry, extension, context);
  writeBytes(path, bytes, context);
}

void checkGeometryName(const std::filesystem::path& path) { codecForWriting(path); }

void writeBytes(const std::filesystem::path& path, std::string_view bytes, Context& context) {
  constexpr size_t kSlice = size_t(1) << 22;  // small enough to notice a cancel in time
  AtomicFile file(path);
  for (size_t begin = 0; begin < bytes.size(); begin += kSlice) {
    context.checkCancel();
    file.write(bytes.substr(begin, kSlice));
  }
  context.checkCancel();
  file.commit();
}

}  // namespace hackle
