#include <hackle/volume/scalar_field.h>

#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/noise.h>
#include <hackle/volume/grid.h>

#include <cmath>
#include <limits>

namespace hackle {

namespace {

void demand(bool holds, const char* message) {
  if (!holds) throw Error(ErrorCode::Usage, std::string("field: ") + message);
}

/// Random numbers that belong to a point of a lattice.
Random latticeRandom(uint64_t seed, const Vec3& cell) {
  uint64_t id = 0;
  for (int a = 0; a < 3; ++a)
    id = mixBits(id + static_cast<uint64_t>(static_cast<int64_t>(cell[a])) + 0x9e3779b97f4a7c15ULL);
  return Random(seed, id);
}

Vec3 floorOf(const Vec3& p) { return p.array().floor(); }

/// The lattice cube whose random point is nearest. It is among those around: the own one's is at most
/// sqrt(3) away, and cubes farther than two steps are farther than that.
Vec3 nearestGrain(const Vec3& p, uint64_t seed) {
  const Vec3 cell = floorOf(p);
  Vec3 best = cell;
  double nearest = std::numeric_limits<double>::infinity();
  for (int x = -2; x <= 2; ++x)
    for (int y = -2; y <= 2; ++y)
      for (int z = -2; z <= 2; ++z) {
        const Vec3 other = cell + Vec3(x, y, z);
        Random random = latticeRandom(seed, other);
        const Vec3 site = other + Vec3(random.uniform(), random.uniform(), random.uniform());
        const double d = (site - p).squaredNorm();
        if (d < nearest) {
          nearest = d;
          best = other;
        }
      }
  return best;
}

}  // namespace

ScalarField ScalarField::constant(double value) {
  return ScalarField([value](const Vec3&) { return value; });
}

ScalarField ScalarField::linear(double value, const Vec3& gradient, const Vec3& origin) {
  return ScalarField([=](const Vec3& p) { return value + gradient.dot(p - origin); });
}

ScalarField ScalarField::layers(Span<const double> values, double thickness, const Vec3& direction,
                                const Vec3& origin) {
  demand(!values.empty(), "layers need values");
  demand(thickness > 0 && std::isfinite(thickness), "the thickness of layers must be positive");
  demand(direction.norm() > 0 && direction.allFinite(), "layers need a direction");
  const std::vector<double> list(values.begin(), values.end());
  const Vec3 step = direction.normalized() / thickness;
  return ScalarField([=](const Vec3& p) {
    const double count = static_cast<double>(list.size());
    const double layer = std::floor(step.dot(p - origin));
    const double turn = layer - count * std::floor(layer / count);
    return list[std::min(list.size() - 1, static_cast<size_t>(std::max(0.0, turn)))];
  });
}

ScalarField ScalarField::noise(double mean, double amplitude, double size, uint64_t seed, int octaves) {
  demand(size > 0 && std::isfinite(size), "the size of noise must be positive");
  demand(octaves >= 1 && octaves <= 16, "noise has 1 to 16 octaves");
  return ScalarField(
      [=](const Vec3& p) { return mean + amplitude * fractalNoise(p / size, seed, octaves, 0.5); });
}

ScalarField ScalarField::grains(double mean, double spread, double size, uint64_t seed) {
  demand(size > 0 && std::isfinite(size), "the size of grains must be positive");
  return ScalarField([=](const Vec3& p) {
    Random random = latticeRandom(seed ^ 0x6a09e667f3bcc908ULL, nearestGrain(p / size, seed));
    return mean + spread * random.uniform(-1, 1);
  });
}

ScalarField ScalarField::grid(VolumePtr grid) {
  sampleGrid(*grid, Vec3::Zero());  // throws if it is not of numbers
  return ScalarField([grid = std::move(grid)](const Vec3& p) { return sampleGrid(*grid, p); });
}

ScalarField ScalarField::clamped(std::optional<double> low, std::optional<double> high) const {
  return ScalarField([value = mValue, low, high](const Vec3& p) {
    double v = value(p);
    if (low) v = std::max(v, *low);
    if (high) v = std::min(v, *high);
    return v;
  });
}

}  // namespace hackle
