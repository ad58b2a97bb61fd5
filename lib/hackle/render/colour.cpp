#include <hackle/render/colour.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

/// Viridis at nine even steps, sRGB bytes.
constexpr std::array<std::array<int, 3>, 9> kViridis{{{68, 1, 84},
                                                      {71, 45, 123},
                                                      {59, 82, 139},
                                                      {44, 114, 142},
                                                      {33, 145, 140},
                                                      {40, 174, 128},
                                                      {94, 201, 98},
                                                      {173, 220, 48},
                                                      {253, 231, 37}}};

Eigen::Array3f viridisKnot(int i) {
  const auto& bytes = kViridis[std::clamp(i, 0, 8)];
  return Eigen::Array3f(float(bytes[0]), float(bytes[1]), float(bytes[2])) / 255.0f;
}

}  // namespace

float linearFromSrgb(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

Rgb linearFromSrgb(const Vec3& encoded) {
  return {linearFromSrgb(static_cast<float>(encoded.x())), linearFromSrgb(static_cast<float>(encoded.y())),
          linearFromSrgb(static_cast<float>(encoded.z()))};
}

uint8_t srgbByte(float linear) {
  const float x = std::clamp(linear, 0.0f, 1.0f);
  const float encoded = x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1.0f / 2.4f) - 0.055f;
  return static_cast<uint8_t>(encoded * 255.0f + 0.5f);
}

Rgb toneMapped(const Rgb& linear) {
  constexpr float kKnee = 0.6f;
  constexpr float kRoom = 1.0f - kKnee;
  return linear.unaryExpr([](float x) {
    return x <= kKnee ? std::max(x, 0.0f) : kKnee + kRoom * (1.0f - std::exp(-(x - kKnee) / kRoom));
  });
}

Rgb fromLightnessChromaHue(float lightness, float chroma, float hue) {
  const float angle = 6.2831853f * hue;
  const float a = chroma * std::cos(angle);
  const float b = chroma * std::sin(angle);
  const auto cube = [](float x) { return x * x * x; };
  const float l = cube(lightness + 0.3963377774f * a + 0.2158037573f * b);
  const float m = cube(lightness - 0.1055613458f * a - 0.0638541728f * b);
  const float s = cube(lightness - 0.0894841775f * a - 1.2914855480f * b);
  const Rgb rgb(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s);
  return rgb.max(0.0f).min(1.0f);
}

Rgb viridis(float t) {
  const float x = std::clamp(t, 0.0f, 1.0f) * 8.0f;
  const int i = std::min(static_cast<int>(x), 7);
  const float f = x - static_cast<float>(i);
  // Catmull-Rom through the knots, in encoded values, where the map was designed.
  const Eigen::Array3f a = viridisKnot(i - 1), b = viridisKnot(i), c = viridisKnot(i + 1),
                       d = viridisKnot(i + 2);
  const Eigen::Array3f encoded =
      b + 0.5f * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
  const Vec3 clamped = encoded.max(0.0f).min(1.0f).matrix().cast<double>();
  return linearFromSrgb(clamped);
}

Rgb pieceColour(size_t index) {
  // Hues step by the golden section, so that any run of pieces is spread over the circle; lightness and
  // chroma step with other periods, so that pieces far apart in index differ where their hues come close.
  constexpr double kGolden = 0.6180339887498949;
  static constexpr std::array<float, 3> kLightness{0.78f, 0.68f, 0.86f};
  static constexpr std::array<float, 5> kChroma{0.105f, 0.085f, 0.12f, 0.07f, 0.095f};
  double turns = 0.0;
  const double hue = std::modf(0.07 + kGolden * static_cast<double>(index % 1000003), &turns);
  return fromLightnessChromaHue(kLightness[index % 3], kChroma[index % 5], static_cast<float>(hue));
}

}  // namespace hackle
