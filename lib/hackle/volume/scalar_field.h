// A material property as a function of space: strength, toughness, density.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/volume_grid.h>

#include <functional>
#include <optional>

namespace hackle {

/// A value and how it changes a metre.
struct FieldSample {
  double value = 0.0;
  Vec3 gradient = Vec3::Zero();
};

/// A plain value; copies are cheap. Positions in metres; values in whatever unit the property has. May be
/// asked from many threads at once, and depends on nothing but its parameters and the position.
class ScalarField {
 public:
  ScalarField() : ScalarField(constant(0.0)) {}
  using Values = std::function<double(const Vec3&)>;
  using Samples = std::function<FieldSample(const Vec3&, double step)>;
  /// Any function; `samples` where it gives gradients at less than six further values.
  explicit ScalarField(Values value, Samples samples = {})
      : mValue(std::move(value)), mSample(std::move(samples)) {}

  double at(const Vec3& p) const { return mValue(p); }
  /// The value and central differences over `step` (m), or the gradient itself where that is known.
  FieldSample sample(const Vec3& p, double step) const;

  static ScalarField constant(double value);
  /// `value` at `origin`, changing by `gradient` a metre.
  static ScalarField linear(double value, const Vec3& gradient, const Vec3& origin = Vec3::Zero());
  /// Layers across `direction`, each `thickness` thick, that have the values in turn; the first begins at
  /// `origin`. Error(Usage) without values, thickness or direction.
  static ScalarField layers(Span<const double> values, double thickness, const Vec3& direction,
                            const Vec3& origin = Vec3::Zero());
  /// Layers across `direction` that fade into each other: a cosine from `low` (at `origin` and every `period`
  /// (m) from it) to `high` in between. Error(Usage) for a period that is not positive or no direction.
  static ScalarField waves(double low, double high, double period, const Vec3& direction,
                           const Vec3& origin = Vec3::Zero());
  /// mean + amplitude n(p) with n smooth noise, about -1 to 1 and 0 on average, whose bumps are about `size`
  /// (m) wide; every further octave has half the size and half the height. Error(Usage) for a size that is
  /// not positive or octaves outside 1 to 16.
  static ScalarField noise(double mean, double amplitude, double size, uint64_t seed, int octaves = 1);
  /// Trilinear values of a VDB grid; its background where it has none. Error(BadInput) for grids of other
  /// things than numbers.
  static ScalarField grid(VolumePtr grid);

  /// The same field, no lower than `low` and no higher than `high`.
  ScalarField clamped(std::optional<double> low, std::optional<double> high) const;

 private:
  Values mValue;
  Samples mSample;
};

}  // namespace hackle
