#include <hackle/geometry/bvh.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/modes_precompute.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

struct ImpactRecord {
  Vec3 at = Vec3::Zero();
  Vec3 direction = Vec3(0, -1, 0);
  double impulse = 1.0;  // N s
  std::string piece;
};

struct Options {
  std::optional<Vec3> at;
  Vec3 direction = Vec3(0, -1, 0);
  double impulse = 1.0;
  std::vector<ImpactRecord> impacts;
  Projection projection = Projection::Modes;
  std::optional<int> modes;
  double sigma = 1.0;
  std::optional<double> threshold;  // m/s
  MaterialOptions material;
  bool velocity = false;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kModes, kImpacts, kBroken, kMesh };

constexpr const char* kFragments = "fragments";   // detail: the name of the piece that each part is in
constexpr const char* kModesId = "fragments_of";  // detail: which modes the parts are of

// Earlier pieces --------------------------------------------------------------------------------------------

/// What an earlier impact left, as it stands in the file that it wrote.
Gluing earlierGluing(const LoadedModes& modes, const Geometry& broken) {
  const Attribute* fragments = broken.findAttribute(Owner::Detail, kFragments);
  const Attribute* id = broken.findAttribute(Owner::Detail, kModesId);
  if (!fragments || !fragments->isString() || !id || !id->isString())
    throw Error(ErrorCode::BadInput, "the input broken does not say which parts its pieces are made of",
                "give the .bgeo file that modes_impact wrote; other formats do not keep it");
  if (id->string(0) != modes.id || fragments->tupleSize() != static_cast<int>(modes.cache.masses.size()))
    throw Error(ErrorCode::BadInput, "the input broken was made with another modes file",
                "give the modes file that it was made with");
  Gluing gluing;
  std::map<std::string, int32_t> known;
  for (int p = 0; p < fragments->tupleSize(); ++p) {
    const std::string& name = fragments->string(0, p);
    const auto [entry, isNew] = known.emplace(name, static_cast<int32_t>(gluing.names.size()));
    if (isNew) gluing.names.push_back(name);
    gluing.groupOf.push_back(entry->second);
  }
  return gluing;
}

/// The piece at a place: of the nearest face.
class PieceFinder {
 public:
  PieceFinder(const Geometry& broken, const Gluing& gluing, Context& context)
      : mGluing(gluing), mMesh(triangleMesh(broken, context)), mBvh(mMesh, context) {
    if (hasPieceNames(broken)) mPieces = piecesByName(broken);
  }

  int32_t named(const std::string& name) const {
    const auto found = std::find(mGluing.names.begin(), mGluing.names.end(), name);
    if (found == mGluing.names.end())
      throw Error(ErrorCode::BadInput, fmt::format("there is no piece {} on the input broken", name),
                  "leave the name away to hit the nearest piece");
    return static_cast<int32_t>(found - mGluing.names.begin());
  }

  int32_t nearest(const Vec3& at) const {
    const ClosestPoint closest = mBvh.closestPoint(at);
    if (closest.triangle < 0 || mPieces.names.empty()) return 0;
    const int32_t face = mMesh.primitives[closest.triangle];
    return named(mPieces.names[mPieces.ofPrimitive[face]]);
  }

 private:
  const Gluing& mGluing;
  TriangleMesh mMesh;
  TriangleBvh mBvh;
  Pieces mPieces;
};

// Impacts
// -----------------------------------------------------------------------------------------------------

std::vector<ImpactRecord> allRecords(const Options& options) {
  std::vector<ImpactRecord> records;
  if (options.at) records.push_back({*options.at, options.direction, options.impulse, ""});
  records.insert(records.end(), options.impacts.begin(), options.impacts.end());
  return records;
}

std::vector<Blow> makeImpacts(const Options& options, const PieceFinder* finder) {
  std::vector<Blow> impacts;
  for (const ImpactRecord& record : allRecords(options)) {
    if (!(record.direction.norm() > 0))
      throw Error(ErrorCode::Usage, "an impact has no direction", "give dir a length above 0");
    Blow impact{record.at, record.impulse * record.direction.normalized(), 0};
    if (finder)
      impact.piece = record.piece.empty() ? finder->nearest(record.at) : finder->named(record.piece);
    impacts.push_back(impact);
  }
  return impacts;
}

/// What the next impact on these pieces will need to know.
void addFragments(Geometry& geometry, const LoadedModes& modes, const Gluing& gluing) {
  Attribute& fragments = geometry.addAttribute(
      Owner::Detail, Attribute(kFragments, Storage::String, static_cast<int>(gluing.groupOf.size())));
  fragments.assignStrings({gluing.names, gluing.groupOf});
  geometry.addAttribute(Owner::Detail, Attribute(kModesId, Storage::String, 1)).setString(0, modes.id);
}

