#include <hackle/volume/material_pattern.h>

#include <hackle/core/error.h>
#include <hackle/volume/grain_field.h>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace hackle {

namespace {

constexpr double kSizesAcross = 20;  // grains, layers and bumps along the solid unless a size is given

/// Turns about x, then y, then z.
Mat3 frameOf(const Vec3& degrees) {
  const Vec3 a = degrees * 0.017453292519943295;
  return (Eigen::AngleAxisd(a.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(a.y(), Vec3::UnitY()) *
          Eigen::AngleAxisd(a.x(), Vec3::UnitX()))
      .toRotationMatrix();
}

std::shared_ptr<const GrainTile> tileOf(const PatternOptions& options, const Context& context) {
  GrainOptions grains;
  grains.size = options.size;
  grains.perEdge = options.tile;
  grains.variety = options.variety;
  grains.stretch = options.stretch;
  grains.frame = frameOf(options.rotate);
  grains.seed = static_cast<uint64_t>(options.seed);
  return std::make_shared<const GrainTile>(grains, &context);
}

/// base (1 + amount s) of the values s of a grid.
ScalarField scaled(const ScalarField& field, double base, double amount) {
  return ScalarField([=](const Vec3& p) { return base * (1 + amount * field.at(p)); },
                     [=](const Vec3& p, double step) {
                       const FieldSample s = field.sample(p, step);
                       return FieldSample{base * (1 + amount * s.value), base * amount * s.gradient};
                     });
}

}  // namespace

ScalarField patternField(const std::string& name, double base, const PatternOptions& given, const Box3& solid,
                         const std::function<VolumePtr(const std::string&)>& grid, const Context& context) {
  if (!(base > 0))
    throw Error(ErrorCode::Usage, fmt::format("{} is 0: everything would break", name),
                "give one above 0, or a preset");
  PatternOptions options = given;
  if (options.size <= 0) options.size = std::max(solid.size().maxCoeff() / kSizesAcross, 1e-9);
  const double other = base * (1 + options.amount);
  const double low = std::min(base, other), high = std::max(base, other);
  const uint64_t seed = static_cast<uint64_t>(options.seed);
  switch (options.kind) {
    case PatternKind::Uniform:
      break;
    case PatternKind::Layers:
      if (options.direction.isZero())
        throw Error(ErrorCode::Usage, fmt::format("{}_direction is zero", name), "give one, such as 0,1,0");
      return ScalarField::waves(base, other, options.size, options.direction);
    case PatternKind::Grains:
      return grainInsides(tileOf(options, context), base, other, options.blend);
    case PatternKind::GrainValues:
      return grainValues(tileOf(options, context), low, high, options.blend, seed);
    case PatternKind::Noise:
      return ScalarField::noise(0.5 * (low + high), 0.5 * (high - low), options.size, seed, 3)
          .clamped(low, high);
    case PatternKind::Vdb:
      return scaled(ScalarField::grid(grid(options.vdb)), base, options.amount).clamped(1e-3 * base, {});
    case PatternKind::VdbValues:
      return ScalarField::grid(grid(options.vdb));
  }
  return ScalarField::constant(base);
}

}  // namespace hackle
