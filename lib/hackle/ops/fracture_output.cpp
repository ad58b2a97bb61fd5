#include <hackle/ops/fracture_output.h>

#include <hackle/fracture/proxies.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>

namespace hackle {

namespace {

void addConstraintRows(ParameterTable<FractureOutputOptions>& table) {
  ParameterTable<ConstraintOptions> rows;
  rows.section("Constraints");
  rows.add(&ConstraintOptions::name, "constraint_name", "Constraint Name")
      .help("Value of constraint_name: the relationship in the simulation that holds the pieces together.");
  rows.add(&ConstraintOptions::type, "constraint_type", "Constraint Type")
      .menu({{"all", "All"}, {"position", "Position"}, {"rotation", "Rotation"}})
      .help("Value of constraint_type: what the constraints hold.");
  rows.add(&ConstraintOptions::strength, "constraint_strength", "Strength")
      .unit("1/m^2")
      .hard(0, 1e12)
      .soft(0, 1000)
      .help(
          "Strength of a constraint is this times the area of the common face. Houdini multiplies it with "
          "the "
          "strength of its own constraint.");
  table.include(&FractureOutputOptions::constraints, rows);
}

void addDetailRows(ParameterTable<FractureOutputOptions>& table) {
  ParameterTable<DetailOptions> rows;
  rows.section("Interior Detail");
  rows.add(&DetailOptions::size, "detail_size", "Detail Size")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .help("Length of the edges on rough inside faces; 0 keeps them flat.");
  rows.add(&DetailOptions::amount, "detail_amount", "Detail Amount")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .help(
          "Greatest height of the roughness. It vanishes at the rim of a face and stays below a quarter of "
          "the "
          "distance to all other faces, so that pieces never cross themselves or each other.");
  rows.add(&DetailOptions::scale, "detail_scale", "Feature Size")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help("Size of the largest bumps; 0 takes eight times the detail size.");
  rows.add(&DetailOptions::roughness, "detail_roughness", "Roughness")
      .unit("none")
      .range(0, 1)
      .help("How strong finer bumps are, relative to those of twice their size.");
  rows.add(&DetailOptions::seed, "detail_seed", "Detail Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives other bumps.");
  table.include(&FractureOutputOptions::detail, rows);
}

void addFaceRows(ParameterTable<FractureOutputOptions>& table) {
  table.add(&FractureOutputOptions::minVolume, "min_volume", "Minimum Volume")
      .unit("none")
      .hard(0, 1)
      .soft(0, 0.01)
      .help(
          "Pieces below this share of the solid's volume join the neighbour that they share the largest face "
          "with.");
  table.section("Faces");
  table.add(&FractureOutputOptions::triangulate, "triangulate", "Triangulate")
      .help("Cut all polygons of more than three corners into triangles.");
  table.add(&FractureOutputOptions::uvScale, "uv_scale", "Inside UV Scale")
      .unit("1/m")
      .hard(1e-9, 1e9)
      .soft(0.01, 100)
      .help("Texture lengths per metre on inside faces.");
  table.add(&FractureOutputOptions::cuspAngle, "cusp_angle", "Inside Cusp Angle")
      .unit("deg")
      .range(0, 180)
      .help("Inside faces that meet at less than this share their normals and look smooth.");
  table.add(&FractureOutputOptions::insideGroup, "inside_group", "Inside Group")
      .help("Group of the new faces. Faces of the input that are in it stay in it.");
  table.add(&FractureOutputOptions::outsideGroup, "outside_group", "Outside Group")
      .help("Group of the faces of the original surface.");
  addDetailRows(table);
}

void addPrefixRow(ParameterTable<FractureOutputOptions>& table) {
  table.section("Pieces");
  table.add(&FractureOutputOptions::prefix, "prefix", "Name Prefix")
      .help("Pieces are named by this and a number.");
}

void addNetworkRows(ParameterTable<FractureOutputOptions>& table) {
  addConstraintRows(table);
  table.section("Proxies");
  table.add(&FractureOutputOptions::shrink, "proxy_shrink", "Shrink")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .help(
          "Moves the faces of the convex proxies inwards, so that neighbours do not overlap and fly apart on "
          "the "
          "first frame.");
}

}  // namespace

ParameterTable<FractureOutputOptions> fractureOutputTable() {
  ParameterTable<FractureOutputOptions> table;
  addPrefixRow(table);
  addFaceRows(table);
  addNetworkRows(table);
  return table;
}

ParameterTable<FractureOutputOptions> cutOutputTable() {
  ParameterTable<FractureOutputOptions> table;
  table.section("Pieces");
  addFaceRows(table);
  return table;
}

ParameterTable<FractureOutputOptions> gluedOutputTable() {
  ParameterTable<FractureOutputOptions> table;
  addPrefixRow(table);
  addNetworkRows(table);
  return table;
}

std::vector<Port> fractureOutputPorts() {
  return {
      {"geometry", "Pieces",
       "Closed pieces by the primitive attribute name, with the groups inside and outside."},
      {"constraints", "Constraints",
       "A line between the centres of every two pieces that touch: constraint_name, constraint_type, "
       "strength, "
       "area, length; name on the points.",
       PortType::Geometry, true},
      {"proxies", "Proxies", "The convex hull of every piece, for collisions.", PortType::Geometry, true}};
}

PieceOptions pieceOptions(const FractureOutputOptions& options, double volume) {
  PieceOptions result;
  result.prefix = options.prefix;
  result.insideGroup = options.insideGroup;
  result.outsideGroup = options.outsideGroup;
  result.triangulate = options.triangulate;
  result.uvScale = options.uvScale;
  result.cuspAngle = options.cuspAngle;
  result.minVolume = options.minVolume * volume;
  return result;
}

Outputs fractureOutputs(double volume, FracturePieces pieces, const FractureOutputOptions& options,
                        const std::string& insideGroup, Context& context) {
  Geometry network = constraintNetwork(pieces, options.constraints), proxies;
  {
    const Context::Stage stage(context, "proxies", 0.1);
    proxies = convexProxies(pieces, options.shrink, context);
  }
  const Context::Stage stage(context, "report", 0.1);
  Value report = pieceReport(volume, pieces, context, insideGroup);
  report.set("constraints", network.primitiveCount());
  return Outputs({std::move(pieces.geometry), std::move(network), std::move(proxies)}, std::move(report));
}

Outputs fractureOutputs(const Geometry& solid, FracturePieces pieces, const FractureOutputOptions& options,
                        Context& context) {
  {
    const Context::Stage stage(context, "depth", 0.1);
    addDepth(pieces.geometry, solid, options.insideGroup, context);
  }
  return fractureOutputs(massProperties(triangleMesh(solid), context).volume, std::move(pieces), options,
                         options.insideGroup, context);
}

}  // namespace hackle
