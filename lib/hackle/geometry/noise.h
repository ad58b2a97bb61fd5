// Smooth random fields.
#pragma once

#include <hackle/geometry/vec.h>

#include <cstdint>

namespace hackle {

/// Gradient noise [Perlin02] of feature size 1: smooth, zero at whole coordinates, about -1 to 1, the same on
/// every platform.
double gradientNoise(const Vec3& x, uint64_t seed);

/// Octaves of gradient noise, each twice as fine and `roughness` times as strong as the one before, divided
/// by the sum of their strengths.
double fractalNoise(const Vec3& x, uint64_t seed, int octaves, double roughness);

}  // namespace hackle
