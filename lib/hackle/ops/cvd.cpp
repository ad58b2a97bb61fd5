#include <hackle/fem/impact_response.h>
#include <hackle/fracture/voronoi/cvd.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/meshing/cutter.h>
#include <hackle/meshing/enclosing_lattice.h>
#include <hackle/meshing/solid_input.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/material.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

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

enum class DegreeBy { Pieces, Threshold };

struct CvdOperatorOptions {
  std::vector<CvdImpact> impacts;
  DegreeBy degree = DegreeBy::Pieces;
  int pieces = 30;
  double threshold = 1.0;
  int maxPieces = 500;
  int seed = 0;
  double granularity = 1.0;
  std::string fragility;
  Metric metric = Metric::Interior;
  Vec3 stretch = Vec3::Ones();
  double waveAmount = 0;
  double waveLength = 0.2;
  Vec3 waveAlong{1, 0, 0};
  Vec3 waveDirection{0, 1, 0};
  std::string warp;
  double cells = 24;
  MaterialOptions material;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kImpacts, kFragility, kWarp, kEnergy };

/// The first VDB of an input, or nothing.
VolumePtr firstGrid(const Inputs& inputs, size_t input, const char* what) {
  if (!inputs.has(input)) return nullptr;
  const Geometry& volumes = inputs.geometry(input);
  for (size_t p = 0; p < volumes.primitiveCount(); ++p)
    if (volumes.primitiveType(p) == PrimitiveType::Volume) return volumes.volume(p);
  throw Error(ErrorCode::BadInput, fmt::format("there is no VDB on the input of {}", what),
              "give a VDB file");
}

/// Numbers on the solid's points, seen from anywhere: those of the nearest place of the surface.
class SurfaceField {
 public:
  SurfaceField(const Geometry& solid, const TriangleMesh& mesh, std::shared_ptr<const TriangleBvh> bvh,
               const std::string& name, const char* remedy)
      : mMesh(mesh), mBvh(std::move(bvh)), mValues(solid.findAttribute(Owner::Point, name)) {
    if (!mValues || mValues->isString())
      throw Error(ErrorCode::BadInput, fmt::format("the solid has no numbers '{}' on its points", name),
                  remedy);
  }

  int size() const { return mValues->tupleSize(); }
  double at(const Vec3& x, int component = 0) const {
    const ClosestPoint place = mBvh->closestPoint(x);
    const Triangle& t = mMesh.triangles[static_cast<size_t>(place.triangle)];
    double sum = 0;
    for (size_t k = 0; k < 3; ++k)
      sum += place.barycentric[static_cast<Eigen::Index>(k)] *
             mValues->number(static_cast<size_t>(t[k]), component);
    return sum;
  }

 private:
  const TriangleMesh& mMesh;
  std::shared_ptr<const TriangleBvh> mBvh;
  const Attribute* mValues;
};

class CvdFracture {
 public:
  CvdFracture(const Inputs& inputs, const CvdOperatorOptions& options, Context& context)
      : mInputs(inputs), mOptions(options), mContext(context) {}

  Outputs run() {
    mSolid = checkedSolid(mInputs.geometry(kSolid), mContext);
    mMesh = triangleMesh(mSolid, mContext);
    mBvh = std::make_shared<const TriangleBvh>(mMesh, mContext);
    checkImpacts();
    const CvdBody body = prepare();
    const std::vector<double> energies = strain(body);
    const CvdCells cells = findCells(body, energies);
    FracturePieces pieces = cut(body, cells);
    const size_t count = pieces.names.size();
    if (count < cells.degree.degree)
      mContext.warn(
          fmt::format("{} of {} cells are smaller than the lattice resolves and gave no piece; "
                      "raise cells (now {:g}) for finer pieces",
                      cells.degree.degree - count, cells.degree.degree, mOptions.cells));
    Outputs outputs = fractureOutputs(mSolid, std::move(pieces), mOptions.output, mContext);
    report(outputs.result, body, cells);
    return outputs;
  }

 private:
  // Lattice and metric ----------------------------------------------------------------------------------

