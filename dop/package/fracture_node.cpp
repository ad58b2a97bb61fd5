#include <dop/package/fracture_node.h>
#include <hackle/core/error.h>
#include <sop/package/help_card.h>

namespace hackle::houdini {

const char* const kFractureNodeName = "hackle_fracture";

namespace {

using Options = FractureNodeOptions;

void addDecision(ParameterTable<Options>& table) {
  table.section("Breaking");
  table.add(&Options::minImpulse, "min_impulse", "Minimum Impulse")
      .unit("N s")
      .hard(0, {})
      .soft(0, 100)
      .help(
          "Weaker impacts are not tried. The point attribute hackle_min_impulse takes precedence. The engine "
          "has "
          "the last word.");
  table.add(&Options::minForce, "min_force", "Minimum Force")
      .unit("N")
      .hard(0, {})
      .soft(0, 10000)
      .help(
          "Smaller forces are not tried; with a minimum impulse, either is enough. The point attribute "
          "hackle_min_force takes precedence.");
  table.add(&Options::minVolume, "min_volume", "Minimum Volume")
      .unit("m^3")
      .hard(0, {})
      .soft(0, 0.1)
      .help("Smaller pieces stay whole. The point attribute hackle_min_volume takes precedence.");
  table.add(&Options::delay, "delay", "Delay")
      .unit("s")
      .hard(0, {})
      .soft(0, 1)
      .help("Time that new pieces stay whole, so that one impact does not run through all of them.");
  table.add(&Options::resting, "resting", "Resting Loads")
      .help("Weight on a body, its own weight and its spin may break it, too.");
  table.add(&Options::maxPieces, "max_pieces", "Maximum Pieces")
      .unit("none")
      .hard(0, {})
      .soft(0, 2000)
      .help("Of the object, all together; 0: no limit.");
  table.add(&Options::seed, "seed", "Seed").unit("none").hard(0, {}).soft(0, 100).help("Of random numbers.");
}

ParameterTable<Options> table() {
  ParameterTable<Options> table;
  table.section("Engine");
  table.add(&Options::engine, "engine", "Engine")
      .help(
          "Name of the operator that breaks pieces, such as voronoi or cvd. The point attribute "
          "hackle_engine takes "
          "precedence; an empty one keeps a piece whole.");
  table.add(&Options::engineParameters, "engine_parameters", "Engine Parameters")
      .help(
          "Parameters of the engine as name=value with spaces between, such as pieces=20. The point "
          "attribute "
          "hackle_engine_parameters adds to them.");
  addDecision(table);
  table.section("Material");
  table.add(&Options::density, "density", "Density")
      .unit("kg/m^3")
      .hard(1e-6, {})
      .soft(100, 10000)
      .help("Of pieces that have neither mass nor density as point attributes.");
  table.add(&Options::young, "young", "Young's Modulus")
      .unit("Pa")
      .hard(1e-6, {})
      .soft(1e6, 1e11)
      .help("Stiffness.");
  table.add(&Options::poisson, "poisson", "Poisson's Ratio")
      .unit("none")
      .hard(-0.99, 0.49)
      .soft(0, 0.45)
      .help("Contraction across a pull.");
  table.add(&Options::strength, "strength", "Strength")
      .unit("Pa")
      .hard(1e-6, {})
      .soft(1e5, 1e9)
      .help("Tensile stress at which cracks start.");
  table.add(&Options::toughness, "toughness", "Toughness")
      .unit("Pa m^(1/2)")
      .hard(1e-6, {})
      .soft(1e4, 1e7)
      .help("Resistance to the growth of cracks.");
  table.add(&Options::restitution, "restitution", "Restitution")
      .unit("none")
      .range(0, 1)
      .help("Of an impact; the point attribute bounce takes precedence.");
  table.section("Data");
  table.add(&Options::geometry, "geometry", "Geometry").help("Name of the data with the packed pieces.");
  table.add(&Options::constraints, "constraints", "Constraints")
      .help(
          "Name of the data with constraints of the pieces; they go to the new ones. Constraint networks that "
          "are relationships of the object are found by themselves. Empty: constraints stay as they are.");
  table.add(&Options::fragmentConstraint, "fragment_constraint", "Fragment Constraint")
      .help(
          "Constrains the fragments of a piece to each other where they touch: the data name of the "
          "relationship that does it, such as Glue or Soft. Empty: fragments are free.");
  table.add(&Options::fragmentStrength, "fragment_strength", "Fragment Strength")
      .unit("1/m^2")
      .hard(0, {})
      .soft(0, 1e5)
      .help("Primitive attribute strength of these constraints, for each square metre of their common face.");
  table.add(&Options::analysis, "analysis", "Impact Analysis")
      .help(
          "Reads the data ImpactAnalysis in place of Impacts. For a node on the pre-solve, as inside the RBD "
          "Bullet Solver: pieces then break one step after the impact.");
  table.add(&Options::feedback, "feedback", "Use Feedback")
      .help(
          "Reads the data Feedback, too: impacts on this object that solvers of other objects found. For "
          "objects of different solvers; those of one solver would count impacts twice.");
  table.add(&Options::gravity, "gravity", "Gravity")
      .unit("m/s^2")
      .hard(0, {})
      .soft(0, 20)
      .help("Contacts slower than two steps of free fall rest.");
  table.add(&Options::worldScale, "world_scale", "World Scale")
      .unit("none")
      .hard(1e-6, {})
      .soft(0.01, 100)
      .help("The Bullet solver's World Scale: lengths in the simulation for each metre.");
  table.add(&Options::timeScale, "time_scale", "Time Scale")
      .unit("none")
      .hard(1e-6, {})
      .soft(0.01, 10)
      .help("The Bullet solver's Time Scale: its steps are this many times as long as those of the network.");
  return table;
}

}  // namespace

const Operator& fractureNode() {
  static const Operator* node = [] {
    auto* op = new Operator;
    op->id = kFractureNodeName;
    op->label = "Fracture";
    op->summary = "Breaks packed pieces where the rigid body solver reports impacts";
    op->help =
        "Wire it to the post-solve input of a Rigid Body Solver, with Add Impact Data on, or dive into an "
        "RBD Bullet "
        "Solver and use Impact Analysis. Pieces that an impact or a resting load breaks are replaced by new "
        "packed "
        "pieces with the motion that the old one had before the step, with its mass and its attributes, and "
        "with "
        "names of their own: piece3 becomes piece3-0, piece3-1 and so on.\n\nWhat the node remembers is data "
        "of the "
        "object (HackleState), so the simulation can be cached and rewound.";
    op->category = "Fracture";
    op->parameters = table().rows();
    op->makeOptions = [] { return std::make_shared<Options>(); };
    return op;
  }();
  return *node;
}

FractureNodeOptions fractureNodeOptions(const Value::Map& given) {
  const Operator& node = fractureNode();
  const Value::Map values = checkedValues(node.parameters, given, node.label);
  FractureNodeOptions options;
  for (const Parameter& row : node.parameters)
    row.store(&options, values[&row - node.parameters.data()].second);
  return options;
}

std::string fractureNodeCard() { return simulationCard(fractureNode()); }

}  // namespace hackle::houdini