void addVelocity(FracturePieces& pieces, const ModesCache& cache, const Gluing& gluing,
                 const std::vector<Vec3>& partVelocity) {
  std::vector<Vec3> velocity(pieces.names.size(), Vec3::Zero());
  std::vector<double> mass(pieces.names.size(), 0.0);
  for (size_t p = 0; p < gluing.groupOf.size(); ++p) {
    velocity[gluing.groupOf[p]] += cache.masses[p] * partVelocity[p];
    mass[gluing.groupOf[p]] += cache.masses[p];
  }
  Attribute& v = pieces.geometry.addAttribute(Owner::Point, Attribute("v", Storage::Float32, 3, 0, "vector"));
  for (size_t f = 0; f < pieces.primitivePiece.size(); ++f) {
    const size_t piece = static_cast<size_t>(pieces.primitivePiece[f]);
    for (const int32_t p : pieces.geometry.corners(f))
      for (int c = 0; c < 3; ++c) v.setNumber(static_cast<size_t>(p), c, velocity[piece][c] / mass[piece]);
  }
}

ImpactOptions impactOptions(const Options& options, const ModesCache& cache) {
  ImpactOptions result;
  result.projection = options.projection;
  if (options.modes) result.modes = static_cast<size_t>(*options.modes);
  result.sigma = options.sigma;
  const MaterialOptions& m = options.material;
  result.limits = breakLimits(m.young, m.poisson, cache.density, m.strength, m.toughness);
  if (options.threshold) result.limits = {*options.threshold, 0.0};
  return result;
}

Outputs breakByImpact(const Inputs& inputs, const Options& options, Context& context) {
  const auto modes =
      loadedModes(inputs.blob(kModes), inputs.has(kMesh) ? &inputs.geometry(kMesh) : nullptr, context);
  const ModesCache& cache = modes->cache;
  std::optional<Gluing> earlier;
  std::optional<PieceFinder> finder;
  if (inputs.has(kBroken)) {
    earlier = earlierGluing(*modes, inputs.geometry(kBroken));
    finder.emplace(inputs.geometry(kBroken), *earlier, context);
  }
  const std::vector<Blow> impacts = makeImpacts(options, finder ? &*finder : nullptr);
  if (impacts.empty())
    context.warn(
        "there is no impact, so nothing breaks; give --at, --dir and --impulse, --impact records, or points "
        "on the "
        "input impacts");
  const ImpactOptions projection = impactOptions(options, cache);
  const ImpactResult hit = modes->projector.project(impacts, projection, earlier ? &*earlier : nullptr);
  const Gluing gluing = earlier ? glueWithin(cache.parts, hit.glued, *earlier)
                                : glueContacts(cache.parts, hit.glued, options.output.cut.pieces.prefix);
  FracturePieces pieces;
  {
    const Context::Stage stage(context, "glue", 0.3);
    pieces = gluePieces(cache.parts, cache.twins, gluing, context);
  }
  addFragments(pieces.geometry, *modes, gluing);
  if (options.velocity) addVelocity(pieces, cache, gluing, hit.velocity);
  Outputs outputs =
      fractureOutputs(cache.volume, std::move(pieces), options.output, cache.insideGroup, context);
  outputs.result.set("impacts", impacts.size());
  outputs.result.set("parts", cache.masses.size());
  outputs.result.set("broken_contacts",
                     static_cast<size_t>(std::count(hit.glued.begin(), hit.glued.end(), 0)));
  outputs.result.set("largest_load", hit.largestLoad);
  outputs.result.set("limit_speed", projection.limits.speed);
  outputs.result.set("limit_energy", projection.limits.energy);
  return outputs;
}

void describeDirection(ParameterRow row) {
  row.unit("none").soft(-1, 1).help(
      "Direction of the blow; its length does not matter. With equal weights per axis the pieces do not "
      "depend "
      "on it.");
}

