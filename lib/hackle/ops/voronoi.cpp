#include <hackle/fracture/voronoi/voronoi_engine.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/piece_choice.h>
#include <hackle/ops/recipes.h>

namespace hackle {

namespace {

struct VoronoiOperatorOptions {
  std::string recipe = "custom";
  VoronoiOptions engine;
  uint64_t seed = 0;
  PieceChoice choice;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kSites, kClusters, kDensity };

VoronoiEngine engineOf(const Inputs& inputs, const VoronoiOperatorOptions& options) {
  VoronoiOptions engine = options.engine;
  if (inputs.has(kSites)) {
    const Span<const Vec3> sites = inputs.geometry(kSites).positions();
    if (sites.empty()) throw Error(ErrorCode::BadInput, "there are no points on the input of sites");
    engine.sites.assign(sites.begin(), sites.end());
  }
  if (inputs.has(kDensity)) engine.density.grid = firstGrid(inputs.geometry(kDensity), "densities");
  engine.cut = options.output.cut;
  return VoronoiEngine(std::move(engine));
}

std::unique_ptr<FractureEngine> makeEngine(const Inputs& inputs, const VoronoiOperatorOptions& options,
                                           Context&) {
  return std::make_unique<VoronoiEngine>(engineOf(inputs, options));
}

Outputs fracture(const Inputs& inputs, const VoronoiOperatorOptions& options, Context& context) {
  const VoronoiEngine engine = engineOf(inputs, options);
  const Geometry& input = inputs.geometry(kSolid);
  LoadCase load;
  load.seed = options.seed;
  if (std::optional<Outputs> outputs =
          fractureChosenPieces(engine, input, options.choice, load, options.output, context))
    return std::move(*outputs);
  const SolidPtr solid = solidOf(input, context);
  const EngineStatePtr state = engine.prepare(solid, context);
  return fractureOutputs(*solid, engine.fracture(*solid, *state, load, context), options.output, context);
}

ParameterTable<SiteCluster> clusterTable() {
  ParameterTable<SiteCluster> table;
  table.add(&SiteCluster::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Centre of the cluster.");
  table.add(&SiteCluster::radius, "radius", "Radius")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .fromAttribute("radius")
      .help("Standard deviation of the distance along each axis.");
  return table;
}

ParameterTable<Paint> densityRow() {
  ParameterTable<Paint> table;
  table.section("Sites");
  table.add(&Paint::attribute, "density", "Density Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the solid: places get sites in proportion to its value at the nearest place of "
          "the surface. A VDB on the input of densities takes precedence.");
  return table;
}

ParameterTable<VoronoiOptions> pieceRow() {
  ParameterTable<VoronoiOptions> table;
  table.section("Sites");
  table.add(&VoronoiOptions::pattern, "pattern", "Pattern")
      .menu({{"scattered", "Scattered"}, {"radial", "Spokes and Rings"}})
      .help(
          "Scattered: at random, by density and clusters. Radial: on spokes and rings around every cluster, closer towards it, as "
          "panes break; around the middle of the solid's box if there is no cluster.");
  table.add(&VoronoiOptions::pieces, "pieces", "Pieces")
      .unit("none")
      .hard(1, 1000000)
      .soft(1, 1000)
      .help(
          "Number of sites to scatter. A cell that meets the solid in several places gives several pieces.");
  return table;
}

ParameterTable<VoronoiOptions> siteRows() {
  ParameterTable<VoronoiOptions> table;
  table.section("Sites");
  table.addList(&VoronoiOptions::clusters, "cluster", "Clusters", clusterTable())
      .fromPoints("clusters")
      .help("Places where sites crowd, such as points of impact.");
  table.add(&VoronoiOptions::clustered, "clustered", "Clustered Share")
      .unit("none")
      .range(0, 1)
      .help("Share of the sites that go to the clusters; the others are scattered evenly.");
  table.include(&VoronoiOptions::density, densityRow());
  table.add(&VoronoiOptions::relaxation, "relaxation", "Relaxation")
      .unit("none")
      .hard(0, 1000)
      .soft(0, 20)
      .help("Steps that move each site to the middle of its cell: pieces become more equal and rounder.");
  table.add(&VoronoiOptions::stretch, "stretch", "Stretch")
      .unit("none")
      .hard(1e-3, 1e3)
      .soft(0.1, 10)
      .help("Lengthens pieces along each axis, for wood or layered rock.");
  table.add(&VoronoiOptions::grain, "grain", "Grain")
      .unit("none")
      .soft(-1, 1)
      .help("Direction of splinters, of any length; 0 takes the longest side of the solid's box.");
  table.add(&VoronoiOptions::splinter, "splinter", "Splinter")
      .unit("none")
      .hard(0.01, 100)
      .soft(1, 20)
      .help("Lengthens pieces along the grain by this factor.");
  table.add(&VoronoiOptions::reach, "reach", "Reach")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 10)
      .help(
          "What is farther from all clusters than this stays one piece, without chips; 0 breaks all of the solid.");
  return table;
}

ParameterTable<EdgeOptions> edgeTable() {
  ParameterTable<EdgeOptions> table;
  table.section("Edges");
  table.add(&EdgeOptions::amount, "edge_amount", "Edge Amount")
      .unit("none")
      .hard(0, 10)
      .soft(0, 0.3)
      .help(
          "Bends the faces between pieces and with them their outlines on the surface, by this share of the mean size of pieces (the "
          "cube root of their volume) at most; 0 leaves them flat. Where pieces are too small for that it is less, so that no "
          "faces cross.");
  table.add(&EdgeOptions::size, "edge_size", "Edge Feature Size")
      .unit("none")
      .hard(0.01, 100)
      .soft(0.1, 2)
      .help(
          "Size of the largest bends, as a share of the mean size of pieces. Finer ones take more faces: a quarter is resolved.");
  table.add(&EdgeOptions::roughness, "edge_roughness", "Edge Roughness")
      .unit("none")
      .range(0, 1)
      .help("How strong finer bends are, relative to those of twice their size.");
  table.add(&EdgeOptions::ridges, "edge_ridges", "Edge Ridges").help("Sharp ridges instead of round bumps.");
  table.add(&EdgeOptions::depth, "edge_depth", "Edge Depth")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help("Depth below the surface at which faces are flat again; 0 bends them everywhere alike.");
  table.add(&EdgeOptions::reach, "edge_reach", "Edge Reach")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 10)
      .help("Distance from the clusters at which faces are flat again; 0 bends them everywhere alike.");
  return table;
}

ParameterTable<ChipOptions> chipTable() {
  ParameterTable<ChipOptions> table;
  table.section("Chips");
  table.add(&ChipOptions::amount, "chip_amount", "Chip Amount")
      .unit("none")
      .hard(0, 1)
      .soft(0, 0.3)
      .help(
          "Share of the rims of pieces, and of sharp edges of the solid, where small pieces come off; sharper edges more often. With a "
          "reach, more the nearer to a cluster. Chips are pieces of their own: those of piece3 are piece3-1, piece3-2, ..., and "
          "piece3-0 is what they leave.");
  table.add(&ChipOptions::size, "chip_size", "Chip Size")
      .unit("none")
      .hard(1e-4, 0.5)
      .soft(0.005, 0.1)
      .help("Mean size of chips, as a share of the diagonal of the solid's box.");
  return table;
}

ParameterTable<VoronoiOptions> lookRows() {
  ParameterTable<VoronoiOptions> table;
  table.include(&VoronoiOptions::edges, edgeTable());
  table.include(&VoronoiOptions::chips, chipTable());
  return table;
}

ParameterTable<VoronoiOptions> levelRows() {
  ParameterTable<VoronoiOptions> table;
  table.section("Levels");
  table.add(&VoronoiOptions::levels, "levels", "Levels")
      .unit("none")
      .hard(1, 8)
      .soft(1, 4)
      .help("Break the pieces again, this many times in all.");
  table.add(&VoronoiOptions::levelPieces, "level_pieces", "Pieces Per Piece")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 50)
      .help("Sites in each piece, from the second level on.");
  return table;
}

