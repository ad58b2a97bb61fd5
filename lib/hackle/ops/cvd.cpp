#include <hackle/fracture/voronoi/degree_model.h>
#include <hackle/meshing/cut/cutter.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/cvd_setup.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

struct CvdImpact {
  Vec3 at = Vec3::Zero();
  Vec3 direction{0, -1, 0};
  double impulse = 1.0;
  std::optional<double> speed;
  std::optional<double> mass;
  std::optional<double> radius;
};

enum class DegreeBy { Pieces, Threshold, Learned };

struct CvdOperatorOptions {
  std::vector<CvdImpact> impacts;
  DegreeBy degree = DegreeBy::Pieces;
  int pieces = 30;
  std::optional<double> threshold;
  int maxPieces = 500;
  int seed = 0;
  CvdSetupOptions setup;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kImpacts, kFragility, kWarp, kEnergy, kModel };

class CvdFracture {
 public:
  CvdFracture(const Inputs& inputs, const CvdOperatorOptions& options, Context& context)
      : mInputs(inputs),
        mOptions(options),
        mContext(context),
        mSetup(inputs, {kFragility, kWarp}, options.setup, context) {}

  Outputs run() {
    checkImpacts();
    readModel();
    mSetup.prepareBody(mContext);
    const CvdBody& body = mSetup.body();
    const std::vector<double> energies = strain(body);
    const CvdCells cells = findCells(body, energies);
    FracturePieces pieces = cut(body, cells);
    const size_t count = pieces.names.size();
    if (count < cells.degree.degree)
      mContext.warn(
          fmt::format("{} of {} cells are smaller than the lattice resolves and gave no piece; "
                      "raise cells (now {:g}) for finer pieces",
                      cells.degree.degree - count, cells.degree.degree, mOptions.setup.cells));
    Outputs outputs = fractureOutputs(mSetup.mass().volume, std::move(pieces), mOptions.output,
                                      mOptions.output.cut.pieces.insideGroup, mContext);
    report(outputs.result, body, cells);
    return outputs;
  }

 private:
  // Load ------------------------------------------------------------------------------------------------

  void checkImpacts() const {
    if (mInputs.has(kEnergy)) return;
    const bool even = mOptions.setup.granularity == 0 && mOptions.degree == DegreeBy::Pieces;
    if (mOptions.impacts.empty() && !even)
      throw Error(
          ErrorCode::BadInput, "there is no impact",
          "give one (--impact at=0,1,0 dir=0,-1,0 impulse=1), points on the input of impacts, a VDB of "
          "energy, or granularity 0 with degree pieces");
    const double reach = 0.1 * mSetup.bvh().bounds().diagonal();
    for (size_t k = 0; k < mOptions.impacts.size(); ++k) {
      const CvdImpact& impact = mOptions.impacts[k];
      unitDirection(impact.direction, fmt::format("dir of impact {}", k));
      const double distance = std::sqrt(mSetup.bvh().closestPoint(impact.at).squaredDistance);
      if (distance > reach)
        throw Error(ErrorCode::BadInput,
                    fmt::format("impact {} at ({:.4g}, {:.4g}, {:.4g}) is {:.4g} m from the surface", k,
                                impact.at.x(), impact.at.y(), impact.at.z(), distance),
                    fmt::format("move it to within {:.4g} m", reach));
    }
  }

  /// J a node.
  std::vector<double> strain(const CvdBody& body) {
    const Context::Stage stage(mContext, "strain", 0.3);
    if (const VolumePtr grid = firstGrid(mInputs, kEnergy, "energies")) {
      std::vector<double> densities(body.tetrahedra.size());
      for (size_t t = 0; t < densities.size(); ++t) {
        Vec3 middle = Vec3::Zero();
        for (const int32_t p : body.tetrahedra[t]) middle += 0.25 * body.points[p];
        densities[t] = std::max(0.0, sampleGrid(*grid, middle));
      }
      return nodeEnergies(body.points, body.tetrahedra, densities);
    }
    if (mOptions.impacts.empty())
      return nodeEnergies(body.points, body.tetrahedra, std::vector<double>(body.tetrahedra.size(), 1.0));
    mSetup.prepareStrain(mContext);
    return mSetup.strain(impacts(), &mContacts, mContext);
  }

  std::vector<Impact> impacts() const {
    std::vector<Impact> impacts;
    for (const CvdImpact& given : mOptions.impacts) {
      Impact impact;
      impact.position = mSetup.bvh().closestPoint(given.at).point;
      impact.direction = given.direction;
      impact.impulse = given.impulse;
      impact.speed = given.speed;
      impact.striker.mass = given.mass;
      impact.striker.radius = given.radius;
      impacts.push_back(impact);
    }
    return impacts;
  }

  // Cells and pieces ------------------------------------------------------------------------------------

  /// Before the long work: the model has to be there.
  void readModel() {
    if (mOptions.degree != DegreeBy::Learned) return;
    if (!mInputs.has(kModel))
      throw Error(ErrorCode::BadInput, "there is no model to take the degree from",
                  "train one with cvd_train and give it on the input of models");
    const Blob& blob = mInputs.blob(kModel);
    mModel = readDegreeModel(std::string(blob.bytes.begin(), blob.bytes.end()));
  }

