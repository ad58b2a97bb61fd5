#include <hackle/io/png.h>

#include <hackle/core/error.h>
#include <hackle/io/file.h>

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cctype>

namespace hackle {

std::string encodePng(const Image& image) {
  HACKLE_ASSERT(image.width > 0 && image.height > 0);
  HACKLE_ASSERT(image.rgb.size() == static_cast<size_t>(image.width) * static_cast<size_t>(image.height) * 3);

  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;

  // Room for the worst case, so that the picture is compressed once only.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  const int written =
      png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr);
  if (!written) throw Error(ErrorCode::Failed, fmt::format("cannot encode the picture: {}", header.message));
  bytes.resize(size);
  return bytes;
}

void checkImageName(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".png")
    throw Error(ErrorCode::Usage, fmt::format("Hackle writes no pictures named {}", path.filename().string()),
                "give the picture a name that ends in .png");
}

void writeImage(const std::filesystem::path& path, const Image& image, Context& context) {
  const Context::Stage stage(context, "write");
  checkImageName(path);
  writeBytes(path, encodePng(image), context);
}

}  // namespace hackle
