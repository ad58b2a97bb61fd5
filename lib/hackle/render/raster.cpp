#include <hackle/render/raster.h>

#include <hackle/render/stroke_font.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

float distanceToSegment(const Eigen::Vector2f& p, const Eigen::Vector2f& a, const Eigen::Vector2f& b) {
  const Eigen::Vector2f ab = b - a;
  const float length = ab.squaredNorm();
  const float t = length > 0 ? std::clamp((p - a).dot(ab) / length, 0.0f, 1.0f) : 0.0f;
  return (p - a - t * ab).norm();
}

void drawGlyph(Raster& raster, float x, float y, const Glyph& glyph, const TextStyle& style) {
  if (glyph.strokes.empty()) return;
  // Bring the strokes to pixels.
  std::vector<std::vector<Eigen::Vector2f>> strokes = glyph.strokes;
  Eigen::Vector2f low = Eigen::Vector2f::Constant(1e9f), high = -low;
  for (auto& stroke : strokes)
    for (Eigen::Vector2f& p : stroke) {
      p = {x + style.size * p.x(), y - style.size * p.y()};
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }

  // Cover each pixel by its distance to the nearest stroke.
  const float half = 0.5f * style.weight * style.size;
  const auto first = [&](float v) { return static_cast<int>(std::floor(v - half - 1)); };
  const auto last = [&](float v) { return static_cast<int>(std::ceil(v + half + 1)); };
  for (int py = first(low.y()); py <= last(high.y()); ++py)
    for (int px = first(low.x()); px <= last(high.x()); ++px) {
      const Eigen::Vector2f centre(static_cast<float>(px) + 0.5f, static_cast<float>(py) + 0.5f);
      float distance = 1e9f;
      for (const auto& stroke : strokes)
        for (size_t i = 0; i + 1 < stroke.size(); ++i)
          distance = std::min(distance, distanceToSegment(centre, stroke[i], stroke[i + 1]));
      raster.blend(px, py, style.colour, std::clamp(half + 0.5f - distance, 0.0f, 1.0f));
    }
}

}  // namespace

void Raster::blend(int x, int y, const Rgb& colour, float opacity) {
  if (x < 0 || y < 0 || x >= width || y >= height || opacity <= 0) return;
  at(x, y) += opacity * (colour - at(x, y));
}

void Raster::fillBox(float x0, float y0, float x1, float y1, const Rgb& colour) {
  const auto overlap = [](float low, float high, int pixel) {
    return std::clamp(
        std::min(high, static_cast<float>(pixel + 1)) - std::max(low, static_cast<float>(pixel)), 0.0f, 1.0f);
  };
  for (int y = static_cast<int>(std::floor(y0)); static_cast<float>(y) < y1; ++y)
    for (int x = static_cast<int>(std::floor(x0)); static_cast<float>(x) < x1; ++x)
      blend(x, y, colour, overlap(x0, x1, x) * overlap(y0, y1, y));
}

void drawText(Raster& raster, float x, float y, const std::string& text, const TextStyle& style) {
  for (const char c : text) {
    drawGlyph(raster, x, y, strokeGlyph(c), style);
    x += strokeGlyph(c).advance * style.size;
  }
}

float textWidth(const std::string& text, const TextStyle& style) {
  float width = 0;
  for (const char c : text) width += strokeGlyph(c).advance * style.size;
  return width;
}

Image encoded(const Raster& raster) {
  std::vector<uint8_t> bytes;
  bytes.reserve(raster.pixels.size() * 3);
  for (const Rgb& pixel : raster.pixels)
    for (int c = 0; c < 3; ++c) bytes.push_back(srgbByte(pixel[c]));
  return {raster.width, raster.height, std::move(bytes)};
}

}  // namespace hackle
