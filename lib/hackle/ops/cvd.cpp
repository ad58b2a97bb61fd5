#include <hackle/fracture/voronoi/cvd_engine.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/cvd_shape_table.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/impact_table.h>
#include <hackle/ops/piece_choice.h>

namespace hackle {

namespace {

struct CvdOperatorOptions {
  std::vector<Impact> impacts;
  CvdOptions engine;
  uint64_t seed = 0;
  PieceChoice choice;
  MaterialOptions material;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kImpacts, kFragility, kWarp, kEnergy, kModel };

CvdOptions engineOptions(const Inputs& inputs, const CvdOperatorOptions& options) {
  CvdOptions engine = options.engine;
  engine.shape = cvdShape(engine.shape, options.material, inputs, kFragility, kWarp);
  if (inputs.has(kEnergy)) engine.energy = firstGrid(inputs.geometry(kEnergy), "energies");
  if (engine.piecesBy == PiecesBy::Learned && inputs.has(kModel)) {
    const Blob& blob = inputs.blob(kModel);
    engine.model = blob.memo->get<PieceCountModel>([&] {
      return std::make_shared<const PieceCountModel>(
          readPieceCountModel(std::string(blob.bytes.begin(), blob.bytes.end())));
    });
  }
  engine.cut = options.output.cut;
  return engine;
}

std::unique_ptr<FractureEngine> makeEngine(const Inputs& inputs, const CvdOperatorOptions& options,
                                           Context&) {
  return std::make_unique<CvdEngine>(engineOptions(inputs, options));
}

/// Before the long work.
void checkImpacts(const Inputs& inputs, const CvdOperatorOptions& options) {
  if (inputs.has(kEnergy)) return;
  const bool even = options.engine.shape.granularity == 0 && options.engine.piecesBy == PiecesBy::Number;
  if (options.impacts.empty() && !even)
    throw Error(ErrorCode::BadInput, "there is no impact",
                "give an impact, points on the input of impacts, a VDB of energy, or granularity 0 with a "
                "number of pieces");
}

Outputs fracture(const Inputs& inputs, const CvdOperatorOptions& options, Context& context) {
  checkImpacts(inputs, options);
  CvdOptions given = engineOptions(inputs, options);
  given.bounded = false;  // nobody asks mayBreak here
  const CvdEngine engine(std::move(given));
  LoadCase load;
  load.impacts = options.impacts;
  load.seed = options.seed;
  const Geometry& input = inputs.geometry(kSolid);
  if (std::optional<Outputs> outputs =
          fractureChosenPieces(engine, input, options.choice, load, options.output, context))
    return std::move(*outputs);
  const SolidPtr solid = solidOf(input, context);
  if (!inputs.has(kEnergy))
    impactsOnSurface(options.impacts, solid->bvh);  // refuses bad ones before the long work
  const EngineStatePtr state = engine.prepare(solid, context);
  return fractureOutputs(*solid, engine.fracture(*solid, *state, load, context), options.output, context);
}

// Parameters --------------------------------------------------------------------------------------------

ParameterTable<CvdOptions> pieceRows() {
  ParameterTable<CvdOptions> table;
  table.section("Fracture");
  table.add(&CvdOptions::piecesBy, "pieces_by", "Pieces By")
      .alias("degree")
      .menu({{"pieces", "Number of Pieces"}, {"threshold", "Energy Threshold"}, {"learned", "Learned Model"}})
      .help(
          "What decides how many pieces there are. Learned: a model of cvd_train predicts what the threshold "
          "would give, without its search.");
  table.add(&CvdOptions::pieces, "pieces", "Pieces")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 500)
      .enabledWhen("pieces_by", {"pieces"})
      .help("Number of cells. A cell that meets the solid in several places gives several pieces.");
  table.add(&CvdOptions::threshold, "gamma", "Threshold")
      .unit("J m^2")
      .hard(1e-30, 1e30)
      .soft(1e-6, 1)
      .enabledWhen("pieces_by", {"threshold", "learned"})
      .help(
          "The solid breaks into the smallest number of pieces that leave less than this: strain energy "
          "times the squared distance from the middle of the piece. The report has the value of the whole "
          "solid, energy_whole. Not given: 1, or what the model was trained with.");
  table.add(&CvdOptions::maxPieces, "max_pieces", "Most Pieces")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 2000)
      .enabledWhen("pieces_by", {"threshold", "learned"})
      .help("The search for a number of pieces ends here, with a warning.");
  return table;
}

ParameterTable<CvdOptions> shapeRows() {
  ParameterTable<CvdOptions> table;
  table.include(&CvdOptions::shape, cvdShapeTable());
  return table;
}

ParameterTable<CvdOperatorOptions> parameters() {
  ParameterTable<CvdOperatorOptions> table;
  table.section("Fracture");
  table.addList(&CvdOperatorOptions::impacts, "impact", "Impacts", impactTable())
      .fromPoints("impacts")
      .help("What hits the solid, all at the same time.");
  table.include(&CvdOperatorOptions::engine, pieceRows());
  table.add(&CvdOperatorOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives another pattern.");
  table.include(&CvdOperatorOptions::choice, pieceChoiceTable());
  table.include(&CvdOperatorOptions::engine, shapeRows());
  table.include(&CvdOperatorOptions::material, elasticTable());
  table.include(&CvdOperatorOptions::output, fractureOutputTable());
  return table;
}

}  // namespace

Operator cvdOperator() {
  Operator op;
  op.id = "cvd";
  op.label = "CVD Fracture";
  op.summary = "Break a solid where impacts strain it, along a centroidal Voronoi diagram of its inside";
  op.help =
      "Computes how impacts strain the solid, a free elastic body, and breaks it into pieces that crowd "
      "where the strain energy is. Their number is given, or follows from the energy and a threshold: a "
      "harder hit gives more pieces. A model of cvd_train predicts that number without a search. Distances "
      "are measured inside the solid, so that no piece reaches across a gap.\n\n"
      "Granularity, painted fragility, stretch, waves and warps of the space in which distances are measured "
      "shape the pieces. The lattice that encloses the solid limits how fine they can be (cells).\n\n"
      "Every piece is closed and keeps the attributes of the input on its outside faces. Pieces are named by "
      "the primitive attribute name, new faces are in the primitive group inside, the others in outside. The "
      "report has sites (number of cells of the diagram), strain_energy (J), energy_whole and energy_left (J "
      "m^2, to choose gamma by), and how each impact acted.";
  op.category = "Fracture";
  op.examples = {
      "cvd horse.obj -o broken.bgeo --impact at=0,1,0.4 dir=0,-1,0 impulse=5 --pieces 60",
      "cvd horse.obj -o broken.bgeo --impact at=0,1,0.4 dir=0,-1,0 impulse=5 --pieces-by threshold --gamma "
      "1e-4",
      "cvd table.bgeo -o broken.bgeo --impact at=0,1,0 dir=0,-1,0 impulse=9 --preset wood --stretch 6,1,1 "
      "--wave-amount 0.03"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      impactPort(),
      cvdFragilityPort(),
      cvdWarpPort(),
      {"energy", "Energy", "A VDB of strain energy density (J/m^3), instead of impacts.", PortType::Geometry,
       true},
      {"model", "Model", "A model of cvd_train that predicts the number of pieces.", PortType::Blob, true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), fracture);
  op.bindEngine(makeEngine);
  return op;
}

}  // namespace hackle
