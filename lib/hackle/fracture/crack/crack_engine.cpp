#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/core/pi.h>
#include <hackle/fracture/crack/crack_engine.h>
#include <hackle/fracture/crack/crack_leftovers.h>
#include <hackle/fracture/crack/crack_place.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/fracture/piece_lists.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/geometry_key.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

constexpr const char* kKind = "crack.engine";
constexpr uint32_t kVersion = 4;
// Of the solid: pieces of less break no more ([Hahn17] 7.3).
constexpr double kBreaksAgain = 0.02;
// Of what the mesh encloses: pieces of more keep it.
constexpr double kKeepsMesh = 0.95;

/// Doubles as they are: a geometry in an archive may round.
void addMesh(ArchiveWriter& archive, const std::string& prefix, const TriangleMesh& mesh) {
  std::vector<double> points;
  for (const Vec3& p : mesh.points) points.insert(points.end(), p.data(), p.data() + 3);
  std::vector<int32_t> corners;
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  archive.add(prefix + "points", Span<const double>(points));
  archive.add(prefix + "corners", Span<const int32_t>(corners));
  archive.add(prefix + "primitives", mesh.primitives.span());
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::BadInput, "the saved state of the crack engine " + what, "prepare the solid anew");
}

TriangleMesh readMesh(const ArchiveReader& archive, const std::string& prefix) {
  TriangleMesh mesh;
  const std::vector<double> points = archive.float64s(prefix + "points");
  const std::vector<int32_t> corners = archive.int32s(prefix + "corners");
  if (points.size() % 3 != 0 || corners.size() % 3 != 0) refuse("does not fit together");
  for (size_t p = 0; p < points.size(); p += 3)
    mesh.points.edit().emplace_back(points[p], points[p + 1], points[p + 2]);
  for (size_t c = 0; c < corners.size(); c += 3) {
    const Triangle t{corners[c], corners[c + 1], corners[c + 2]};
    for (const int32_t corner : t)
      if (corner < 0 || corner >= static_cast<int32_t>(mesh.points.size())) refuse("does not fit together");
    mesh.triangles.edit().push_back(t);
  }
  mesh.primitives.edit() = archive.int32s(prefix + "primitives");
  return mesh;
}

std::shared_ptr<CrackEngineState> stateOf(CrackBodies made, SolidPtr solid, const Vec3& origin) {
  auto state = std::make_shared<CrackEngineState>();
  state->solid = std::move(solid);
  state->origin = origin;
  state->bodies = std::move(made.bodies);
  state->applied = std::move(made.applied);
  return state;
}

/// The mesh and the system of a body, for its pieces.
std::shared_ptr<const KeptMesh> keptMesh(const CrackBody& body, const Vec3& origin) {
  return std::make_shared<const KeptMesh>(KeptMesh{body.mesh.solved, body.mesh.coarse, origin, body.system});
}

/// States of the pieces of one body: what is left of its cracks, and its mesh for the piece that is nearly
/// all of it. Null for pieces that are too small to break again.
std::vector<EngineStatePtr> statesOfPieces(const CrackEngineState& of, const FracturePieces& pieces,
                                           const GrownBody& grown, Context& context) {
  std::vector<EngineStatePtr> states(pieces.names.size());
  if (states.size() == 1) {
    // It held: mesh, system and fronts stay.
    auto state = std::make_shared<CrackEngineState>(of);
    state->grown = saveCrackState(*grown.solver);
    states[0] = std::move(state);
    return states;
  }
  const std::vector<std::vector<int32_t>> primitives = primitivesOfPieces(pieces);
  const double volume = std::accumulate(pieces.volume.begin(), pieces.volume.end(), 0.0);
  const double meshed = massProperties(grown.body->mesh.solved, context).volume;
  for (size_t i = 0; i < states.size(); ++i) {
    if (pieces.volume[i] <= kBreaksAgain * volume) continue;
    const TriangleBvh piece(triangleMesh(pieces.geometry.extract(primitives[i])), context);
    auto state = std::make_shared<CrackEngineState>();
    state->volume = pieces.volume[i];
    state->leftovers = leftoverCracks(*grown.solver, piece, grown.body->options.coarse);
    moveBack(of.origin, state->leftovers, context);
    if (pieces.volume[i] > kKeepsMesh * meshed) state->kept = keptMesh(*grown.body, of.origin);
    states[i] = std::move(state);
  }
  return states;
}

