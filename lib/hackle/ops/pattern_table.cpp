#include <hackle/ops/pattern_table.h>

#include <fmt/format.h>

namespace hackle {

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
          "tougher than their boundaries. A VDB's values are multiplied with it.");
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
      .help("The pattern repeats itself after this many grains along each axis.");
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
