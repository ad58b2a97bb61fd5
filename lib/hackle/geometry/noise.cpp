#include <hackle/geometry/noise.h>

#include <hackle/core/random.h>

#include <cmath>

namespace hackle {

namespace {

/// Product of the offset with one of Perlin's twelve directions, chosen by the corner.
double corner(int64_t i, int64_t j, int64_t k, uint64_t seed, const Vec3& offset) {
  uint64_t h = mixBits(seed + 0x9e3779b97f4a7c15ULL * static_cast<uint64_t>(i));
  h = mixBits(h + 0x9e3779b97f4a7c15ULL * static_cast<uint64_t>(j));
  h = mixBits(h + 0x9e3779b97f4a7c15ULL * static_cast<uint64_t>(k));
  const double sign[2] = {h & 16 ? 1.0 : -1.0, h & 32 ? 1.0 : -1.0};
  const Eigen::Index skipped = static_cast<Eigen::Index>((h >> 8) % 3);
  return sign[0] * offset[(skipped + 1) % 3] + sign[1] * offset[(skipped + 2) % 3];
}

double fade(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

double mix(double a, double b, double t) { return a + t * (b - a); }

}  // namespace

double gradientNoise(const Vec3& x, uint64_t seed) {
  const Vec3 cell(std::floor(x.x()), std::floor(x.y()), std::floor(x.z()));
  const Vec3 f = x - cell;
  const auto i = static_cast<int64_t>(cell.x()), j = static_cast<int64_t>(cell.y()),
             k = static_cast<int64_t>(cell.z());
  const auto value = [&](int a, int b, int c) {
    return corner(i + a, j + b, k + c, seed, f - Vec3(a, b, c));
  };
  const auto row = [&](int b, int c) { return mix(value(0, b, c), value(1, b, c), fade(f.x())); };
  const auto sheet = [&](int c) { return mix(row(0, c), row(1, c), fade(f.y())); };
  return mix(sheet(0), sheet(1), fade(f.z()));
}

double fractalNoise(const Vec3& x, uint64_t seed, int octaves, double roughness) {
  double sum = 0, strength = 1, total = 0;
  Vec3 at = x;
  for (int o = 0; o < octaves; ++o) {
    sum += strength * gradientNoise(at, seed + static_cast<uint64_t>(o));
    total += strength;
    strength *= roughness;
    at *= 2.0;
  }
  return total > 0 ? sum / total : 0.0;
}

}  // namespace hackle