/// Whether a solid is the piece of this volume that has these cracks. Its points may have been numbered anew
/// or rounded since.
bool isPieceOf(const Geometry& leftovers, double volume, const Solid& solid) {
  constexpr double kVolume = 1e-3, kOut = 1e-3;  // of the volume, and of the diagonal
  if (!(std::abs(solid.mass.volume - volume) <= kVolume * volume)) return false;
  if (leftovers.primitiveCount() == 0) return true;
  const Box3 cracks = leftovers.bounds(), box = solid.geometry.bounds();
  const Vec3 skin = Vec3::Constant(kOut * box.diagonal());
  return ((cracks.min + skin).array() >= box.min.array()).all() &&
         ((cracks.max - skin).array() <= box.max.array()).all();
}

/// False if a spin (rad/s) alone surely leaves a solid whole: not even a limb as thin as the solid is on
/// average, bent by its inertia, would come near to breaking.
bool spinMayBreak(const Solid& solid, const Vec3& spin, const CrackMaterialOptions& material) {
  constexpr double kConcentration = 4.0, kWeakest = 0.3;
  if (spin.isZero(0)) return false;
  const bool painted = material.strengthPattern.kind != PatternKind::Uniform ||
                       material.toughnessPattern.kind != PatternKind::Uniform;
  if (painted) return true;
  const double size = solid.geometry.bounds().diagonal();
  const double thickness = 2 * solid.mass.volume / solid.mass.area;
  // A limb of half the size, that far from the axis.
  const double bending =
      0.375 * material.elastic.density * spin.squaredNorm() * size * size * std::max(1.0, size / thickness);
  const double least = std::min(material.strength, material.toughness / std::sqrt(size));
  return kConcentration * bending >= kWeakest * least;
}

/// What of the options is meant for pieces: the solid's own cracks are in `leftovers`.
CrackEngineOptions optionsOfPiece(CrackEngineOptions options, const Geometry& leftovers) {
  options.mesh.reset();
  options.initial.clear();
  options.sheets.reset();
  options.piece = true;
  if (leftovers.primitiveCount() > 0) options.sheets = leftovers;
  return options;
}

/// Of the frame that a solid is worked on in.
Vec3 originOf(const CrackEngineState& state, const Solid& solid) {
  return state.kept ? state.kept->origin : localOrigin(solid.geometry.bounds());
}

/// The state of a piece that nothing has acted on; one without volume if the state is of no piece.
std::shared_ptr<CrackEngineState> readPiece(const ArchiveReader& archive, const Solid& solid) {
  auto state = std::make_shared<CrackEngineState>();
  state->leftovers = readGeometry(archive, "leftovers.");
  const std::vector<double> volume = archive.float64s("volume");
  const std::vector<int32_t> kept = archive.int32s("kept");
  if (volume.size() != 1 || kept.size() > 1) refuse("does not fit together");
  state->volume = volume[0];
  if (state->volume == 0) return state;
  if (!isPieceOf(state->leftovers, state->volume, solid)) refuse("is of another solid");
  if (kept.empty()) return state;
  const std::vector<double> origin = archive.float64s("kept.origin");
  if (origin.size() != 3) refuse("does not fit together");
  state->kept = std::make_shared<const KeptMesh>(
      KeptMesh{readMesh(archive, "kept."), kept[0] != 0, Vec3(origin.data()), nullptr});
  return state;
}