  CvdBody prepare() {
    const Context::Stage stage(mContext, "metric", 0.2);
    EnclosingOptions cage;
    cage.cells = mOptions.cells;
    cage.fillCavities = false;
    const EnclosingLattice lattice = enclosingLattice(mMesh, cage, mContext);
    mCellSize = lattice.cellSize;
    CvdBodyOptions options;
    options.metric = mOptions.metric;
    options.reference = reference();
    return prepareCvd(lattice.lattice, mMesh, options, mContext);
  }

  /// Where distances are measured: the solid, waved, warped and shrunk by the stretch.
  std::function<Vec3(const Vec3&)> reference() const {
    std::vector<std::function<Vec3(const Vec3&)>> moves;
    const Vec3 direction = unit(mOptions.waveDirection, "wave_direction");
    if (mOptions.waveAmount != 0) {
      const Vec3 along = unit(mOptions.waveAlong, "wave_along");
      const double amount = mOptions.waveAmount, turn = 2 * 3.14159265358979323846 / mOptions.waveLength;
      moves.push_back(
          [=](const Vec3& p) { return Vec3(amount * std::sin(turn * along.dot(p)) * direction); });
    }
    if (const VolumePtr grid = firstGrid(mInputs, kWarp, "warps")) {
      moves.push_back([=](const Vec3& p) { return Vec3(sampleGrid(*grid, p) * direction); });
    } else if (!mOptions.warp.empty()) {
      const SurfaceField field(mSolid, mMesh, mBvh, mOptions.warp,
                               "name a point attribute of one or three numbers, or give a VDB");
      if (field.size() >= 3)
        moves.push_back([=](const Vec3& p) { return Vec3(field.at(p, 0), field.at(p, 1), field.at(p, 2)); });
      else
        moves.push_back([=](const Vec3& p) { return Vec3(field.at(p) * direction); });
    }
    if (moves.empty() && mOptions.stretch == Vec3::Ones()) return {};
    return [moves, shrink = Vec3(mOptions.stretch.cwiseInverse())](const Vec3& p) {
      Vec3 moved = p;
      for (const auto& move : moves) moved += move(p);
      return Vec3(moved.cwiseProduct(shrink));
    };
  }

  static Vec3 unit(const Vec3& v, const char* name) {
    if (!(v.norm() > 0))
      throw Error(ErrorCode::Usage, fmt::format("{} has no length", name), "give a direction such as 0,1,0");
    return v.normalized();
  }

  // Load ------------------------------------------------------------------------------------------------

