#include <hackle/ops/fracture_output.h>

#include <hackle/core/wanted_outputs.h>
#include <hackle/fracture/proxies.h>
#include <hackle/geometry/piece_levels.h>

#include <algorithm>

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
          "the strength of its own constraint.");
  rows.add(&ConstraintOptions::levelStrength, "level_strength", "Strength By Level")
      .unit("none")
      .hard(0, 1e6)
      .soft(0, 10)
      .help(
          "Factor on the strength from each level of fracture to the next, where pieces were broken again. Above 1 large pieces "
          "come apart first and crumble later.");
  rows.add(&ConstraintOptions::nameLevels, "level_names", "Name By Level")
      .help(
          "Append the level to constraint_name (Glue0, Glue1, ...), so that every level can have a relationship of its own.");
  table.include(&FractureOutputOptions::constraints, rows);
}

void addDetailRows(ParameterTable<CutPieceOptions>& table) {
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
          "the distance to all other faces, so that pieces never cross themselves or each other.");
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
  table.include(&CutPieceOptions::detail, rows);
}

/// Gives the faces of pieces that were broken again the integer attribute level; nothing where there is one
/// level only.
void addPieceLevels(FracturePieces& pieces) {
  std::vector<int> levels;
  for (const std::string& name : pieces.names) levels.push_back(pieceLevel(name));
  if (std::all_of(levels.begin(), levels.end(), [](int level) { return level == 0; })) return;
  Attribute& level = pieces.geometry.addAttribute(Owner::Primitive, Attribute("level", Storage::Int32, 1));
  for (size_t f = 0; f < pieces.primitivePiece.size(); ++f)
    level.setNumber(f, 0, levels[pieces.primitivePiece[f]]);
}

/// Rows of each piece's faces.
ParameterTable<PieceOptions> faceRows() {
  ParameterTable<PieceOptions> table;
  table.section("Faces");
  table.add(&PieceOptions::triangulate, "triangulate", "Triangulate")
      .help("Cut all polygons of more than three corners into triangles.");
  table.add(&PieceOptions::uvScale, "uv_scale", "Inside UV Scale")
      .unit("1/m")
      .hard(1e-9, 1e9)
      .soft(0.01, 100)
      .help("Texture lengths per metre on inside faces.");
  table.add(&PieceOptions::cuspAngle, "cusp_angle", "Inside Cusp Angle")
      .unit("deg")
      .range(0, 180)
      .help("Inside faces that meet at less than this share their normals and look smooth.");
  table.add(&PieceOptions::insideGroup, "inside_group", "Inside Group")
      .help("Group of the new faces. Faces of the input that are in it stay in it.");
  table.add(&PieceOptions::outsideGroup, "outside_group", "Outside Group")
      .help("Group of the faces of the original surface.");
  return table;
}

ParameterTable<PieceOptions> prefixRow() {
  ParameterTable<PieceOptions> table;
  table.section("Pieces");
  table.add(&PieceOptions::prefix, "prefix", "Name Prefix").help("Pieces are named by this and a number.");
  return table;
}

/// The rows that matter when faces are cut; `named`: with that of the names.
ParameterTable<CutPieceOptions> cutRows(bool named) {
  ParameterTable<CutPieceOptions> table;
  if (named) table.include(&CutPieceOptions::pieces, prefixRow());
  table.section("Pieces");
  table.add(&CutPieceOptions::minVolumeShare, "min_volume", "Minimum Volume")
      .unit("none")
      .hard(0, 1)
      .soft(0, 0.01)
      .help(
          "Pieces below this share of the solid's volume join the neighbour that they share the largest face "
          "with.");
  table.include(&CutPieceOptions::pieces, faceRows());
  addDetailRows(table);
  return table;
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
          "the first frame.");
}

}  // namespace

ParameterTable<FractureOutputOptions> fractureOutputTable() {
  ParameterTable<FractureOutputOptions> table;
  table.include(&FractureOutputOptions::cut, cutRows(true));
  addNetworkRows(table);
  return table;
}

ParameterTable<FractureOutputOptions> cutOutputTable() {
  ParameterTable<FractureOutputOptions> table;
  table.include(&FractureOutputOptions::cut, cutRows(false));
  return table;
}

ParameterTable<FractureOutputOptions> gluedOutputTable() {
  ParameterTable<CutPieceOptions> names;
  names.include(&CutPieceOptions::pieces, prefixRow());
  ParameterTable<FractureOutputOptions> table;
  table.include(&FractureOutputOptions::cut, names);
  addNetworkRows(table);
  return table;
}

std::vector<Port> fractureOutputPorts() {
  return {
      {"geometry", "Pieces",
       "Closed pieces by the primitive attribute name, with the groups inside and outside; with the level of each where pieces "
       "were broken again."},
      {"constraints", "Constraints",
       "A line between the centres of every two pieces that touch: constraint_name, constraint_type, "
       "strength, area, length, and level where pieces were broken again; name on the points.",
       PortType::Geometry, true},
      {"proxies", "Proxies", "The convex hull of every piece, for collisions.", PortType::Geometry, true}};
}

Outputs fractureOutputs(double volume, FracturePieces pieces, const FractureOutputOptions& options,
                        const std::string& insideGroup, Context& context) {
  enum OutputIndex : size_t { kPieces, kConstraints, kProxies };
  std::vector<Item> items(3);
  if (isOutputWanted(context, kConstraints))
    items[kConstraints] = constraintNetwork(pieces, options.constraints);
  if (isOutputWanted(context, kProxies)) {
    const Context::Stage stage(context, "proxies", 0.1);
    items[kProxies] = convexProxies(pieces, options.shrink, context);
  }
  const Context::Stage stage(context, "report", 0.1);
  Value report = pieceReport(volume, pieces, context, insideGroup);
  report.set("constraints", pieces.contacts.size());
  addPieceLevels(pieces);
  items[kPieces] = std::move(pieces.geometry);
  return Outputs(std::move(items), std::move(report));
}

Outputs fractureOutputs(double volume, FractureResult result, const FractureOutputOptions& options,
                        Context& context) {
  if (result.held) context.warn(result.held->reason);
  Outputs outputs =
      fractureOutputs(volume, std::move(result.pieces), options, options.cut.pieces.insideGroup, context);
  for (const auto& [name, value] : result.report.asMap()) outputs.result.set(name, value);
  return outputs;
}

Outputs fractureOutputs(const Solid& solid, FractureResult result, const FractureOutputOptions& options,
                        Context& context) {
  return fractureOutputs(solid.mass.volume, std::move(result), options, context);
}

}  // namespace hackle