bool isCracked(const CrackEngineState& state) {
  return !state.grown.empty() || state.leftovers.primitiveCount() > 0 ||
         std::any_of(state.bodies.begin(), state.bodies.end(),
                     [](const CrackBody& body) { return !body.cracks.empty(); });
}

/// The smallest factor of all bodies, or else the first reason.
std::optional<Held> nearestToBreaking(const std::vector<std::optional<Held>>& held) {
  std::optional<Held> best;
  for (const std::optional<Held>& one : held) {
    if (!one) continue;
    const bool nearer = best && one->factor && (!best->factor || *one->factor < *best->factor);
    if (!best || nearer) best = one;
  }
  return best;
}

}  // namespace

size_t CrackEngineState::bytes() const {
  constexpr size_t kPerTriangle = 100;
  size_t sum = grown.size() + kPerTriangle * leftovers.primitiveCount();
  if (kept) sum += hackle::bytesOf(kept->solved) + (kept->system ? kept->system->bytes() : 0);
  if (!origin.isZero(0)) sum += solid->bytes();
  for (const CrackBody& body : bodies) sum += body.bytes();
  return sum;
}

EngineStatePtr CrackEngine::prepare(const SolidPtr& solid, Context& context) const {
  const Vec3 origin = localOrigin(solid->geometry.bounds());
  const SolidPtr local = movedTo(origin, solid, context);
  return stateOf(crackBodies(local, movedTo(origin, mOptions, context), context), local, origin);
}

double CrackEngine::harmlessForce(const Solid& solid, const EngineState* state, double thickness,
                                  const LoadCase& load) const {
  // Stress at a notch over that of the section without it, as far as triangles tell it.
  constexpr double kNotch = 5.0;
  const auto isWeaker = [](const PatternOptions& pattern) {
    return pattern.amount < 0 || pattern.kind > PatternKind::Grains;
  };
  const bool atOnce = load.duration || mOptions.loading == CrackLoading::Sudden;
  if (!atOnce || !mOptions.conditions.empty() || !mOptions.initial.empty() || mOptions.sheets ||
      isWeaker(mOptions.material.strengthPattern) || (state && isCracked(stateAs<CrackEngineState>(*state))))
    return 0;
  double area = 0;
  for (const Triangle& t : solid.mesh.triangles) {
    const Vec3& a = solid.mesh.points[t[0]];
    area += 0.5 * (solid.mesh.points[t[1]] - a).cross(solid.mesh.points[t[2]] - a).norm();
  }
  // All forces at one end of the longest lever that the thinnest section has, and on one patch; meshes have
  // up to twice as many triangles as asked for.
  const double size = solid.bvh.bounds().diagonal();
  const double section = 32 * size / (kPi * thickness * thickness * thickness);
  const double edge = std::sqrt(area / static_cast<double>(2 * mOptions.triangles) * 4 / std::sqrt(3.0));
  const double patch = std::min({mOptions.coarse.value_or(edge), edge, 2 * thickness});
  return mOptions.material.strength / (kNotch * section + 1 / (kPi * patch * patch));
}

bool CrackEngine::mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const {
  const auto& own = stateAs<CrackEngineState>(state);
  const std::vector<CrackBody>& bodies = own.bodies;
  if (mOptions.steps == 0 || (mOptions.cracks == 0 && !isCracked(own))) return false;
  if (std::any_of(bodies.begin(), bodies.end(), [](const CrackBody& body) { return carriesLoad(body.data); }))
    return true;
  const bool held = !mOptions.conditions.empty();
  if (held && !(load.acceleration.isZero(0) && load.angularAcceleration.isZero(0))) return true;
  if (spinMayBreak(solid, load.spin, mOptions.material)) return true;
  return std::any_of(load.impacts.begin(), load.impacts.end(),
                     [](const Impact& i) { return i.impulse > 0; }) ||
         std::any_of(load.steady.begin(), load.steady.end(),
                     [](const SteadyForce& f) { return !f.force.isZero(0); });
}

