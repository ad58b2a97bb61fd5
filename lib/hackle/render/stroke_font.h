// The glyphs of a small stroke font.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

struct Glyph {
  float advance = 0;                                  // to the next glyph
  std::vector<std::vector<Eigen::Vector2f>> strokes;  // polylines; x from the left, y up from the base
};

/// In units of the height of capitals. Anything but printable ASCII gives an empty box.
const Glyph& strokeGlyph(char character);

}  // namespace hackle