ParameterTable<ImpactRecord> recordTable() {
  ParameterTable<ImpactRecord> table;
  table.add(&ImpactRecord::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Where the blow lands; the nearest place of the solid is hit.");
  describeDirection(table.add(&ImpactRecord::direction, "dir", "Direction"));
  table.add(&ImpactRecord::impulse, "impulse", "Impulse")
      .unit("N s")
      .hard(0, 1e12)
      .soft(0, 100)
      .help("Mass times change of velocity of what hits.");
  table.add(&ImpactRecord::piece, "piece", "Piece")
      .help("With the input broken: the piece that is hit, if not the nearest one.");
  return table;
}

ParameterTable<Options> parameters() {
  ParameterTable<Options> table;
  table.section("Impact");
  table.add(&Options::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .help("Where a single blow lands; the nearest place of the solid is hit.");
  describeDirection(table.add(&Options::direction, "dir", "Direction"));
  table.add(&Options::impulse, "impulse", "Impulse")
      .unit("N s")
      .hard(0, 1e12)
      .soft(0, 100)
      .help(
          "Mass times change of velocity of what hits: 0.5 kg that is stopped from 4 m/s gives 2. Lowering "
          "it "
          "never adds pieces.");
  table.addList(&Options::impacts, "impact", "Impacts", recordTable())
      .fromPoints("impacts")
      .help("Further blows; all act at once and add up.");
  table.section("Breaking");
  table.add(&Options::projection, "projection", "Projection")
      .menu({{"modes", "Modes"}, {"parts", "Parts"}})
      .help(
          "Modes: parts move as the modes allow, so one blow may open faults that belong to the same mode "
          "far "
          "away. Parts: each part moves by itself, so that only what is near breaks.");
  table.add(&Options::modes, "modes", "Modes")
      .unit("none")
      .hard(0, 1000)
      .soft(1, 50)
      .enabledWhen("projection", {"modes"})
      .help("Use the first so many modes; not given: all in the file.");
  table.add(&Options::sigma, "sigma", "Sigma")
      .unit("none")
      .hard(0, 1e9)
      .soft(0.1, 10)
      .help("Multiplies what the material withstands. Raising it never adds pieces.");
  table.add(&Options::threshold, "threshold", "Threshold")
      .unit("m/s")
      .hard(0, 1e9)
      .soft(0, 10)
      .help(
          "Difference in velocity at which neighbours part, instead of the one that follows from the "
          "material.");
  table.include(&Options::material, strengthTable());
  table.section("Output");
  table.add(&Options::velocity, "velocity", "Velocity")
      .help(
          "Give points the attribute v (m/s): what each piece gets of the impulse, to start a simulation "
          "with.");
  table.include(&Options::output, gluedOutputTable());
  return table;
}

}  // namespace

Operator modesImpactOperator() {
  Operator op;
  op.id = "modes_impact";
  op.label = "Modes Impact";
  op.summary = "Break a solid by a blow, along the fracture modes in a file";
  op.help =
      "Takes the file that the operator modes wrote and blows, and gives the pieces. The blow spreads into "
      "the "
      "solid as a shock and is projected on the modes; neighbouring parts come apart where the difference of "
      "their velocities is more than the material withstands: both the tensile strength (a jump of velocity "
      "v "
      "loads a fault with half of density times speed of sound times v) and the energy of the new surface "
      "must "
      "be exceeded. Raising sigma or lowering the impulse never adds pieces.\n\n"
      "This is a model for pictures, not for engineering: the shock is one step of diffusion, parts are "
      "rigid, "
      "and nothing says that a fault between two modes could not open. Impulses are in true units, so a cup "
      "that falls on a floor breaks and a cup that is set down does not.\n\n"
      "Pieces of an earlier blow break again if they are given on the input broken (the .bgeo that this "
      "operator wrote, not moved): the blow stays in the piece that it hits, named by piece or the nearest. "
      "Pieces are put together from the parts in the file, so faces of the surface stay cut along faults "
      "that "
      "did not open.";
  op.category = "Fracture";
  op.examples = {
      "modes_impact figure.modes --at 0.2,0.9,0 --dir -1,0,0 --impulse 5 -o pieces.bgeo",
      "modes_impact cup.modes --impact at=0,0,0 dir=0,1,0 impulse=2 --impact at=0,0.1,0.05 --preset "
      "ceramic -o pieces.bgeo",
      "modes_impact cup.modes - pieces.bgeo --at 0,0.1,0 --impulse 3 -o smaller.bgeo"};
  op.inputs = {{"cache", "Modes", "What the operator modes made.", PortType::Blob},
               {"impacts", "Impacts", "Points where blows land, with dir, impulse and piece.",
                PortType::Geometry, true},
               {"broken", "Broken", "Pieces of an earlier blow, to break further.", PortType::Geometry, true},
               {"geometry", "Surface", "The surface that the modes should be of; another one is refused.",
                PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), breakByImpact);
  return op;
}

}  // namespace hackle
