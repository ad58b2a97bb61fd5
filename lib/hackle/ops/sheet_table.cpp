// The parameters of the operator sheet, and presets for its materials.
#include <hackle/core/error.h>
#include <hackle/ops/sheet_setup.h>

#include <fmt/format.h>

namespace hackle {

namespace {

using Table = ParameterTable<SheetOperatorOptions>;
using O = SheetOperatorOptions;

/// thickness m, density kg/m^3, Young Pa, Poisson, strength Pa, toughness Pa m^(1/2), yield Pa, elongation,
/// damping s, grain ratio, interlayer N/m^2 and its tear m, branching, stored stress Pa. Sources:
/// docs/sheet.md.
const std::vector<SheetMaterialOptions>& sheetPresets() {
  static const std::vector<SheetMaterialOptions> kPresets{
      {"window", 4e-3, 2500, 70e9, 0.22, 90e6, 0.75e6, 0, 0.2, 1e-7, 1, 0, 0.01, 12, 0},
      {"tempered", 4e-3, 2500, 70e9, 0.22, 190e6, 0.75e6, 0, 0.2, 1e-7, 1, 0, 0.01, 3, 50e6},
      {"laminated", 4e-3, 2500, 70e9, 0.22, 90e6, 0.75e6, 0, 0.2, 1e-7, 1, 1.5e7, 0.01, 12, 0},
      {"paper", 1e-4, 800, 4e9, 0.2, 40e6, 3.0e6, 0, 0.2, 1e-4, 1, 0, 0.01, 0, 0},
      {"card", 4e-4, 700, 3e9, 0.2, 30e6, 4.0e6, 20e6, 0.03, 1e-4, 1, 0, 0.01, 0, 0},
      {"foil", 3e-5, 2700, 69e9, 0.33, 90e6, 4.0e6, 40e6, 0.03, 1e-5, 1, 0, 0.01, 0, 0},
      {"steel", 1e-3, 7850, 205e9, 0.29, 500e6, 50e6, 250e6, 0.2, 1e-6, 1, 0, 0.01, 0, 0},
      {"rubber", 1e-3, 950, 2e6, 0.48, 15e6, 1.4e5, 0, 0.2, 1e-3, 1, 0, 0.01, 0, 0},
      {"eggshell", 3.5e-4, 2300, 30e9, 0.3, 20e6, 0.3e6, 0, 0.2, 1e-7, 1, 0, 0.01, 12, 0},
      {"fabric", 3e-4, 500, 2e8, 0.1, 20e6, 1.0e6, 0, 0.2, 1e-3, 4, 0, 0.01, 0, 0},
  };
  return kPresets;
}

Value::Map sheetPresetValues(const std::string& name) {
  if (name == "custom") return {};
  for (const SheetMaterialOptions& p : sheetPresets())
    if (p.preset == name)
      return {{"thickness", p.thickness},   {"density", p.density},
              {"young", p.young},           {"poisson", p.poisson},
              {"strength", p.strength},     {"toughness", p.toughness},
              {"yield", p.yield},           {"elongation", p.elongation},
              {"damping", p.damping},       {"grain_ratio", p.grainRatio},
              {"interlayer", p.interlayer}, {"interlayer_tear", p.interlayerTear},
              {"branching", p.branching},   {"stored", p.stored}};
  throw Error(ErrorCode::Usage, fmt::format("there is no preset {}", name), "choose one of the menu");
}

ParameterTable<SheetMaterialOptions> sheetMaterialTable() {
  using M = SheetMaterialOptions;
  ParameterTable<M> table;
  table.section("Material");
  std::vector<MenuItem> presets{{"custom", "Custom"}};
  for (const M& p : sheetPresets()) presets.push_back({p.preset, p.preset});
  table.add(&M::preset, "preset", "Preset")
      .menu(presets)
      .fills(sheetPresetValues)
      .help("Fills the material parameters and the thickness where they are not set themselves.");
  table.add(&M::thickness, "thickness", "Thickness")
      .unit("m")
      .hard(1e-7, 1e3)
      .soft(1e-5, 0.02)
      .help("Of the sheet; the point attribute thickness is a factor on it.");
  table.add(&M::density, "density", "Density")
      .unit("kg/m^3")
      .hard(1e-3, 1e6)
      .soft(100, 10000)
      .help("Mass per volume.");
  table.add(&M::young, "young", "Young's Modulus")
      .unit("Pa")
      .hard(1, 1e13)
      .soft(1e6, 3e11)
      .help("Stiffness: stress per strain in tension.");
  table.add(&M::poisson, "poisson", "Poisson's Ratio")
      .unit("none")
      .hard(-0.99, 0.499)
      .soft(0, 0.45)
      .help("Sideways contraction per lengthwise stretch.");
  table.add(&M::strength, "strength", "Strength")
      .unit("Pa")
      .hard(0, 1e13)
      .soft(1e6, 1e9)
      .help("Tensile stress of either face at which a crack is born; with 0 none is.");
  table.add(&M::toughness, "toughness", "Toughness")
      .unit("Pa m^(1/2)")
      .hard(1e-3, 1e12)
      .soft(1e5, 1e8)
      .help(
          "Stress intensity at which a crack grows; the energy is its square over Young's modulus, per "
          "area.");
  table.add(&M::yield, "yield", "Yield Stress")
      .unit("Pa")
      .hard(0, 1e13)
      .soft(0, 1e9)
      .help("Stress at which the sheet flows, in its plane and in bending; with 0 it never does.");
  table.add(&M::elongation, "elongation", "Elongation at Break")
      .unit("none")
      .hard(1e-6, 100)
      .soft(0.01, 1)
      .help("Plastic strain at which a crack is born.");
  table.add(&M::damping, "damping", "Damping")
      .unit("s")
      .hard(0, 10)
      .soft(0, 1e-3)
      .help("Viscous stress per rate of stress: motions faster than this time die out.");
  table.add(&M::grainRatio, "grain_ratio", "Grain Ratio")
      .unit("none")
      .hard(0.01, 100)
      .soft(1, 10)
      .help(
          "Energy that a crack across the grain takes, over that along it. Needs a direction of the grain.");
  table.add(&M::interlayer, "interlayer", "Interlayer")
      .unit("N/m^2")
      .hard(0, 1e13)
      .soft(0, 1e8)
      .help(
          "Force per length of crack and opening with which a layer between two panes bridges cracks: its "
          "modulus times its thickness over the length that comes loose. 0 for none.");
  table.add(&M::interlayerTear, "interlayer_tear", "Interlayer Tears At")
      .unit("m")
      .hard(0, 1e3)
      .soft(0, 0.05)
      .help("Opening of a crack at which the interlayer tears.");
  table.add(&M::branching, "branching", "Branching")
      .unit("none")
      .hard(0, 1e6)
      .soft(0, 30)
      .help(
          "A crack divides where it releases this many times the energy that it takes; glass does at about 12. 0 for never.");
  table.add(&M::stored, "stored", "Stored Stress")
      .unit("Pa")
      .hard(0, 1e12)
      .soft(0, 1e8)
      .help(
          "Tension in the middle of the sheet that compression of its faces holds in balance, as in tempered glass. Cracks release it and divide into dice.");
  return table;
}

ParameterTable<SheetPinRecord> pinTable() {
  using R = SheetPinRecord;
  ParameterTable<R> table;
  table.add(&R::at, "at", "Position").unit("m").soft(-1, 1).fromAttribute("P").help("Middle of the box.");
  table.add(&R::size, "size", "Size")
      .unit("m")
      .soft(0, 1)
      .help("Of the box; what of the sheet is in it at rest is held.");
  table.add(&R::clamp, "clamp", "Clamp")
      .help("Holds the direction of the sheet too, as fingers do; else it turns as on a hinge.");
  table.add(&R::stiffness, "stiffness", "Stiffness")
      .unit("N/m")
      .hard(0, 1e12)
      .soft(0, 1e5)
      .help("Of springs that hold the sheet in the box; 0 for a rigid grip.");
  table.add(&R::release, "release", "Release")
      .unit("s")
      .hard(0, 1e6)
      .soft(0, 10)
      .help("Time after which the pin lets go; 0 for never.");
  return table;
}

ParameterTable<SheetKeyRecord> keyTable() {
  using R = SheetKeyRecord;
  ParameterTable<R> table;
  table.add(&R::pin, "pin", "Pin")
      .unit("none")
      .hard(0, 100000)
      .soft(0, 10)
      .help("Which pin moves, counted from 0.");
  table.add(&R::time, "time", "Time")
      .unit("s")
      .hard(0, 1e6)
      .soft(0, 10)
      .help("When the pin is there. It moves evenly in between, from its place at time 0.");
  table.add(&R::move, "move", "Move").unit("m").soft(-1, 1).help("How far from its first place.");
  table.add(&R::turn, "turn", "Turn")
      .unit("deg")
      .soft(-180, 180)
      .help("By which angle about each axis (a rotation vector) through its middle.");
  return table;
}

ParameterTable<SheetObstacleRecord> obstacleTable() {
  using R = SheetObstacleRecord;
  ParameterTable<R> table;
  table.add(&R::shape, "shape", "Shape")
      .menu({{"ball", "Ball"}, {"plane", "Plane"}})
      .help("Of the obstacle. Closed meshes come on the input colliders.");
  table.add(&R::at, "at", "Position")
      .unit("m")
      .soft(-1, 1)
      .help("Middle of the ball, or a point of the plane.");
  table.add(&R::normal, "normal", "Normal")
      .unit("none")
      .soft(-1, 1)
      .enabledWhen("shape", {"plane"})
      .help("Away from the solid side of the plane.");
  table.add(&R::radius, "radius", "Radius")
      .unit("m")
      .hard(1e-9, 1e6)
      .soft(0.001, 1)
      .enabledWhen("shape", {"ball"})
      .help("Of the ball.");
  table.add(&R::velocity, "velocity", "Velocity").unit("m/s").soft(-30, 30).help("When the run begins.");
  table.add(&R::mass, "mass", "Mass")
      .unit("kg")
      .hard(0, 1e9)
      .soft(0, 10)
      .help("What the sheet pushes back on; with 0 the obstacle keeps its velocity.");
  return table;
}

ParameterTable<SheetCrackRecord> crackTable() {
  using R = SheetCrackRecord;
  ParameterTable<R> table;
  table.add(&R::from, "from", "From").unit("m").soft(-1, 1).help("One end, on the sheet.");
  table.add(&R::to, "to", "To").unit("m").soft(-1, 1).help("The other end.");
  return table;
}

void addCrackRows(Table& table) {
  table.section("Cracks");
  table.add(&O::births, "births", "New Cracks")
      .help("Cracks are born where the strength is exceeded; else only those given grow.");
  table.add(&O::cracks, "cracks", "Most New Cracks")
      .unit("none")
      .hard(0, 100000)
      .soft(0, 500)
      .enabledWhen("births", {"on"})
      .help("At most this many are born.");
  table.add(&O::weibull, "weibull", "Weibull Modulus")
      .unit("none")
      .hard(0, 1000)
      .soft(0, 30)
      .help("Scatter of the strength from flaw to flaw: glass has about 7, metal 50; 0 for none.");
  table.add(&O::flawSpacing, "flaw_spacing", "Flaw Spacing")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .enabledWhen("births", {"on"})
      .help("Distance of flaws; 0 for a fiftieth of the sheet.");
  table.add(&O::seed, "seed", "Seed").unit("none").hard(0, 2147483647).soft(0, 100).help("Of the flaws.");
  table.add(&O::grain, "grain", "Grain")
      .unit("none")
      .soft(-1, 1)
      .help("Direction of the grain in the sheet at rest; zero for none.");
  table.add(&O::guideFactor, "guide_factor", "Guide Factor")
      .unit("none")
      .hard(1e-6, 1000)
      .soft(0.01, 1)
      .help("Energy that a crack takes along a guide, as a fraction of that elsewhere.");
  table.addList(&O::initial, "initial", "Initial Cracks", crackTable())
      .help("Straight cuts that are there from the beginning.");
}

void addSceneRows(Table& table) {
  table.section("Scene");
  table.addList(&O::pins, "pin", "Pins", pinTable()).fromPoints("pins").help("Boxes that hold the sheet.");
  table.addList(&O::keys, "key", "Keys", keyTable()).help("Where pins are at times.");
  table.addList(&O::obstacles, "obstacle", "Obstacles", obstacleTable())
      .help("What the sheet runs into, or what runs into it.");
  table.add(&O::pinGroup, "pin_group", "Pinned Group")
      .as(ParameterType::Group)
      .help("Points or polygons of the sheet that stay where they are.");
  table.add(&O::solidGroup, "solid_group", "Unbreakable Group")
      .as(ParameterType::Group)
      .help("Points or polygons of the sheet that no crack enters.");
  table.add(&O::gravity, "gravity", "Gravity")
      .unit("m/s^2")
      .soft(-10, 10)
      .help("Acceleration of everything that is not held.");
  table.add(&O::pressure, "pressure", "Pressure")
      .unit("Pa")
      .hard(-1e12, 1e12)
      .soft(-1e5, 1e5)
      .help("On the sheet, along its normals.");
  table.add(&O::friction, "friction", "Friction")
      .unit("none")
      .hard(0, 10)
      .soft(0, 1)
      .help("Between the sheet and obstacles.");
  table.add(&O::selfContact, "self_contact", "Self Contact")
      .help(
          "The sheet collides with itself, thickness included. Sides of a crack do once they have come apart.");
  table.add(&O::colliderVelocity, "collider_velocity", "Collider Velocity")
      .unit("m/s")
      .soft(-30, 30)
      .help("Of the surfaces on the input colliders, when the run begins. They do not turn.");
  table.add(&O::colliderMass, "collider_mass", "Collider Mass")
      .unit("kg")
      .hard(0, 1e9)
      .soft(0, 10)
      .help(
          "Of the colliders together, as one body that the sheet pushes back on; with 0 they keep their velocity.");
}

void addTimeRows(Table& table) {
  table.section("Resolution");
  table.add(&O::fine, "fine", "Fine Edge")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .help("Length of edges at crack tips, and of a crack's increments; 0 for a hundredth of the sheet.");
  table.add(&O::coarse, "coarse", "Coarse Edge")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help("Length of edges far from anything; 0 for a fifteenth of the sheet.");
  table.add(&O::refineAngle, "refine_angle", "Refine Angle")
      .unit("rad")
      .hard(0.01, 3)
      .soft(0.05, 0.5)
      .help("Angle that bending may make between neighbouring faces of the simulation's mesh.");
  table.section("Time");
  table.add(&O::frames, "frames", "Frames")
      .unit("none")
      .hard(1, 1000000)
      .soft(1, 240)
      .help("How many, after the first, which is the sheet as it was given.");
  table.add(&O::frameTime, "frame_time", "Frame Time")
      .unit("s")
      .hard(1e-9, 1e6)
      .soft(1e-5, 0.1)
      .help("Time from frame to frame; glass breaks within a millisecond and wants slow motion.");
  table.add(&O::step, "step", "Step")
      .unit("s")
      .hard(1e-10, 1e6)
      .soft(1e-6, 1e-2)
      .help("Time step at most; it is reduced where cracks run or a step does not converge.");
  table.add(&O::quasistatic, "quasistatic", "Quasistatic")
      .help("No inertia: the sheet is at rest after each step, and cracks run until they stop.");
  table.add(&O::sequence, "sequence", "Sequence")
      .as(ParameterType::File)
      .help(
          "Files of the frames; # becomes the number. Each is written as soon as it is simulated, with the cracks "
          "known by then, and again at the end with the topology of the last.");
  table.add(&O::state, "state", "State File")
      .as(ParameterType::File)
      .help("Kept after every frame, so that a run that was stopped goes on.");
  table.add(&O::resume, "resume", "Resume")
      .help("Go on from the state file if it is there; the result is that of a run that was never stopped.");
  table.section("Output");
  table.add(&O::thick, "thick", "Thick").help("Closed pieces with walls; else the middle surface alone.");
  table.add(&O::shrink, "shrink", "Shrink Proxies")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .help("Faces of the convex proxies move inwards by this much.");
}

}  // namespace

ParameterTable<SheetOperatorOptions> sheetTable() {
  Table table;
  table.include(&O::material, sheetMaterialTable());
  addCrackRows(table);
  addSceneRows(table);
  addTimeRows(table);
  return table;
}

}  // namespace hackle
