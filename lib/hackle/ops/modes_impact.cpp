#include <hackle/geometry/piece_names.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/impact_table.h>
#include <hackle/ops/modes_tables.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

/// An impact on what an earlier one left.
struct PieceImpact {
  Impact impact;
  std::string piece;  // empty: the nearest one
};

struct Options {
  std::optional<Vec3> at;
  Vec3 direction = Vec3(0, -1, 0);
  double impulse = 1.0;
  std::vector<PieceImpact> impacts;
  ModesBreaking breaking;
  MaterialOptions material;
  bool velocity = false;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kModes, kImpacts, kBroken, kMesh };

constexpr const char* kFragments = "fragments";   // detail: the name of the piece that each part is in
constexpr const char* kModesId = "fragments_of";  // detail: which modes the parts are of

// Earlier pieces --------------------------------------------------------------------------------------------

/// What an earlier impact left, as it stands in the file that it wrote.
Gluing earlierGluing(const ModesState& modes, const Geometry& broken) {
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

/// The pieces of an earlier impact, by name and by place.
class PieceFinder {
 public:
  PieceFinder(const Geometry& broken, const Gluing& gluing, Context& context)
      : mGluing(gluing), mMesh(triangleMesh(broken, context)), mBvh(mMesh, context) {
    if (hasPieceNames(broken)) mPieces = piecesByName(broken);
  }

  const TriangleBvh& bvh() const { return mBvh; }

  int32_t named(const std::string& name) const {
    const auto found = std::find(mGluing.names.begin(), mGluing.names.end(), name);
    if (found == mGluing.names.end())
      throw Error(ErrorCode::BadInput, fmt::format("there is no piece {} on the input broken", name),
                  "leave piece empty to hit the nearest one");
    return static_cast<int32_t>(found - mGluing.names.begin());
  }

  /// The piece of the nearest face.
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

// Impacts ---------------------------------------------------------------------------------------------------

std::vector<PieceImpact> givenImpacts(const Options& options) {
  std::vector<PieceImpact> impacts;
  if (options.at) {
    Impact impact;
    impact.position = *options.at;
    impact.direction = options.direction;
    impact.impulse = options.impulse;
    impacts.push_back({impact, ""});
  }
  impacts.insert(impacts.end(), options.impacts.begin(), options.impacts.end());
  return impacts;
}

std::vector<int32_t> hitPieces(const std::vector<PieceImpact>& impacts, const PieceFinder& finder) {
  std::vector<int32_t> hit;
  for (const PieceImpact& given : impacts)
    hit.push_back(given.piece.empty() ? finder.nearest(given.impact.position) : finder.named(given.piece));
  return hit;
}

/// What the next impact on these pieces will need to know.
void addFragments(Geometry& geometry, const ModesState& modes, const Gluing& gluing) {
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

FracturePieces gluedPieces(const ModesState& modes, const Gluing& gluing, const Options& options,
                           const ProjectionResult& hit, Context& context) {
  const Context::Stage stage(context, "glue", 0.3);
  FracturePieces pieces = gluePieces(modes.cache.parts, modes.cache.twins, gluing, context);
  addFragments(pieces.geometry, modes, gluing);
  if (options.velocity) addVelocity(pieces, modes.cache, gluing, hit.velocity);
  return pieces;
}

/// Says why nothing breaks, to the user and in the report.
void sayWhatHeld(const Held& held, bool hit, Value& report, Context& context) {
  context.warn(hit ? held.reason
                   : held.reason +
                         "; give at, dir and impulse, records of impact, or points on the input impacts");
  report.set("held", heldByName(held.by));
  if (held.factor) report.set("held_factor", *held.factor);
}

Outputs breakByImpacts(const Inputs& inputs, const Options& options, Context& context) {
  const auto loaded =
      loadedModes(inputs.blob(kModes), inputs.has(kMesh) ? &inputs.geometry(kMesh) : nullptr, context);
  const ModesState& modes = *loaded->state;
  const std::vector<PieceImpact> given = givenImpacts(options);
  std::vector<Impact> impacts;
  for (const PieceImpact& g : given) impacts.push_back(g.impact);

  // Find what is hit: the solid, or pieces of it.
  std::optional<EarlierPieces> earlier;
  if (inputs.has(kBroken)) {
    earlier.emplace();
    earlier->gluing = earlierGluing(modes, inputs.geometry(kBroken));
    const PieceFinder finder(inputs.geometry(kBroken), earlier->gluing, context);
    earlier->hit = hitPieces(given, finder);
    impacts = impactsOnSurface(impacts, finder.bvh());
  } else {
    impacts = impactsOnSurface(impacts, loaded->bvh);
  }

  const ProjectionOptions projection =
      projectionOptions(breakingOf(options.breaking, options.material), modes.cache);
  const ProjectionResult hit = modes.projector.project(impacts, projection, earlier ? &*earlier : nullptr);
  const Gluing gluing = earlier
                            ? glueWithin(modes.cache.parts, hit.glued, earlier->gluing)
                            : glueContacts(modes.cache.parts, hit.glued, options.output.cut.pieces.prefix);
  Outputs outputs = fractureOutputs(modes.cache.volume, gluedPieces(modes, gluing, options, hit, context),
                                    options.output, modes.cache.insideGroup, context);
  outputs.result.set("impacts", impacts.size());
  addProjectionFigures(outputs.result, hit, projection);
  if (const std::optional<Held> held = heldByModes(hit, impacts.size(), projection.sigma))
    sayWhatHeld(*held, !impacts.empty(), outputs.result, context);
  return outputs;
}

std::unique_ptr<FractureEngine> makeEngine(const Inputs& inputs, const Options& options, Context& context) {
  if (!inputs.has(kModes))
    throw Error(ErrorCode::Usage, "the engine modes_impact needs a file of modes on the input cache",
                "give what the operator modes wrote, or name the engine modes, which finds them itself");
  ModesEngineOptions engine;
  engine.modes.cut = options.output.cut;
  engine.breaking = breakingOf(options.breaking, options.material);
  engine.found = loadedModes(inputs.blob(kModes), nullptr, context)->state;
  return std::make_unique<ModesEngine>(std::move(engine));
}

ParameterTable<PieceImpact> pieceImpactTable() {
  ParameterTable<PieceImpact> table;
  table.include(&PieceImpact::impact, impactTable());
  table.add(&PieceImpact::piece, "piece", "Piece")
      .help("With the input broken: the piece that is hit. Empty: the nearest one.");
  return table;
}

void addImpactRows(ParameterTable<Options>& table) {
  table.section("Impact");
  table.add(&Options::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .help(
          "Where a single impact hits; the nearest place of the surface is taken. A place far from the "
          "surface is refused. Not given: only the list of impacts acts.");
  table.add(&Options::direction, "dir", "Direction")
      .unit("none")
      .soft(-1, 1)
      .help(
          "In which the solid is pushed; any length. With equal weights per axis the pieces do not depend on "
          "it.");
  table.add(&Options::impulse, "impulse", "Impulse")
      .unit("N s")
      .hard(0, 1e12)
      .soft(0, 100)
      .help(
          "Momentum that the impact gives to the solid: 0.5 kg that is stopped from 4 m/s gives 2. Lowering "
          "it never adds pieces.");
  table.addList(&Options::impacts, "impact", "Impacts", pieceImpactTable())
      .fromPoints("impacts")
      .help(
          "Further impacts; all act at once and add up. Their speed, mass and radius have no effect here: "
          "how far an impulse spreads was set when the modes were found.");
}

ParameterTable<Options> parameters() {
  ParameterTable<Options> table;
  addImpactRows(table);
  table.include(&Options::breaking, breakingTable(ModesRow::Used));
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
  op.summary = "Break a solid by impacts, along the fracture modes in a file";
  op.help =
      "Takes the file that the operator modes wrote and impacts, and gives the pieces. An impulse spreads "
      "into the solid as a shock and is projected on the modes; neighbouring parts separate where the "
      "difference of their velocities is more than the material withstands: both the tensile strength (a "
      "jump of velocity v loads a fault with half of density times speed of sound times v) and the energy of "
      "the new surface must be exceeded. Raising sigma or lowering the impulse never adds pieces. If nothing "
      "breaks, a warning says how many times the impulse it takes.\n\n"
      "This is a model for pictures, not for engineering: the shock is one step of diffusion, parts are "
      "rigid, and only faults of the modes can open. Impulses are in true units, so a cup that falls on a "
      "floor breaks and a cup that is set down does not.\n\n"
      "Pieces of an earlier impact break again if they are given on the input broken (the .bgeo file that "
      "this operator wrote, not moved): an impact acts on the piece that it hits, which is the one named by "
      "piece or the nearest. Pieces are put together from the parts in the file, so faces of the surface "
      "stay cut along faults that did not open.";
  op.category = "Fracture";
  op.examples = {
      "modes_impact figure.modes --at 0.2,0.9,0 --dir -1,0,0 --impulse 5 -o pieces.bgeo",
      "modes_impact cup.modes --impact at=0,0,0 dir=0,1,0 impulse=2 --impact at=0,0.1,0.05 --preset ceramic "
      "-o pieces.bgeo",
      "modes_impact cup.modes - pieces.bgeo --at 0,0.1,0 --impulse 3 -o smaller.bgeo"};
  Port impacts = impactPort();
  impacts.help += " The string attribute piece names the piece that is hit.";
  op.inputs = {
      {"cache", "Modes", "What the operator modes made.", PortType::Blob},
      std::move(impacts),
      {"broken", "Broken", "Pieces of an earlier impact, to break further.", PortType::Geometry, true},
      {"geometry", "Surface", "The surface that the modes should be of; another one is refused.",
       PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), breakByImpacts);
  op.bindEngine(makeEngine);
  return op;
}

}  // namespace hackle
