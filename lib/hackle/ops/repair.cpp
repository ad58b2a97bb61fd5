#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/repair/repair.h>
#include <hackle/ops/catalogue.h>

namespace hackle {

namespace {

Outputs repair(const Inputs& inputs, const RepairOptions& options, Context& context) {
  RepairResult repaired = repairSolid(inputs.geometry(0), options, context);
  const Topology topology = analyseTopology(repaired.geometry, context);
  Value result;
  result.set("changed", !repaired.steps.empty());
  Value::List steps;
  for (const RepairStep& step : repaired.steps) {
    Value entry;
    entry.set("action", repairActionName(step.action));
    entry.set("count", step.count);
    entry.set("message", step.message);
    entry.set("primitives", Value::listOf(step.primitives));
    Value::List places;
    for (const Vec3& place : step.places) places.push_back(Value::numbers(place));
    entry.set("places", std::move(places));
    steps.push_back(std::move(entry));
  }
  result.set("steps", std::move(steps));
  result.set("faces", topology.faces);
  result.set("points", topology.points);
  result.set("shells", topology.components);
  result.set("closed", topology.closed);
  result.set("manifold", topology.manifold);
  result.set("volume", massProperties(triangleMesh(repaired.geometry), context).volume);
  return Outputs({std::move(repaired.geometry)}, std::move(result));
}

}  // namespace

Operator repairOperator() {
  Operator op;
  op.id = "repair";
  op.label = "Repair";
  op.summary = "Make a closed, oriented solid of a dirty mesh";
  op.help =
      "Joins points of open edges that lie on each other, drops degenerate and repeated faces and walls "
      "without thickness, turns faces outwards, separates surfaces that touch along an edge or at a point, "
      "and sorts nested shells into solids and cavities. Each step gives a warning that says what was done "
      "to which faces; a clean mesh comes back unchanged.\n\n"
      "By default only what is certain is done: the same checks run on the input of every fracture operator. "
      "Holes are filled on request; the new faces are in the primitive group filled. What cannot be repaired "
      "is refused with its place, or made anew from a level set with resurface: slower, rounds edges to the "
      "voxel size, but takes any soup of triangles that looks closed from afar.\n\n"
      "Primitives with different name attributes are taken as different solids that may touch or lie in each "
      "other.";
  op.category = "Geometry";
  op.examples = {"repair scan.obj -o solid.bgeo", "repair scan.obj --fill-holes 200 -o solid.bgeo",
                 "repair soup.stl --resurface --voxel-size 0.01 -o solid.bgeo"};
  op.inputs = {{"geometry", "Geometry", "Polygons in any state."}};
  op.outputs = {{"geometry", "Solid", "A closed surface."}};
  using O = RepairOptions;
  ParameterTable<O> table;
  table.section("Faces");
  table.add(&O::weldTolerance, "weld", "Weld Tolerance")
      .unit("none")
      .hard(0, 0.1)
      .soft(0, 0.001)
      .help(
          "Points of open edges no farther apart than this are joined where that closes the edges; relative "
          "to the diagonal of the bounding box. 0 joins points at exactly the same place only.");
  table.add(&O::orient, "orient", "Orient Faces")
      .help("Turn faces so that neighbours agree and outside is outside. Off: such faces are refused.");
  table.add(&O::keepCavities, "keep_cavities", "Keep Cavities")
      .help("Keep inward shells inside of a solid as cavities. Off: the solid is filled.");
  table.add(&O::allowCrossings, "allow_crossings", "Allow Crossings")
      .help(
          "Do not look for surfaces that cross themselves or each other. Off: they are refused or "
          "resurfaced.");
  table.section("Holes");
  table.add(&O::fillHoles, "fill_holes", "Fill Holes")
      .unit("none")
      .hard(0, 1000000)
      .soft(0, 1000)
      .help("Fill holes with up to this many edges. 0 fills none.");
  table.add(&O::fillDiameter, "fill_diameter", "Largest Hole")
      .unit("none")
      .hard(0, 1)
      .soft(0, 1)
      .help("Leave larger holes open; relative to the diagonal of the bounding box.");
  table.section("Resurfacing");
  table.add(&O::resurface, "resurface", "Resurface")
      .help(
          "Make what cannot be repaired anew from a level set whose inside is where the winding number "
          "says.");
  table.add(&O::voxelSize, "voxel_size", "Voxel Size")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.001, 0.1)
      .enabledWhen("resurface", {"on"})
      .help("Edge of the level set's voxels. Not set: 1/150 of the diagonal of the bounding box.");
  op.bind(table, repair);
  return op;
}

}  // namespace hackle
