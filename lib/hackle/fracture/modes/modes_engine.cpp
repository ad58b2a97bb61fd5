#include <hackle/fracture/modes/modes_engine.h>

#include <hackle/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

[[noreturn]] void refuseOtherSolid() {
  throw Error(ErrorCode::BadInput, "the modes were found for another solid", "find those of this one");
}

}  // namespace

ProjectionOptions projectionOptions(const ModesBreaking& breaking, const ModesCache& cache) {
  ProjectionOptions result;
  result.projection = breaking.projection;
  result.modes = breaking.modes;
  result.sigma = breaking.sigma;
  result.limits =
      breakLimits(breaking.young, breaking.poisson, cache.density, breaking.strength, breaking.toughness);
  if (breaking.threshold) result.limits = {*breaking.threshold, 0.0};
  return result;
}

std::optional<Held> heldByModes(const ProjectionResult& result, size_t impacts, double sigma) {
  if (result.pieces > result.before) return {};
  Held held;
  if (impacts == 0) {
    held.reason = "there is no impact, so nothing breaks";
    return held;
  }
  if (result.limited) {
    held.by = HeldBy::Limit;
    held.reason = "nothing breaks, because no more pieces are allowed";
    return held;
  }
  if (!result.breakingLoad) {
    held.by = HeldBy::Resolution;
    held.reason =
        "nothing breaks: what is hit is a single part of its fracture modes; find more modes, or modes in a "
        "finer cage";
    return held;
  }
  held.by = result.opened > 0 ? HeldBy::Toughness : HeldBy::Strength;
  const char* what = result.opened > 0 ? "faults open, but no piece comes off" : "nothing breaks";
  const double factor = sigma / *result.breakingLoad;
  if (!std::isfinite(factor)) {
    held.reason = fmt::format("{}: the impacts load no fault; hit another place, or with more modes", what);
    return held;
  }
  held.factor = factor;
  held.reason =
      fmt::format("{}: that takes {:.3g} times the impulse; raise it, or lower sigma", what, factor);
  return held;
}

void addProjectionFigures(Value& report, const ProjectionResult& result, const ProjectionOptions& options) {
  report.set("parts", result.velocity.size());
  report.set("broken_contacts", static_cast<size_t>(std::count(result.glued.begin(), result.glued.end(), 0)));
  report.set("largest_load", result.largestLoad);
  report.set("limit_speed", options.limits.speed);
  report.set("limit_energy", options.limits.energy);
}

EngineStatePtr ModesEngine::prepare(const SolidPtr& solid, Context& context) const {
  if (!mOptions.found) return withHulls(modesOfSolid(solid, mOptions.modes, context)->state, context);
  if (!areModesOf(mOptions.found->cache, solid->geometry, solid->mass.volume)) refuseOtherSolid();
  return withHulls(mOptions.found, context);
}

ProjectionOptions ModesEngine::optionsFor(const ModesState& state, const LoadCase& load) const {
  ProjectionOptions options = projectionOptions(mOptions.breaking, state.cache);
  options.maxPieces = load.maxPieces;
  return options;
}

bool ModesEngine::mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const {
  if (load.impacts.empty()) return false;
  const ModesState& modes = modesOf(state);
  const std::vector<Impact> impacts = impactsOnSurface(load.impacts, solid.bvh);
  const ProjectionResult hit = modes.projector.project(impacts, optionsFor(modes, load));
  return hit.pieces > hit.before;
}

FractureResult ModesEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                     Context& context) const {
  const ModesState& modes = modesOf(state);
  const ModesCache& cache = modes.cache;
  const std::vector<Impact> impacts = impactsOnSurface(load.impacts, solid.bvh);
  const ProjectionOptions options = optionsFor(modes, load);
  const ProjectionResult hit = modes.projector.project(impacts, options);

  FractureResult result;
  addProjectionFigures(result.report, hit, options);
  result.held = heldByModes(hit, impacts.size(), options.sigma);
  if (result.held) {
    result.pieces = wholePieces(solid, mOptions.modes.cut, context);
    // The body keeps its state; of bodies in several parts there is none for each.
    result.states.assign(result.pieces.names.size(), nullptr);
    if (result.states.size() == 1) result.states.front() = modes.weak_from_this().lock();
    return result;
  }
  const Gluing gluing = glueContacts(cache.parts, hit.glued, mOptions.modes.cut.pieces.prefix);
  {
    const Context::Stage stage(context, "glue");
    result.pieces = gluePieces(cache.parts, cache.twins, gluing, context);
  }
  result.area = crackArea(result.pieces);
  if (!mOptions.breaking.threshold) result.energy = options.limits.energy * result.area;
  std::vector<std::vector<int32_t>> parts(gluing.names.size());
  for (size_t p = 0; p < gluing.groupOf.size(); ++p)
    parts[gluing.groupOf[p]].push_back(static_cast<int32_t>(p));
  for (std::vector<int32_t>& mine : parts) {
    if (!cache.hulls.empty()) {
      result.hulls.emplace_back();
      for (const int32_t p : mine)
        result.hulls.back().insert(result.hulls.back().end(), cache.hulls[p].begin(), cache.hulls[p].end());
    }
    result.states.push_back(
        std::make_shared<const ModesPieceState>(modes.shared_from_this(), std::move(mine)));
  }
  return result;
}

std::string ModesEngine::save(const EngineState& state) const { return writeModes(modesOf(state).cache); }

EngineStatePtr ModesEngine::load(const SolidPtr& solid, std::string_view bytes, Context& context) const {
  ModesStatePtr state = readModesState(bytes, context);
  if (!areModesOf(state->cache, solid->geometry, solid->mass.volume)) refuseOtherSolid();
  return state;
}

}  // namespace hackle