  double threshold() const {
    return mOptions.threshold.value_or(mOptions.degree == DegreeBy::Learned ? mModel.threshold : 1.0);
  }

  size_t learnedDegree(const CvdBody& body, const std::vector<double>& energies,
                       const NodeEnergyOptions& options) {
    if (mModel.fingerprint != embeddingFingerprint(body.embedding))
      throw Error(ErrorCode::BadInput, "the model was trained on another solid, lattice or metric",
                  "train it again with cvd_train and the same solid, cells, metric, stretch, waves and warp");
    const std::vector<double> breaking = breakingEnergies(body, energies, options, mContext);
    bool beyond = false;
    mWholeEnergy = wholeEnergy(body.embedding, breaking);
    const double degree = predictDegree(mModel, breaking, mWholeEnergy, threshold(), &beyond);
    if (beyond)
      mContext.warn(
          "this hit is weaker or stronger than all that the model was trained with; the number of "
          "pieces is a guess: train it with lower or greater heights");
    return static_cast<size_t>(std::clamp(std::round(degree), 1.0, static_cast<double>(mOptions.maxPieces)));
  }

  CvdCells findCells(const CvdBody& body, const std::vector<double>& energies) {
    const Context::Stage stage(mContext, "cells", 0.1);
    CvdOptions options;
    options.energies = mSetup.energyOptions();
    if (mOptions.degree == DegreeBy::Pieces) options.pieces = static_cast<size_t>(mOptions.pieces);
    if (mOptions.degree == DegreeBy::Learned)
      options.pieces = learnedDegree(body, energies, options.energies);
    options.degree.threshold = threshold();
    options.degree.maximum = static_cast<size_t>(mOptions.maxPieces);
    options.degree.lloyd.seed = static_cast<uint64_t>(mOptions.seed);
    options.connect = mOptions.setup.metric != Metric::Euclidean;
    CvdCells cells = cvdCells(body, energies, options, mContext);
    if (cells.degree.capped)
      mContext.warn(fmt::format("the threshold asks for more than {} pieces; raise max_pieces or gamma",
                                mOptions.maxPieces));
    if (!(cells.energy > 0) && mOptions.degree == DegreeBy::Threshold)
      mContext.warn("there is no strain energy in the solid: it stays whole");
    else if (mOptions.degree == DegreeBy::Threshold && cells.degree.degree == 1)
      mContext.warn(fmt::format("the solid stays whole: its energy {:.4g} J m^2 is below gamma, {:.4g}",
                                cells.degree.wholeEnergy, threshold()));
    return cells;
  }

  FracturePieces cut(const CvdBody& body, const CvdCells& cells) const {
    Cut cut = [&] {
      const Context::Stage stage(mContext, "tessellate", 0.2);
      return cutByCells(mSetup.solid(), mSetup.mesh(), body, cells, mContext);
    }();
    CutPieceOptions options = mOptions.output.cut;
    // Splinters where cells and tetrahedra nearly touch are no pieces.
    const double volume = mSetup.mass().volume;
    options.pieces.minVolume = 1e-3 * volume / static_cast<double>(cells.degree.degree);
    FracturePieces pieces =
        unfinishedPiecesOfCut(mSetup.solid(), mSetup.mesh(), volume, std::move(cut), options, mContext);
    addDepth(pieces.geometry, mSetup.solid(), options.pieces.insideGroup, mContext);
    return pieces;
  }

  void report(Value& result, const CvdBody& body, const CvdCells& cells) const {
    result.set("degree", cells.degree.degree);
    result.set("evaluations", cells.degree.evaluations);
    result.set("iterations", cells.degree.cells.iterations);
    result.set("strain_energy", cells.energy);
    result.set("energy_whole", cells.degree.wholeEnergy);
    result.set("energy_left", cells.degree.cells.energy());
    result.set("dimensions", body.embedding.dimensions);
    result.set("tetrahedra", body.tetrahedra.size());
    result.set("nodes", body.points.size());
    result.set("moved_nodes", cells.connected.moved);
    if (mOptions.degree != DegreeBy::Pieces) result.set("gamma", threshold());
    if (mOptions.degree == DegreeBy::Learned) {
      result.set("model_error", mModel.trainingError);
      result.set("energy_whole", mWholeEnergy);
    }
    Value contacts = Value::List();
    for (const Contact& c : mContacts) {
      Value contact = Value::Map();
      contact.set("duration", c.duration);
      contact.set("peak_force", c.peakForce);
      contact.set("speed", c.speed);
      contact.set("mass", c.mass);
      contacts.append(std::move(contact));
    }
    result.set("contacts", std::move(contacts));
  }

  const Inputs& mInputs;
  const CvdOperatorOptions& mOptions;
  Context& mContext;
  CvdSetup mSetup;
  DegreeModel mModel;
  double mWholeEnergy = 0;  // J m^2, as the model saw it
  std::vector<Contact> mContacts;
};

Outputs fracture(const Inputs& inputs, const CvdOperatorOptions& options, Context& context) {
  return CvdFracture(inputs, options, context).run();
}

