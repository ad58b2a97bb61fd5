#include <hackle/ops/material_pattern.h>

#include <hackle/core/error.h>
#include <hackle/volume/grain_field.h>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace hackle {

namespace {

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

ScalarField patternField(const std::string& name, double base, const PatternOptions& options,
                         const std::function<VolumePtr(const std::string&)>& grid, Context& context) {
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

ParameterTable<PatternOptions> patternTable(const std::string& name, const std::string& label) {
  using O = PatternOptions;
  ParameterTable<O> table;
  const std::string pattern = name + "_pattern";
  const auto add = [&](auto member, const char* suffix, const char* text) {
    return table.add(member, name + "_" + suffix, label + " " + text);
  };
  table.section(label + " Field");
  add(&O::kind, "pattern", "Pattern")
      .menu({{"uniform", "Uniform"},
             {"layers", "Layers"},
             {"grains", "Grains, Weak Between"},
             {"grain_values", "Grains, Each Its Own"},
             {"noise", "Noise"},
             {"vdb", "VDB, Scaled"},
             {"vdb_values", "VDB, Values"}})
      .help(
          "How it varies in space. Layers fade from one to the next; grains are weakest where they meet, or "
          "have a random value each; a VDB on the input of fields scales it, or has the values themselves.");
  add(&O::amount, "amount", "Amount")
      .unit("none")
      .hard(-0.99, 1000)
      .soft(0, 1)
      .enabledWhen(pattern, {"layers", "grains", "grain_values", "noise", "vdb"})
      .help(
          "From the material's value up to (1 + amount) times it: 0.4 makes the inside of grains 40 % "
          "tougher "
          "than their boundaries. A VDB's values are multiplied with it.");
  add(&O::size, "size", "Size")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .enabledWhen(pattern, {"layers", "grains", "grain_values", "noise"})
      .help("Width of grains, of bumps of noise, or from layer to layer; with 0 a twentieth of the solid.");
  add(&O::direction, "direction", "Direction")
      .unit("none")
      .soft(-1, 1)
      .enabledWhen(pattern, {"layers"})
      .help("Across the layers.");
  add(&O::blend, "blend", "Blend")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .enabledWhen(pattern, {"grains", "grain_values"})
      .help(
          "Distance from the boundary of a grain at which it has its full value; with 0 half a grain where "
          "grains are weak between, and a sharp jump where each has its own.");
  add(&O::stretch, "stretch", "Stretch")
      .unit("none")
      .hard(1e-3, 1e3)
      .soft(0.1, 10)
      .enabledWhen(pattern, {"grains", "grain_values"})
      .help("Lengthens grains along each axis, as rolling does: 4,1,0.25.");
  add(&O::rotate, "rotate", "Rotate")
      .unit("deg")
      .hard(-360, 360)
      .soft(-180, 180)
      .enabledWhen(pattern, {"grains", "grain_values"})
      .help("Turns the grains about x, then y, then z, so that stretched ones lie as they were rolled.");
  add(&O::variety, "variety", "Variety")
      .unit("none")
      .range(0, 1)
      .enabledWhen(pattern, {"grains", "grain_values"})
      .help(
          "0 for grains of like sizes (Voronoi cells), more for large ones among small ones (power cells).");
  add(&O::tile, "tile", "Tile")
      .unit("none")
      .hard(2, 40)
      .soft(4, 20)
      .enabledWhen(pattern, {"grains", "grain_values"})
      .help("After so many grains along each axis the pattern repeats itself.");
  add(&O::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .enabledWhen(pattern, {"grains", "grain_values", "noise"})
      .help(
          "Another seed gives other grains or noise. Two fields with equal size, stretch, rotate, variety, "
          "tile and seed have the same grains.");
  add(&O::vdb, "vdb", "VDB")
      .as(ParameterType::Volume)
      .enabledWhen(pattern, {"vdb", "vdb_values"})
      .help(fmt::format("Name of the VDB on the input of fields; the one named {} if empty.", name));
  return table;
}

}  // namespace hackle
