#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/ops/catalogue.h>

namespace hackle {

namespace {

struct ModelOptions {
  ShapeOptions shape;
  double size = 0.0;  // m; 0: natural
};

Outputs model(const Inputs&, const ModelOptions& options, Context& context) {
  ShapeOptions shape = options.shape;
  if (options.size > 0) shape.size = options.size;
  Geometry geometry = makeShape(shape, context);
  Context::Stage stage(context, "check");
  const Topology topology = analyseTopology(geometry, context);
  Value result;
  result.set("points", geometry.pointCount());
  result.set("primitives", geometry.primitiveCount());
  result.set("closed", topology.closed);
  result.set("manifold", topology.manifold);
  result.set("volume", massProperties(triangleMesh(geometry), context).volume);
  return Outputs({geometry}, result);
}

using Row = ParameterRow;

/// A pure number for some shapes only.
template <class T>
Row ratio(ParameterTable<ShapeOptions>& table, T ShapeOptions::*member, const char* name, const char* label,
          std::vector<std::string> shapes) {
  return table.add(member, name, label).unit("none").enabledWhen("shape", std::move(shapes));
}

void addVesselRows(ParameterTable<ShapeOptions>& table) {
  ratio(table, &ShapeOptions::wall, "wall", "Wall", {"bowl", "goblet", "plate", "vase", "bottle"})
      .hard(0.01, 1)
      .soft(0.02, 0.2)
      .help("Thickness of the wall, as a fraction of the vessel's largest radius.");
  ratio(table, &ShapeOptions::bowlDepth, "bowl_depth", "Bowl Depth", {"bowl"})
      .hard(0.1, 2)
      .soft(0.2, 1)
      .help("Height of the bowl over its diameter.");
  ratio(table, &ShapeOptions::stem, "stem", "Stem", {"goblet"})
      .range(0.2, 0.6)
      .help("Height of the stem over the height of the goblet.");
}

void addColumnRows(ParameterTable<ShapeOptions>& table) {
  ratio(table, &ShapeOptions::slenderness, "slenderness", "Slenderness", {"column"})
      .hard(2, 30)
      .soft(4, 12)
      .help("Height of the column over the lower diameter of its shaft.");
  ratio(table, &ShapeOptions::flutes, "flutes", "Flutes", {"column"})
      .hard(0, 100)
      .soft(0, 32)
      .help("Number of flutes of the shaft; 0 leaves it smooth.");
  ratio(table, &ShapeOptions::fluteDepth, "flute_depth", "Flute Depth", {"column"})
      .hard(0, 0.3)
      .soft(0, 0.15)
      .help("Depth of the flutes, as a fraction of the shaft's radius.");
}

void addTubeRows(ParameterTable<ShapeOptions>& table) {
  ratio(table, &ShapeOptions::tubeRatio, "tube_ratio", "Tube Ratio", {"torus"})
      .hard(0.02, 0.95)
      .soft(0.1, 0.8)
      .help("Radius of the tube over the radius of its centre line.");
  ratio(table, &ShapeOptions::linkWidth, "link_width", "Link Width", {"link"})
      .hard(0.1, 1)
      .soft(0.45, 1)
      .help("Width of the chain link over its length.");
  ratio(table, &ShapeOptions::wire, "wire", "Wire", {"link"})
      .hard(0.02, 0.5)
      .soft(0.05, 0.3)
      .help("Diameter of the wire over the length of the link.");
  ratio(table, &ShapeOptions::knotP, "knot_p", "Knot P", {"knot"})
      .hard(1, 12)
      .soft(1, 7)
      .help("How often the knot goes around its axis. 2 and 3 make a trefoil.");
  ratio(table, &ShapeOptions::knotQ, "knot_q", "Knot Q", {"knot"})
      .hard(1, 24)
      .soft(1, 9)
      .help("How often the knot winds around its ring. P and Q have no common divisor.");
  ratio(table, &ShapeOptions::knotTube, "knot_tube", "Knot Tube", {"knot"})
      .hard(0.05, 0.95)
      .soft(0.2, 0.9)
      .help("Radius of the tube, as a fraction of that of the thickest tube that does not touch itself.");
}

void addBarRows(ParameterTable<ShapeOptions>& table) {
  ratio(table, &ShapeOptions::barHeight, "bar_height", "Bar Height", {"notched_bar"})
      .hard(0.02, 1)
      .soft(0.1, 0.4)
      .help("Height of the bar over its length.");
  ratio(table, &ShapeOptions::barDepth, "bar_depth", "Bar Depth", {"notched_bar"})
      .hard(0.01, 1)
      .soft(0.05, 0.4)
      .help("Depth of the bar, across the bending plane, over its length.");
  table.add(&ShapeOptions::notch, "notch", "Notch")
      .menu({{"v", "V, Sharp"}, {"u", "U, Round"}})
      .enabledWhen("shape", {"notched_bar"})
      .help("Shape of the notch in the middle of the bottom: sharp, or with parallel sides and a round end.");
  ratio(table, &ShapeOptions::notchDepth, "notch_depth", "Notch Depth", {"notched_bar"})
      .hard(0.02, 0.9)
      .soft(0.1, 0.6)
      .help("Depth of the notch over the height of the bar.");
  ratio(table, &ShapeOptions::notchWidth, "notch_width", "Notch Width", {"notched_bar"})
      .hard(0.005, 1)
      .soft(0.02, 0.4)
      .help("Width of the notch at its mouth over the height of the bar.");
  ratio(table, &ShapeOptions::span, "span", "Span", {"notched_bar"})
      .hard(0.1, 0.98)
      .soft(0.5, 0.95)
      .help(
          "Distance of the supports over the length of the bar. They are the groups support_left and "
          "support_right; the load is the group load, above the notch.");
}

void addOtherRows(ParameterTable<ShapeOptions>& table) {
  ratio(table, &ShapeOptions::paneWidth, "pane_width", "Pane Width", {"pane"})
      .hard(0.05, 1)
      .soft(0.2, 1)
      .help("Width of the pane over its height.");
  ratio(table, &ShapeOptions::paneThickness, "pane_thickness", "Pane Thickness", {"pane"})
      .hard(0.0005, 0.2)
      .soft(0.002, 0.05)
      .help("Thickness of the pane over its height.");
  ratio(table, &ShapeOptions::teeth, "teeth", "Teeth", {"gear"})
      .hard(6, 200)
      .soft(8, 40)
      .help("Number of the gear's teeth.");
  ratio(table, &ShapeOptions::toothDepth, "tooth_depth", "Tooth Depth", {"gear"})
      .hard(0.01, 0.5)
      .soft(0.05, 0.3)
      .help("Height of a tooth over the outer radius of the gear.");
  ratio(table, &ShapeOptions::bore, "bore", "Bore", {"gear"})
      .hard(0.02, 0.95)
      .soft(0.1, 0.6)
      .help("Radius of the hole in the middle over the outer radius of the gear.");
  ratio(table, &ShapeOptions::gearThickness, "gear_thickness", "Gear Thickness", {"gear"})
      .hard(0.01, 2)
      .soft(0.05, 1)
      .help("Thickness of the gear over its outer radius.");
  ratio(table, &ShapeOptions::steps, "steps", "Steps", {"stairs"})
      .hard(1, 100)
      .soft(2, 16)
      .help("Number of steps, each 0.17 m high and 0.28 m deep at natural size.");
  table.add(&ShapeOptions::stairsWidth, "stairs_width", "Stairs Width")
      .unit("m")
      .hard(0.05, 50)
      .soft(0.5, 4)
      .enabledWhen("shape", {"stairs"})
      .help("Width of the stairs at natural size.");
  ratio(table, &ShapeOptions::neck, "neck", "Neck", {"dumbbell"})
      .hard(0.05, 0.9)
      .soft(0.1, 0.7)
      .help("Radius of the bar over the radius of a ball.");
  ratio(table, &ShapeOptions::cores, "cores", "Cores", {"brick"})
      .hard(0, 20)
      .soft(0, 6)
      .help("Number of holes through the brick from top to bottom.");
}

ParameterTable<ShapeOptions> shapeTable() {
  ParameterTable<ShapeOptions> table;
  table.section("Shape");
  table.add(&ShapeOptions::shape, "shape", "Shape")
      .menu({{"box", "Box"},          {"sphere", "Sphere"},
             {"torus", "Torus"},      {"bowl", "Bowl"},
             {"goblet", "Goblet"},    {"column", "Column"},
             {"link", "Chain Link"},  {"notched_bar", "Notched Bar"},
             {"pane", "Window Pane"}, {"plate", "Plate"},
             {"gear", "Gear"},        {"stairs", "Stairs"},
             {"knot", "Knot"},        {"figure", "Figure"},
             {"bunny", "Bunny"},      {"vase", "Vase"},
             {"bottle", "Bottle"},    {"dumbbell", "Dumbbell"},
             {"bone", "Bone"},        {"brick", "Brick"}})
      .help("What to make.");
  table.add(&ShapeOptions::resolution, "resolution", "Resolution")
      .unit("none")
      .hard(4, 2000)
      .soft(10, 300)
      .help(
          "How fine the surface is: about 6 times its square is the number of faces, whatever the shape. A "
          "cube has this many quads along each edge. Shapes have as many faces as they need even when this "
          "is low.");
  table.add(&ShapeOptions::centre, "centre", "Centre")
      .help("Put the middle of the bounding box at the origin. Off, the shape stands on the ground, y = 0.");
  ratio(table, &ShapeOptions::proportions, "proportions", "Proportions", {"box"})
      .hard(0, std::nullopt)
      .soft(0.1, 1)
      .help("Relative width, height and depth of the box; the largest of them becomes the size.");
  addVesselRows(table);
  addColumnRows(table);
  addTubeRows(table);
  addBarRows(table);
  addOtherRows(table);
  return table;
}

}  // namespace

Operator modelOperator() {
  Operator op;
  op.id = "model";
  op.label = "Model";
  op.summary = "Make a closed shape to break";
  op.help =
      "Every shape is a closed, outward-oriented 2-manifold of quads and a few triangles, with a texture map "
      "(vertex attribute uv, charts side by side in the unit square) and a primitive group for each of its "
      "parts: the sides of a box, the bowl, stem and foot of a goblet, the supports of a bar.\n\n"
      "Shapes come in their natural size in metres (a goblet of 0.2 m, a column of 3 m) unless a size is "
      "given. The parameters of a shape are ratios of its dimensions, so that it keeps its form at any size. "
      "The y axis points up; shapes stand on the ground at y = 0.";
  op.category = "Geometry";
  op.examples = {"model goblet -o goblet.bgeo", "model figure --resolution 120 --size 1.8 -o figure.bgeo",
                 "model knot --knot-p 2 --knot-q 5 -o knot.obj"};
  op.outputs = {{"geometry", "Geometry", "The shape."}};
  ParameterTable<ModelOptions> table;
  table.section("Shape");
  table.include(&ModelOptions::shape, shapeTable());
  table.add(&ModelOptions::size, "size", "Size")
      .unit("m")
      .hard(0, 1e5)
      .soft(0, 10)
      .help("Largest dimension of the shape. 0 keeps its natural size.");
  op.bind(table, model);
  return op;
}

}  // namespace hackle