ParameterTable<VoronoiOperatorOptions> parameters() {
  ParameterTable<VoronoiOperatorOptions> table;
  table.section("Sites");
  table.add(&VoronoiOperatorOptions::recipe, "recipe", "Recipe")
      .menu(recipeMenu())
      .fills(recipeValues)
      .help(
          "How a material breaks: fills the parameters of sites, levels, edges and chips that are not set themselves. Sizes are relative, "
          "so that recipes fit solids of any scale.");
  table.include(&VoronoiOperatorOptions::engine, pieceRow());
  table.section("Sites");
  table.add(&VoronoiOperatorOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives another pattern.");
  table.include(&VoronoiOperatorOptions::engine, siteRows());
  table.include(&VoronoiOperatorOptions::choice, pieceChoiceTable());
  table.include(&VoronoiOperatorOptions::engine, levelRows());
  table.include(&VoronoiOperatorOptions::engine, lookRows());
  table.include(&VoronoiOperatorOptions::output, fractureOutputTable());
  return table;
}

}  // namespace

Operator voronoiOperator() {
  Operator op;
  op.id = "voronoi";
  op.label = "Voronoi Fracture";
  op.summary = "Break a solid along the cells of a Voronoi diagram";
  op.help =
      "Cuts a closed surface into the parts nearest to each of many sites. Sites are scattered evenly inside "
      "the solid or by a density, crowd around clusters, or come as points on the second input.\n\n"
      "A recipe breaks the solid as a material does: glass on spokes and rings, wood along its grain, concrete coarsely and finely with "
      "chips. Edges bend the faces between pieces and their outlines on the surface together.\n\n"
      "Every piece is closed and keeps the attributes of the input on its outside faces; each face between "
      "two pieces has the same corners on both sides and is one planar polygon, unless edges bend it. Pieces are named by the "
      "primitive attribute name, new faces are in the primitive group inside, the others in outside. Parts "
      "of a cell that are not connected become pieces of their own.\n\n"
      "Fractures add up: a broken input is broken further, piece by piece, and its inside faces stay in "
      "their group. Only some of its pieces, if you name them.";
  op.category = "Fracture";
  op.examples = {
      "voronoi bunny.obj -o broken.bgeo --pieces 200",
      "voronoi wall.bgeo -o broken.bgeo --cluster at=0,1,0 radius=0.2 --levels 2",
      "voronoi broken.bgeo -o finer.bgeo --only 'piece0 piece1*' --pieces 10",
      "voronoi pane.obj -o broken.bgeo --recipe glass --cluster at=0.1,0.5,0 radius=0.05",
      "voronoi goblet.obj -o chipped.bgeo --pieces 1 --chip-amount 0.5 --cluster at=0.04,0.1,0 --reach 0.03",
      "voronoi bunny.obj -o broken.bgeo -o glue.bgeo -o hulls.bgeo --proxy-shrink 0.001"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      {"sites", "Sites", "Points to use as sites instead of scattering them.", PortType::Geometry, true},
      {"clusters", "Clusters", "Points where sites crowd; their radius attribute, if they have one.",
       PortType::Geometry, true},
      {"density", "Density", "A VDB with the density of sites.", PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), fracture);
  op.bindEngine(makeEngine);
  return op;
}

}  // namespace hackle
