#include <hackle/volume/scalar_field.h>

#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/noise.h>
#include <hackle/volume/grid.h>

#include <array>
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

/// Distance to the nearest boundary between the grains of nearestGrain: of the planes half way between the
/// own site and others. Sites beyond the cubes around may be missed where grains are very uneven; the value
/// is then too large by a part of it.
double grainBoundaryDistance(const Vec3& p, uint64_t seed) {
  const Vec3 cell = floorOf(p);
  std::array<Vec3, 125> sites;
  size_t count = 0, own = 0;
  for (int x = -2; x <= 2; ++x)
    for (int y = -2; y <= 2; ++y)
      for (int z = -2; z <= 2; ++z) {
        const Vec3 other = cell + Vec3(x, y, z);
        Random random = latticeRandom(seed, other);
        sites[count] = other + Vec3(random.uniform(), random.uniform(), random.uniform());
        if ((sites[count] - p).squaredNorm() < (sites[own] - p).squaredNorm()) own = count;
        ++count;
      }
  double nearest = std::numeric_limits<double>::infinity();
  const double ownDistance = (sites[own] - p).squaredNorm();
  for (size_t i = 0; i < count; ++i)
    if (i != own)
      nearest = std::min(nearest,
                         ((sites[i] - p).squaredNorm() - ownDistance) / (2 * (sites[i] - sites[own]).norm()));
  return nearest;
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

ScalarField ScalarField::waves(double low, double high, double period, const Vec3& direction,
                               const Vec3& origin) {
  demand(period > 0 && std::isfinite(period), "the period of waves must be positive");
  demand(direction.norm() > 0 && direction.allFinite(), "waves need a direction");
  const Vec3 turn = 6.283185307179586 / period * direction.normalized();
  return ScalarField([=](const Vec3& p) {
    return 0.5 * (low + high) - 0.5 * (high - low) * std::cos(turn.dot(p - origin));
  });
}

ScalarField ScalarField::grainInsides(double low, double high, double size, const Vec3& stretch,
                                      uint64_t seed) {
  demand(size > 0 && std::isfinite(size), "the size of grains must be positive");
  demand(stretch.minCoeff() > 0 && stretch.allFinite(), "the stretch of grains must be positive");
  const Vec3 scale = (size * stretch).cwiseInverse();
  return ScalarField([=](const Vec3& p) {
    return low + (high - low) * std::min(1.0, 2 * grainBoundaryDistance(p.cwiseProduct(scale), seed));
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
