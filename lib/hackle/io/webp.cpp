#include <hackle/io/webp.h>

#include <hackle/core/error.h>

#include <fmt/format.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <cmath>
#include <memory>

namespace hackle {

namespace {

struct DeleteEncoder {
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

/// A picture in the encoder's own form.
class EncoderPicture {
 public:
  explicit EncoderPicture(const Image& image) {
    const bool ready = WebPPictureInit(&mPicture) != 0;
    mPicture.width = image.width;
    mPicture.height = image.height;
    mPicture.use_argb = 1;
    if (!ready || !WebPPictureImportRGB(&mPicture, image.rgb.data(), 3 * image.width))
      throw Error(ErrorCode::Failed, "the WebP encoder takes no more pictures", "draw smaller pictures");
  }
  ~EncoderPicture() { WebPPictureFree(&mPicture); }
  EncoderPicture(const EncoderPicture&) = delete;
  EncoderPicture& operator=(const EncoderPicture&) = delete;
  WebPPicture* get() { return &mPicture; }

 private:
  WebPPicture mPicture;
};

}  // namespace

std::string animatedWebp(const std::vector<Image>& frames, double rate, double quality, Context& context) {
  if (frames.empty() || frames[0].width <= 0)
    throw Error(ErrorCode::BadInput, "there are no pictures to animate");
  const int width = frames[0].width, height = frames[0].height;
  WebPAnimEncoderOptions options;
  WebPConfig config;
  if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&config))
    throw Error(ErrorCode::Failed, "the WebP library is of another version than its headers");
  config.quality = static_cast<float>(quality);
  config.thread_level = 0;
  const std::unique_ptr<WebPAnimEncoder, DeleteEncoder> encoder(WebPAnimEncoderNew(width, height, &options));
  const auto check = [&](int done) {
    if (!done)
      throw Error(
          ErrorCode::Failed,
          fmt::format("cannot encode WebP: {}", encoder ? WebPAnimEncoderGetError(encoder.get()) : ""),
          "draw smaller pictures");
  };
  check(encoder != nullptr);
  const auto milliseconds = [&](size_t frame) {
    return static_cast<int>(std::lround(1000 * static_cast<double>(frame) / rate));
  };
  for (size_t i = 0; i < frames.size(); ++i) {
    context.checkCancel();
    if (frames[i].width != width || frames[i].height != height)
      throw Error(ErrorCode::BadInput, fmt::format("picture {} has another size than the first", i + 1));
    EncoderPicture picture(frames[i]);
    check(WebPAnimEncoderAdd(encoder.get(), picture.get(), milliseconds(i), &config));
  }
  check(WebPAnimEncoderAdd(encoder.get(), nullptr, milliseconds(frames.size()), nullptr));
  WebPData data;
  WebPDataInit(&data);
  check(WebPAnimEncoderAssemble(encoder.get(), &data));
  std::string bytes(reinterpret_cast<const char*>(data.bytes), data.size);
  WebPDataClear(&data);
  return bytes;
}

}  // namespace hackle
