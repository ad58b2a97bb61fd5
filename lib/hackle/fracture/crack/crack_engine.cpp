#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_engine.h>
#include <hackle/fracture/crack/crack_leftovers.h>
#include <hackle/fracture/crack/crack_place.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/fracture/piece_lists.h>
#include <hackle/geometry/geometry_archive.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

constexpr const char* kKind = "crack.engine";
constexpr uint32_t kVersion = 3;
// Of the solid: pieces of less break no more ([Hahn17] 7.3).
constexpr double kBreaksAgain = 0.02;

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

/// What is left of the cracks of one body for its pieces; null for pieces without cracks.
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
  for (size_t i = 0; i < states.size(); ++i) {
    if (pieces.volume[i] <= kBreaksAgain * volume) continue;
    const TriangleBvh piece(triangleMesh(pieces.geometry.extract(primitives[i])), context);
    auto state = std::make_shared<CrackEngineState>();
    state->volume = pieces.volume[i];
    state->leftovers = leftoverCracks(*grown.solver, piece, grown.body->options.coarse);
    moveBack(of.origin, state->leftovers, context);
    if (state->leftovers.primitiveCount() > 0) states[i] = std::move(state);
  }
  return states;
}

/// Whether a solid is the piece that has these cracks. Its points may have been numbered anew or rounded
/// since.
bool isPieceOf(const Geometry& leftovers, double volume, const Solid& solid) {
  constexpr double kVolume = 1e-3, kOut = 1e-3;  // of the volume, and of the diagonal
  const Box3 cracks = leftovers.bounds(), box = solid.geometry.bounds();
  const Vec3 skin = Vec3::Constant(kOut * box.diagonal());
  return std::abs(solid.mass.volume - volume) <= kVolume * volume &&
         ((cracks.min + skin).array() >= box.min.array()).all() &&
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
  if (!origin.isZero(0)) sum += solid->bytes();
  for (const CrackBody& body : bodies) sum += body.bytes();
  return sum;
}

EngineStatePtr CrackEngine::prepare(const SolidPtr& solid, Context& context) const {
  const Vec3 origin = localOrigin(solid->geometry.bounds());
  const SolidPtr local = movedTo(origin, solid, context);
  return stateOf(crackBodies(local, movedTo(origin, mOptions, context), context), local, origin);
}

bool CrackEngine::mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const {
  const auto& own = stateAs<CrackEngineState>(state);
  const std::vector<CrackBody>& bodies = own.bodies;
  const bool cracked =
      !own.grown.empty() || own.leftovers.primitiveCount() > 0 ||
      std::any_of(bodies.begin(), bodies.end(), [](const CrackBody& body) { return !body.cracks.empty(); });
  if (mOptions.steps == 0 || (mOptions.cracks == 0 && !cracked)) return false;
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

FractureResult CrackEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                     Context& context) const {
  const auto& own = stateAs<CrackEngineState>(state);
  if (!own.bodies.empty()) return fractureBodies(own, load, context);
  CrackEngineOptions options = mOptions;
  options.mesh.reset();
  options.initial.clear();
  options.sheets = own.leftovers;
  const Vec3 origin = localOrigin(solid.geometry.bounds());
  const SolidPtr piece = movedTo(origin, Solid::ofChecked(solid.geometry, context), context);
  const auto fractureWith = [&] {
    const CrackEngineOptions local = movedTo(origin, options, context);
    return fractureBodies(*stateOf(crackBodies(piece, local, context), piece, origin), load, context);
  };
  try {
    return fractureWith();
  } catch (const InitialCrackError&) {
    options.sheets.reset();  // forgotten
  }
  return fractureWith();
}

std::string CrackEngine::save(const EngineState& state) const {
  const auto& own = stateAs<CrackEngineState>(state);
  const std::vector<CrackBody>& bodies = own.bodies;
  ArchiveWriter archive(kKind, kVersion);
  addGeometry(archive, "leftovers.", own.leftovers);
  archive.add("volume", Span<const double>(&own.volume, 1));
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
  Geometry leftovers = readGeometry(archive, "leftovers.");
  if (leftovers.primitiveCount() > 0) {
    const std::vector<double> volume = archive.float64s("volume");
    if (volume.size() != 1) refuse("does not fit together");
    if (!isPieceOf(leftovers, volume[0], *solid)) refuse("is of another solid");
    auto state = std::make_shared<CrackEngineState>();
    state->volume = volume[0];
    state->leftovers = std::move(leftovers);
    return state;
  }
  const Vec3 origin = localOrigin(solid->geometry.bounds());
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
  const auto state =
      stateOf(crackBodies(std::move(meshes), movedTo(origin, mOptions, context), context), local, origin);
  state->grown.assign(grown.begin(), grown.end());
  return state;
}

}  // namespace hackle
