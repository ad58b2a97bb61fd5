#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/io/bytes.h>
#include <hackle/io/png.h>
#include <png.h>

namespace hackle {
namespace {

Image gradient() {
  std::vector<uint8_t> rgb;
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 13; ++x)
      for (const int v : {x * 19, y * 36, x * y}) rgb.push_back(static_cast<uint8_t>(v));
  return {13, 7, std::move(rgb)};
}

TEST(Png, PixelsSurviveTheRoundTrip) {
  const Image image = gradient();
  const std::string bytes = encodePng(image);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()));
  EXPECT_EQ(header.width, 13u);
  EXPECT_EQ(header.height, 7u);
  header.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> rgb(PNG_IMAGE_SIZE(header));
  ASSERT_TRUE(png_image_finish_read(&header, nullptr, rgb.data(), 0, nullptr));
  EXPECT_TRUE(std::equal(rgb.begin(), rgb.end(), image.rgb.begin(), image.rgb.end()));
}

TEST(Png, SameBytesAlwaysAndNoTime) {
  const std::string bytes = encodePng(gradient());
  EXPECT_EQ(bytes, encodePng(gradient()));
  EXPECT_EQ(bytes.find("tIME"), std::string::npos);
}

TEST(Png, WritesFilesOfThatNameOnly) {
  Context context;
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "hackle_gradient.PNG";
  writeImage(path, gradient(), context);
  EXPECT_EQ(FileBytes(path).bytes(), encodePng(gradient()));
  std::filesystem::remove(path);
  try {
    writeImage("picture.jpg", gradient(), context);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Usage);
  }
  EXPECT_THROW(writeImage("no/such/folder/x.png", gradient(), context), Error);
}

TEST(Png, EmptyPicturesAreRefused) { EXPECT_THROW(encodePng(Image{}), Error); }

}  // namespace
}  // namespace hackle
