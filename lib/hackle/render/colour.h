// Colours of the renderer: linear light inside, sRGB at its borders.
#pragma once

#include <hackle/geometry/vec.h>

#include <cstdint>

namespace hackle {

using Vec3f = Eigen::Vector3f;
/// Linear RGB with sRGB's primaries; 1 is display white.
using Rgb = Eigen::Array3f;

float linearFromSrgb(float encoded);
Rgb linearFromSrgb(const Vec3& encoded);
/// 0 to 255, rounded; out of range is clamped.
uint8_t srgbByte(float linear);

/// Compresses highlights: identity up to 0.6, then a smooth shoulder that reaches 1 at infinity.
Rgb toneMapped(const Rgb& linear);

/// A colour by perceptual lightness (0 to 1), chroma (about 0 to 0.3) and hue (turns), clamped to the gamut.
/// [Ottosson20]'s Oklab.
Rgb fromLightnessChromaHue(float lightness, float chroma, float hue);

/// The perceptual colour map viridis; t is clamped to [0, 1].
Rgb viridis(float t);

/// The colour of piece `index`: neighbours in index differ clearly, and the colour depends on nothing else.
Rgb pieceColour(size_t index);

}  // namespace hackle
