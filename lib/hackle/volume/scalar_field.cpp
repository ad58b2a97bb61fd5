#include <hackle/volume/scalar_field.h>

#include <hackle/core/error.h>
#include <hackle/geometry/noise.h>
#include <hackle/volume/grid.h>

#include <cmath>

namespace hackle {

namespace {

void demand(bool holds, const char* message) {
  if (!holds) throw Error(ErrorCode::Usage, std::string("field: ") + message);
}

}  // namespace

FieldSample ScalarField::sample(const Vec3& p, double step) const {
  if (mSample) return mSample(p, step);
  FieldSample s{mValue(p), Vec3::Zero()};
  for (int k = 0; k < 3; ++k) {
    const Vec3 half = 0.5 * step * Vec3::Unit(k);
    s.gradient[k] = (mValue(p + half) - mValue(p - half)) / step;
  }
  return s;
}

ScalarField ScalarField::constant(double value) {
  return ScalarField([value](const Vec3&) { return value; },
                     [value](const Vec3&, double) {
                       return FieldSample{value, Vec3::Zero()};
                     });
}

ScalarField ScalarField::linear(double value, const Vec3& gradient, const Vec3& origin) {
  return ScalarField([=](const Vec3& p) { return value + gradient.dot(p - origin); },
                     [=](const Vec3& p, double) {
                       return FieldSample{value + gradient.dot(p - origin), gradient};
                     });
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

ScalarField ScalarField::waves(double low, double high, double period, const Vec3& direction,
                               const Vec3& origin) {
  demand(period > 0 && std::isfinite(period), "the period of waves must be positive");
  demand(direction.norm() > 0 && direction.allFinite(), "waves need a direction");
  const Vec3 turn = 6.283185307179586 / period * direction.normalized();
  return ScalarField(
      [=](const Vec3& p) { return 0.5 * (low + high) - 0.5 * (high - low) * std::cos(turn.dot(p - origin)); },
      [=](const Vec3& p, double) {
        const double phase = turn.dot(p - origin);
        return FieldSample{0.5 * (low + high) - 0.5 * (high - low) * std::cos(phase),
                           0.5 * (high - low) * std::sin(phase) * turn};
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
