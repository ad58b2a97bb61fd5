#include <hackle/ops/boundary_conditions.h>

namespace hackle {

namespace {

ParameterTable<SurfaceRegion> regionTable() {
  using O = SurfaceRegion;
  ParameterTable<O> table;
  table.add(&O::group, "group", "Group")
      .as(ParameterType::Group)
      .help("Primitive or point groups that the region lies in, separated by blanks.");
  table.add(&O::attribute, "attribute", "Attribute")
      .as(ParameterType::Attribute)
      .help("Attribute of primitives or points, integers or strings, that marks the region.");
  table.add(&O::value, "match", "Value").help("Value of that attribute in the region.");
  table.add(&O::low, "low", "Box From")
      .unit("m")
      .soft(-10, 10)
      .help("Lower corner of a box that holds the region's faces; far away for a half-space.");
  table.add(&O::high, "high", "Box To").unit("m").soft(-10, 10).help("Upper corner of that box.");
  table.add(&O::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Centre of a ball that holds the middles of the region's faces.");
  table.add(&O::radius, "radius", "Radius")
      .unit("m")
      .hard(-1, 1e6)
      .soft(0, 1)
      .help("Of that ball; with 0 the nearest face alone, negative for no ball.");
  return table;
}

}  // namespace

BoundaryCondition conditionOf(const ConditionRecord& record) {
  BoundaryCondition condition;
  condition.kind = record.kind;
  condition.region = record.region;
  switch (record.kind) {
    case ConditionKind::Displacement: {
      const std::string_view axes[] = {"xyz", "x", "y", "z", "xy", "yz", "xz"};
      const std::string_view chosen = axes[static_cast<size_t>(record.axes)];
      condition.value = record.displacement;
      for (size_t c = 0; c < 3; ++c) condition.axes[c] = chosen.find("xyz"[c]) != std::string_view::npos;
      break;
    }
    case ConditionKind::Traction:
      condition.value = record.traction;
      break;
    case ConditionKind::Force:
      condition.value = record.force;
      break;
    case ConditionKind::Pressure:
      condition.value = Vec3(record.pressure, 0, 0);
      break;
  }
  return condition;
}

ParameterTable<ConditionRecord> conditionTable() {
  using O = ConditionRecord;
  ParameterTable<O> table;
  table.add(&O::kind, "kind", "Kind")
      .menu({{"displacement", "Displacement"},
             {"traction", "Traction"},
             {"force", "Force"},
             {"pressure", "Pressure"}})
      .help("What is given on the region. Faces without condition are free.");
  table.add(&O::displacement, "displacement", "Displacement")
      .unit("m")
      .soft(-0.1, 0.1)
      .enabledWhen("kind", {"displacement"})
      .help("How far the region is moved.");
  table.add(&O::axes, "axes", "Axes")
      .menu({{"xyz", "All"},
             {"x", "X"},
             {"y", "Y"},
             {"z", "Z"},
             {"xy", "X and Y"},
             {"yz", "Y and Z"},
             {"xz", "X and Z"}})
      .enabledWhen("kind", {"displacement"})
      .help("Components of the displacement that are given; along the others the region slides freely.");
  table.add(&O::traction, "traction", "Traction")
      .unit("Pa")
      .soft(-1e6, 1e6)
      .enabledWhen("kind", {"traction"})
      .help("Force per area.");
  table.add(&O::force, "force", "Force")
      .unit("N")
      .soft(-1e4, 1e4)
      .enabledWhen("kind", {"force"})
      .help("Total force, spread evenly over the region.");
  table.add(&O::pressure, "pressure", "Pressure")
      .unit("Pa")
      .soft(-1e6, 1e6)
      .enabledWhen("kind", {"pressure"})
      .help("Presses against the faces where positive.");
  table.include(&O::region, regionTable());
  return table;
}

}  // namespace hackle
