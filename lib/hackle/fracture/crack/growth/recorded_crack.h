// What growth hands over to the pieces: where a crack went, and when.
#pragma once

#include <hackle/core/span.h>
#include <hackle/volume/sheet_band.h>

#include <array>

namespace hackle {

/// A crack as it was recorded. Both must outlive it.
struct RecordedCrack {
  const SheetBand* band = nullptr;
  Span<const std::array<float, 3>> times;  // s, at the corners of the band's triangles
};

}  // namespace hackle