  void checkImpacts() const {
    if (mInputs.has(kEnergy)) return;
    const bool even = mOptions.granularity == 0 && mOptions.degree == DegreeBy::Pieces;
    if (mOptions.impacts.empty() && !even)
      throw Error(
          ErrorCode::BadInput, "there is no impact",
          "give one (--impact at=0,1,0 dir=0,-1,0 impulse=1), points on the input of impacts, a VDB of "
          "energy, or granularity 0 with degree pieces");
    const double reach = 0.1 * mBvh->bounds().diagonal();
    for (size_t k = 0; k < mOptions.impacts.size(); ++k) {
      const CvdImpact& impact = mOptions.impacts[k];
      unit(impact.direction, fmt::format("dir of impact {}", k).c_str());
      const double distance = std::sqrt(mBvh->closestPoint(impact.at).squaredDistance);
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
    std::vector<double> densities(body.tetrahedra.size(), 1.0);
    if (const VolumePtr grid = firstGrid(mInputs, kEnergy, "energies")) {
      for (size_t t = 0; t < densities.size(); ++t) {
        Vec3 middle = Vec3::Zero();
        for (const int32_t p : body.tetrahedra[t]) middle += 0.25 * body.points[static_cast<size_t>(p)];
        densities[t] = std::max(0.0, sampleGrid(*grid, middle));
      }
    } else if (!mOptions.impacts.empty()) {
      densities = impactDensities(body);
    }
    return nodeEnergies(body.points, body.tetrahedra, densities);
  }

  std::vector<double> impactDensities(const CvdBody& body) {
    ElasticMesh mesh;
    mesh.points = body.points;
    mesh.tetrahedra = body.tetrahedra;
    const ElasticMaterial material{mOptions.material.young, mOptions.material.poisson,
                                   mOptions.material.density};
    mesh.materials = {material};
    const FreeBody elastic(std::move(mesh), mContext);
    const SurfaceEmbedding embedding(body.points, body.tetrahedra, mContext);
    std::vector<Impact> impacts;
    for (const CvdImpact& given : mOptions.impacts) {
      Impact impact;
      impact.position = mBvh->closestPoint(given.at).point;
      impact.direction = given.direction;
      impact.impulse = given.impulse;
      impact.speed = given.speed;
      impact.striker.mass = given.mass;
      impact.striker.radius = given.radius;
      impacts.push_back(impact);
    }
    ContactOptions contact;
    contact.minPatchRadius = mCellSize;
    const double mass = material.density * massProperties(mMesh, mContext).volume;
    ImpactResponse response =
        impactResponse(elastic, embedding, mMesh, *mBvh, impacts, mass, contact, mContext);
    mContacts = std::move(response.contacts);
    return std::move(response.energyDensities);
  }

  // Cells and pieces ------------------------------------------------------------------------------------

  CvdCells findCells(const CvdBody& body, const std::vector<double>& energies) const {
    const Context::Stage stage(mContext, "cells", 0.1);
    CvdOptions options;
    if (mOptions.degree == DegreeBy::Pieces) options.pieces = static_cast<size_t>(mOptions.pieces);
    options.degree.threshold = mOptions.threshold;
    options.degree.maximum = static_cast<size_t>(mOptions.maxPieces);
    options.degree.lloyd.seed = static_cast<uint64_t>(mOptions.seed);
    options.energies.granularity = mOptions.granularity;
    options.energies.fragility = fragility();
    options.connect = mOptions.metric != Metric::Euclidean;
    CvdCells cells = cvdCells(body, energies, options, mContext);
    if (cells.degree.capped)
      mContext.warn(fmt::format("the threshold asks for more than {} pieces; raise max_pieces or gamma",
                                mOptions.maxPieces));
    if (!(cells.energy > 0) && mOptions.degree == DegreeBy::Threshold)
      mContext.warn("there is no strain energy in the solid: it stays whole");
    else if (mOptions.degree == DegreeBy::Threshold && cells.degree.degree == 1)
      mContext.warn(fmt::format("the solid stays whole: its energy {:.4g} J m^2 is below gamma, {:.4g}",
                                cells.degree.wholeEnergy, mOptions.threshold));
    return cells;
  }

  std::function<double(const Vec3&)> fragility() const {
    if (const VolumePtr grid = firstGrid(mInputs, kFragility, "fragilities"))
      return [grid](const Vec3& p) { return sampleGrid(*grid, p); };
    if (mOptions.fragility.empty()) return {};
    const SurfaceField field(mSolid, mMesh, mBvh, mOptions.fragility,
                             "name a point attribute, or give a VDB on the input of fragilities");
    return [field](const Vec3& p) { return field.at(p); };
  }

  FracturePieces cut(const CvdBody& body, const CvdCells& cells) const {
    Cut cut = [&] {
      const Context::Stage stage(mContext, "tessellate", 0.2);
      return cutByCells(mSolid, mMesh, body, cells, mContext);
    }();
    if (mOptions.output.detail.size > 0) {
      const Context::Stage stage(mContext, "detail", 0.1);
      addInteriorDetail(cut, mOptions.output.detail, mContext);
    }
    const Context::Stage stage(mContext, "pieces", 0.1);
    const double volume = massProperties(mMesh, mContext).volume;
    PieceOptions options = pieceOptions(mOptions.output, volume);
    // Splinters where cells and tetrahedra nearly touch are no pieces.
    options.minVolume = std::max(options.minVolume, 1e-3 * volume / static_cast<double>(cells.degree.degree));
    return makePieces(mSolid, mMesh, cut, options, mContext);
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
  Geometry mSolid;
  TriangleMesh mMesh;
  std::shared_ptr<const TriangleBvh> mBvh;
  double mCellSize = 0;
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
      .menu({{"pieces", "Number of Pieces"}, {"threshold", "Energy Threshold"}})
      .help("What says how many pieces there are.");
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
      .enabledWhen("degree", {"threshold"})
      .help(
          "The solid breaks into as few pieces as leave less than this: strain energy times the squared "
          "distance from the middle of the piece. The report has that of the whole solid, energy_whole.");
  table.add(&CvdOperatorOptions::maxPieces, "max_pieces", "Most Pieces")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 2000)
      .enabledWhen("degree", {"threshold"})
      .help("The search for a number of pieces ends here, with a warning.");
  table.add(&CvdOperatorOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives another pattern.");
  table.add(&CvdOperatorOptions::granularity, "granularity", "Granularity")
      .unit("none")
      .hard(0, 8)
      .soft(0, 2)
      .help("Exponent of the strain energy: at 1 small pieces crowd where it hits, at 0 all are alike.");
  table.add(&CvdOperatorOptions::fragility, "fragility", "Fragility Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the solid that multiplies the strain energy: above 1 fragile, below 1 tough. A "
          "VDB on the input of fragilities goes first.");
}

void addMetricRows(ParameterTable<CvdOperatorOptions>& table) {
  table.section("Shape");
  table.add(&CvdOperatorOptions::metric, "metric", "Metric")
      .menu({{"interior", "Interior"},
             {"diffusion", "Diffusion in the Volume"},
             {"surface", "Diffusion on the Surface"},
             {"euclidean", "Euclidean"}})
      .help(
          "How distances are measured. Interior: along shortest ways inside the solid. Diffusion: by "
          "eigenfunctions of the volume, or of the surface (slow with fine surfaces). Euclidean: straight, "
          "across gaps too, where a cell then gives several pieces.");
  table.add(&CvdOperatorOptions::stretch, "stretch", "Stretch")
      .unit("none")
      .hard(1e-3, 1e3)
      .soft(0.1, 10)
      .help("Lengthens pieces along each axis, for wood or layered rock.");
  table.add(&CvdOperatorOptions::waveAmount, "wave_amount", "Wave Amount")
      .unit("m")
      .hard(-1e6, 1e6)
      .soft(0, 0.5)
      .help("Bends pieces in waves of this height; 0 for none.");
  table.add(&CvdOperatorOptions::waveLength, "wave_length", "Wave Length")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.01, 10)
      .help("From one crest of the waves to the next.");
  table.add(&CvdOperatorOptions::waveAlong, "wave_along", "Waves Along")
      .unit("none")
      .soft(-1, 1)
      .help("In which direction one crest follows the other.");
  table.add(&CvdOperatorOptions::waveDirection, "wave_direction", "Wave Direction")
      .unit("none")
      .soft(-1, 1)
      .help("In which direction waves rise, and warps of one number.");
  table.add(&CvdOperatorOptions::warp, "warp", "Warp Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the solid that moves the space in which distances are measured: three numbers, "
          "or one along the wave direction, in metres. A VDB on the input of warps goes first.");
  table.add(&CvdOperatorOptions::cells, "cells", "Cells")
      .unit("none")
      .hard(2, 400)
      .soft(8, 64)
      .help("Of the lattice, along the longest side of the solid. It computes strain and shapes pieces.");
}

ParameterTable<CvdOperatorOptions> parameters() {
  ParameterTable<CvdOperatorOptions> table;
  addDegreeRows(table);
  addMetricRows(table);
  ParameterTable<MaterialOptions> material = elasticTable();
  table.include(&CvdOperatorOptions::material, material);
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
      "gives more pieces. Distances are measured inside the solid, so that no piece reaches across a gap.\n\n"
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
      {"fragility", "Fragility", "A VDB that multiplies the strain energy.", PortType::Geometry, true},
      {"warp", "Warp", "A VDB (m) that moves the space of distances along the wave direction.",
       PortType::Geometry, true},
      {"energy", "Energy", "A VDB of strain energy density (J/m^3), instead of impacts.", PortType::Geometry,
       true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), fracture);
  return op;
}

}  // namespace hackle
