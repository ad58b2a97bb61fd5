// A picture in linear light, and text and boxes drawn on it.
#pragma once

#include <hackle/geometry/image.h>
#include <hackle/render/colour.h>

#include <string>
#include <vector>

namespace hackle {

struct Raster {
  int width = 0, height = 0;
  std::vector<Rgb> pixels;  // rows from the top

  Raster(int w, int h, const Rgb& fill)
      : width(w), height(h), pixels(static_cast<size_t>(w) * static_cast<size_t>(h), fill) {}
  Rgb& at(int x, int y) {
    return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  const Rgb& at(int x, int y) const {
    return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  /// Mixes a colour in; points outside are ignored.
  void blend(int x, int y, const Rgb& colour, float opacity);
  /// Fills [x0, x1) x [y0, y1), px; borders inside a pixel cover it in part.
  void fillBox(float x0, float y0, float x1, float y1, const Rgb& colour);
};

/// Text in a font of round strokes; `size` is the height of capitals in px. Characters other than printable
/// ASCII show as an empty box.
struct TextStyle {
  float size = 10;
  float weight = 0.13f;  // thickness of strokes, in parts of the size
  Rgb colour{0.05f, 0.05f, 0.06f};
};

/// Draws with the left end of the base line at (x, y).
void drawText(Raster& raster, float x, float y, const std::string& text, const TextStyle& style);
/// Advance of the whole text, px.
float textWidth(const std::string& text, const TextStyle& style);

/// To 8 bits.
Image encoded(const Raster& raster);

}  // namespace hackle