// Parameters --------------------------------------------------------------------------------------------

ParameterTable<CvdImpact> impactTable() {
  ParameterTable<CvdImpact> table;
  table.add(&CvdImpact::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Where it hits; the nearest place of the surface is taken.");
  table.add(&CvdImpact::direction, "dir", "Direction")
      .unit("none")
      .soft(-1, 1)
      .fromAttribute("dir")
      .help("In which the solid is pushed; any length.");
  table.add(&CvdImpact::impulse, "impulse", "Impulse")
      .unit("N s")
      .hard(0, 1e12)
      .soft(0, 100)
      .fromAttribute("impulse")
      .help("Momentum that the impact gives to the solid.");
  table.add(&CvdImpact::speed, "speed", "Speed")
      .unit("m/s")
      .hard(1e-9, 1e6)
      .soft(0.1, 100)
      .fromAttribute("speed")
      .help("Of approach. Not given: that of an elastic impact with this impulse.");
  table.add(&CvdImpact::mass, "mass", "Striker's Mass")
      .unit("kg")
      .hard(1e-12, 1e12)
      .soft(0.01, 100)
      .fromAttribute("mass")
      .help("Of what hits the solid. Not given: immovable, like the ground.");
  table.add(&CvdImpact::radius, "radius", "Striker's Radius")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.001, 10)
      .fromAttribute("radius")
      .help("Of what hits the solid, at the contact. Not given: flat.");
  return table;
}

void addDegreeRows(ParameterTable<CvdOperatorOptions>& table) {
  table.section("Fracture");
  table.addList(&CvdOperatorOptions::impacts, "impact", "Impacts", impactTable())
      .fromPoints("impacts")
      .help("What hits the solid, all at the same time.");
  table.add(&CvdOperatorOptions::degree, "degree", "Degree")
      .menu({{"pieces", "Number of Pieces"}, {"threshold", "Energy Threshold"}, {"learned", "Learned Model"}})
      .help(
          "What says how many pieces there are. Learned: a model of cvd_train foretells what the threshold "
          "would "
          "give, without its search.");
  table.add(&CvdOperatorOptions::pieces, "pieces", "Pieces")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 500)
      .enabledWhen("degree", {"pieces"})
      .help("Number of cells. One that meets the solid in several places gives several pieces.");
  table.add(&CvdOperatorOptions::threshold, "gamma", "Threshold")
      .unit("J m^2")
      .hard(1e-30, 1e30)
      .soft(1e-6, 1)
      .enabledWhen("degree", {"threshold", "learned"})
      .help(
          "The solid breaks into as few pieces as leave less than this: strain energy times the squared "
          "distance from the middle of the piece. The report has that of the whole solid, energy_whole. Not "
          "given: 1, or what the model was trained with.");
  table.add(&CvdOperatorOptions::maxPieces, "max_pieces", "Most Pieces")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 2000)
      .enabledWhen("degree", {"threshold", "learned"})
      .help("The search for a number of pieces ends here, with a warning.");
  table.add(&CvdOperatorOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives another pattern.");
}

ParameterTable<CvdOperatorOptions> parameters() {
  ParameterTable<CvdOperatorOptions> table;
  addDegreeRows(table);
  table.include(&CvdOperatorOptions::setup, cvdSetupTable());
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
      "where "
      "the strain energy is. Their number is given, or follows from the energy and a threshold: a harder hit "
      "gives more pieces; a model of cvd_train foretells it at once. Distances are measured inside the "
      "solid, so that no piece reaches across a gap.\n\n"
      "Granularity, painted fragility, stretch, waves and warps of the space in which distances are measured "
      "shape the pieces. The lattice that holds the solid limits how fine they can be (cells).\n\n"
      "Every piece is closed and keeps the attributes of the input on its outside faces. Pieces are named by "
      "the primitive attribute name, new faces are in the primitive group inside, the others in outside. The "
      "report tells the degree (number of cells), strain_energy (J), energy_whole and energy_left (J m^2, to "
      "set gamma by), and how each impact acted.";
  op.category = "Fracture";
  op.examples = {
      "cvd horse.obj -o broken.bgeo --impact at=0,1,0.4 dir=0,-1,0 impulse=5 --pieces 60",
      "cvd horse.obj -o broken.bgeo --impact at=0,1,0.4 dir=0,-1,0 impulse=5 --degree threshold --gamma 1e-4",
      "cvd table.bgeo -o broken.bgeo --impact at=0,1,0 dir=0,-1,0 impulse=9 --preset wood --stretch 6,1,1 "
      "--wave-amount 0.03"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      {"impacts", "Impacts", "Points of impact, with dir, impulse, speed, mass, radius where they have them.",
       PortType::Geometry, true},
      cvdFragilityPort(),
      cvdWarpPort(),
      {"energy", "Energy", "A VDB of strain energy density (J/m^3), instead of impacts.", PortType::Geometry,
       true},
      {"model", "Model", "A model of cvd_train, for the learned degree.", PortType::Blob, true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), fracture);
  return op;
}

}  // namespace hackle