FractureResult crackResult(const Solid& solid, const std::vector<GrownBody>& bodies,
                           const CrackPieceOptions& options, std::vector<std::optional<Held>>* held,
                           Context& context) {
  CrackedSolid cracked = crackedSolid(solid, bodies, options, context);
  FractureResult result;
  result.report = crackReport(bodies);
  const CrackCost cost = crackCost(bodies);
  result.area = cost.area;
  result.energy = cost.energy;
  result.report.set("crack_area", cost.area);
  result.report.set("crack_energy", cost.energy);
  if (cracked.pieces.names.size() <= bodies.size()) result.held = nearestToBreaking(cracked.held);
  if (held) *held = std::move(cracked.held);
  result.states.resize(cracked.pieces.names.size());
  result.pieces = std::move(cracked.pieces);
  return result;
}

FractureResult CrackEngine::fractureBodies(const CrackEngineState& state, const LoadCase& load,
                                           Context& context) const {
  CrackRunHooks hooks;
  hooks.resume = [&](size_t, CrackSolver& solver) {
    if (state.grown.empty()) return false;
    resumeCracks(solver, state.grown, context);
    return true;
  };
  const std::vector<GrownBody> run =
      growCracks(*state.solid, state.bodies, mOptions, movedTo(state.origin, load), hooks, context);
  CrackPieceOptions pieces = mOptions.pieces;
  if (load.maxPieces) pieces.maxPieces = *load.maxPieces;
  FractureResult result = crackResult(*state.solid, run, pieces, nullptr, context);
  // Cracks that were there before are not opened again.
  const CrackCost opened = crackCost(run, true);
  result.area = opened.area;
  result.energy = opened.energy;
  if (run.size() == 1 && run[0].solver && !run[0].solver->cracks().empty())
    result.states = statesOfPieces(state, result.pieces, run[0], context);
  moveBack(state.origin, result.pieces, context);
  result.report.set("conditions", conditionReport(state.applied));
  return result;
}

/// What a piece is solved on, now that something acts on it.
std::shared_ptr<CrackEngineState> CrackEngine::preparePiece(const Solid& piece, const CrackEngineState& state,
                                                            const Geometry& leftovers,
                                                            Context& context) const {
  const Vec3 origin = originOf(state, piece);
  const SolidPtr solid = movedTo(origin, Solid::ofChecked(piece.geometry, context), context);
  const CrackEngineOptions local = movedTo(origin, optionsOfPiece(mOptions, leftovers), context);
  CrackBodies bodies;
  if (state.kept) {
    SolveMesh mesh = meshOn(solid, state.kept->solved, context);
    mesh.coarse = state.kept->coarse;
    bodies = crackBodies({std::move(mesh)}, CrackSystems{state.kept->system}, local, context);
  } else {
    bodies = crackBodies(solid, local, context);
  }
  const std::shared_ptr<CrackEngineState> made = stateOf(std::move(bodies), solid, origin);
  made->volume = state.volume;
  made->leftovers = leftovers;
  made->kept = state.kept;
  return made;
}

FractureResult CrackEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                     Context& context) const {
  const auto& own = stateAs<CrackEngineState>(state);
  if (!own.bodies.empty()) return fractureBodies(own, load, context);
  const auto fractureWith = [&](const Geometry& leftovers) {
    const std::shared_ptr<CrackEngineState> made = preparePiece(solid, own, leftovers, context);
    FractureResult result = fractureBodies(*made, load, context);
    // A piece that held need not be prepared again.
    if (result.states.size() == 1 && !result.states[0]) result.states[0] = made;
    return result;
  };
  try {
    return fractureWith(own.leftovers);
  } catch (const InitialCrackError&) {
    return fractureWith(Geometry());  // they are forgotten
  }
}

