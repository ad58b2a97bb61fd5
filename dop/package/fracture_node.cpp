#include <dop/package/fracture_node.h>
#include <hackle/core/error.h>
#include <sop/package/help_card.h>

namespace hackle::houdini {

const char* const kFractureNodeName = "hackle_fracture";

namespace {

using Options = FractureNodeOptions;

ParameterTable<Options> table() {
  ParameterTable<Options> table;
  table.include(&Options::hosted, hostedTable());
  table.section("Data");
  table.add(&Options::geometry, "geometry", "Geometry").help("Name of the data with the packed pieces.");
  table.add(&Options::constraints, "constraints", "Constraints")
      .help(
          "Name of the data with constraints of the pieces; they go to the new ones. Constraint networks that "
          "are relationships of the object are found by themselves, with their Match by Attribute. Empty: "
          "constraints stay as they are.");
  table.add(&Options::analysis, "analysis", "Impact Analysis")
      .help(
          "Reads the data ImpactAnalysis in place of Impacts. For a node on the pre-solve, as inside the RBD "
          "Bullet Solver: pieces then break one step after the impact.");
  table.add(&Options::feedback, "feedback", "Use Feedback")
      .help(
          "Reads the data Feedback, too: impacts on this object that solvers of other objects found. For "
          "objects of different solvers; those of one solver would count impacts twice.");
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
        "RBD Bullet Solver and use Impact Analysis. Pieces that an impact or a resting load breaks are "
        "replaced by new packed pieces with the motion that the old one had before the step, with its mass "
        "and its attributes, and with names of their own: piece3 becomes piece3-0, piece3-1 and so on.\n\n"
        "What the node remembers is data of the object (HackleState), so the simulation can be cached and "
        "rewound.";
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
