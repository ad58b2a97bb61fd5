// An operator with every type of parameter and port, for the tests of the spine and of the command line.
#pragma once

#include <hackle/ops/material.h>
#include <hackle/ops/operator.h>

#include <optional>

namespace hackle::test {

enum class Style { Smooth, Rough, Jagged };

struct Impact {
  Vec3 at = Vec3::Zero();
  Vec3 dir{0, -1, 0};
  double impulse = 1.0;
  int kind = 0;
  Style style = Style::Rough;
};

struct EveryOptions {
  Style style = Style::Rough;
  double size = 0.5;
  int32_t count = 8;
  uint64_t seed = 7;
  bool caps = true;
  std::string title = "untitled";
  std::string texture;
  Vec3 direction{0, 1, 0};
  Vec3 tint{1, 1, 1};
  Ramp profile;
  std::string pieces;
  std::string weight = "mass";
  std::string field = "surface";
  std::optional<double> limit;
  std::vector<Impact> impacts;
  MaterialOptions material{"custom", 1000, 1e9, 0.3, 1e6, 1e5};
};

inline ParameterTable<Impact> impactTable() {
  ParameterTable<Impact> table;
  table.add(&Impact::at, "at", "Position").unit("m").soft(-10, 10).fromAttribute("P").help("Where.");
  table.add(&Impact::dir, "dir", "Direction").unit("none").soft(-1, 1).fromAttribute("N").help("Which way.");
  table.add(&Impact::impulse, "impulse", "Impulse").unit("N s").hard(0, {}).soft(0, 100).help("How hard.");
  table.add(&Impact::kind, "kind", "Kind").unit("none").range(0, 3).help("Which one.");
  table.add(&Impact::style, "style", "Style")
      .menu({{"smooth", "Smooth"}, {"rough", "Rough"}, {"jagged", "Jagged"}})
      .help("How it looks.");
  return table;
}

inline ParameterTable<EveryOptions> everyTable() {
  ParameterTable<EveryOptions> table;
  table.add(&EveryOptions::style, "style", "Style")
      .menu({{"smooth", "Smooth"}, {"rough", "Rough"}, {"jagged", "Jagged"}})
      .help("How faces look.");
  table.add(&EveryOptions::size, "size", "Size")
      .unit("m")
      .hard(0, {})
      .soft(0, 10)
      .alias("scale")
      .help("Edge length.");
  table.add(&EveryOptions::count, "count", "Count").unit("none").range(1, 100).help("How many.");
  table.add(&EveryOptions::seed, "seed", "Seed").unit("none").soft(0, 100).help("Of random numbers.");
  table.add(&EveryOptions::caps, "caps", "Caps").help("Close the ends.");
  table.section("Look");
  table.add(&EveryOptions::title, "title", "Title").help("Any text.");
  table.add(&EveryOptions::texture, "texture_file", "Texture").as(ParameterType::File).help("A picture.");
  table.add(&EveryOptions::direction, "direction", "Direction").unit("none").soft(-1, 1).help("A vector.");
  table.add(&EveryOptions::tint, "tint", "Tint").as(ParameterType::Colour).range(0, 1).help("A colour.");
  table.add(&EveryOptions::profile, "profile", "Profile").hard(-1, 2).help("A ramp.");
  table.add(&EveryOptions::pieces, "pieces", "Pieces").as(ParameterType::Group).help("A group.");
  table.add(&EveryOptions::weight, "weight", "Weight").as(ParameterType::Attribute).help("An attribute.");
  table.add(&EveryOptions::field, "field", "Field").as(ParameterType::Volume).help("A volume.");
  table.add(&EveryOptions::limit, "limit", "Limit")
      .unit("s")
      .hard(0, {})
      .enabledWhen("style", {"rough", "jagged"})
      .enabledWhen("caps", {"on"})
      .help("May stay open.");
  table.section("Impacts");
  table.addList(&EveryOptions::impacts, "impact", "Impacts", impactTable())
      .fromPoints("hits")
      .alias("hit")
      .help("Blows.");
  table.include(&EveryOptions::material, materialTable());
  return table;
}

/// What the last run got.
inline EveryOptions& lastOptions() {
  static EveryOptions options;
  return options;
}

inline Outputs runEvery(const Inputs& inputs, const EveryOptions& options, Context& context) {
  const Context::Stage stage(context, "every");
  lastOptions() = options;
  const Blob blob{"modes", CowArray<uint8_t>(std::vector<uint8_t>{1, 2, 3})};
  return Outputs({inputs.geometry(0), Item(), blob}, Value::Map{{"answer", 42}});
}

inline Operator everyOperator() {
  Operator op;
  op.id = "every";
  op.label = "Every";
  op.summary = "Has every type of parameter";
  op.help = "It does nothing.\n\nIn two paragraphs.";
  op.category = "Test";
  op.inputs = {{"geometry", "Geometry", "What it works on."}, {"hits", "Hits", "Points that hit."}};
  op.inputs[1].optional = true;
  op.outputs = {{"geometry", "Geometry", "The same."},
                {"picture", "Picture", "Never made.", PortType::Image, true},
                {"modes", "Modes", "Three bytes.", PortType::Blob}};
  op.bind(everyTable(), runEvery);
  return op;
}

}  // namespace hackle::test