std::string CrackEngine::save(const EngineState& state) const {
  const auto& own = stateAs<CrackEngineState>(state);
  // A piece without fronts is prepared anew, as a solid is.
  const bool isFresh = own.volume > 0 && own.grown.empty();
  const std::vector<CrackBody> bodies = isFresh ? std::vector<CrackBody>() : own.bodies;
  ArchiveWriter archive(kKind, kVersion);
  addGeometry(archive, "leftovers.", own.leftovers);
  archive.add("volume", Span<const double>(&own.volume, 1));
  const std::vector<int32_t> kept(own.kept ? 1 : 0, own.kept && own.kept->coarse ? 1 : 0);
  archive.add("kept", Span<const int32_t>(kept));
  if (own.kept) {
    addMesh(archive, "kept.", own.kept->solved);
    archive.add("kept.origin", Span<const double>(own.kept->origin.data(), 3));
  }
  archive.add("grown",
              Span<const uint8_t>(reinterpret_cast<const uint8_t*>(own.grown.data()), own.grown.size()));
  std::vector<int64_t> prints, flags;
  for (size_t b = 0; b < bodies.size(); ++b) {
    const SolveMesh& mesh = bodies[b].mesh;
    prints.push_back(static_cast<int64_t>(geometryFingerprint(mesh.solid->geometry)));
    flags.push_back((mesh.coarse ? 1 : 0) + (mesh.given ? 2 : 0));
    const std::string prefix = fmt::format("body{}.", b);
    addMesh(archive, prefix, mesh.solved);
    archive.add(prefix + "source", Span<const int32_t>(mesh.source));
    if (mesh.given) addGeometry(archive, prefix + "given.", *mesh.given);
  }
  archive.add("solids", Span<const int64_t>(prints));
  archive.add("flags", Span<const int64_t>(flags));
  return archive.finish();
}

EngineStatePtr CrackEngine::load(const SolidPtr& solid, std::string_view bytes, Context& context) const {
  const ArchiveReader archive(bytes, kKind, kVersion);
  const std::vector<int64_t> prints = archive.int64s("solids"), flags = archive.int64s("flags");
  const std::vector<uint8_t> grown = archive.bytes("grown");
  const std::shared_ptr<CrackEngineState> piece = readPiece(archive, *solid);
  if (prints.empty()) return piece;
  const bool isPiece = piece->volume > 0;
  const Vec3 origin = originOf(*piece, *solid);
  const SolidPtr local = movedTo(origin, solid, context);
  const std::vector<SolidPtr> solids = bodySolids(local, context);
  if (prints.size() != flags.size()) refuse("does not fit together");
  if (prints.size() != solids.size()) refuse("is of another solid");
  std::vector<SolveMesh> meshes(prints.size());
  for (size_t b = 0; b < meshes.size(); ++b) {
    SolveMesh& mesh = meshes[b];
    if (prints[b] != static_cast<int64_t>(geometryFingerprint(solids[b]->geometry)))
      refuse("is of another solid");
    const std::string prefix = fmt::format("body{}.", b);
    mesh.solid = solids[b];
    mesh.solved = readMesh(archive, prefix);
    mesh.source = archive.int32s(prefix + "source");
    mesh.coarse = (flags[b] & 1) != 0;
    if (flags[b] & 2) mesh.given = readGeometry(archive, prefix + "given.");
    if (mesh.source.size() != mesh.solved.triangles.size()) refuse("does not fit together");
  }
  const CrackEngineOptions options = isPiece ? optionsOfPiece(mOptions, piece->leftovers) : mOptions;
  const auto state =
      stateOf(crackBodies(std::move(meshes), movedTo(origin, options, context), context), local, origin);
  state->volume = piece->volume;
  state->leftovers = std::move(piece->leftovers);
  state->kept = piece->kept;
  state->grown.assign(grown.begin(), grown.end());
  return state;
}

}  // namespace hackle
