#include <hackle/fracture/impact/impact_engine.h>

#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/fracture/impact/lattice_fragments.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/meshing/cut/cutter.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kSmallestPiece = 1e-4;  // of the solid: what counts as a piece when a number is asked for
constexpr int kSearchSteps = 12;

PaintedFactor factorOf(const Paint& paint, const Solid& solid, const std::string& what) {
  if (paint.empty()) return {};
  const PaintedField field(paint, solid.geometry, solid.mesh, solid.bvh, what);
  return [field](const Vec3& x) { return field.number(x); };
}

MemoKey bodyKey(const Solid& solid, const ModalBodyOptions& options) {
  MemoKey key("impact.body");
  addToKey(key, solid.mesh);
  key.add(options.material.young).add(options.material.poisson).add(options.material.density);
  key.add(options.elements.value_or(0)).add(options.modes).add(options.cellSize.value_or(0));
  return key;
}

/// Deformation under forces that last and under spin, m; empty without.
Eigen::VectorXd steadyDeformation(const ModalBody& body, const Solid& solid, const LoadCase& load,
                                  Context& context) {
  std::vector<PointForce> forces;
  for (const SteadyForce& s : load.steady)
    if (s.force.norm() > 0) forces.push_back({-1, solid.bvh.closestPoint(s.position).point, s.force});
  if (forces.empty() && load.spin.norm() == 0) return {};
  Eigen::VectorXd nodal = body.embedding().nodalForces(forces);
  if (load.spin.norm() > 0)
    for (size_t t = 0; t < body.tetrahedra().size(); ++t) {
      const double mass = body.material().density * body.parts()[t].share * body.tetShape(t).volume / 4;
      for (const int32_t p : body.tetrahedra()[t]) {
        const Vec3 arm = body.points()[p] - solid.mass.centre;
        nodal.segment<3>(3 * p) -= mass * load.spin.cross(load.spin.cross(arm));
      }
    }
  return body.body().solve(nodal, context);
}

Value strikeReport(const Strike& strike) {
  return Value::Map{{"impulse", strike.impulse},
                    {"impulse_asked", strike.asked},
                    {"duration", strike.pulse.duration()},
                    {"peak_force", strike.impulse * strike.pulse.peak()},
                    {"speed", strike.contact.speed},
                    {"mass", strike.contact.mass},
                    {"patch_radius", strike.contact.patchRadius},
                    {"vibration_energy", strike.vibration * strike.impulse * strike.impulse}};
}

/// One load on one body, from the strike to cracks.
class ImpactRun {
 public:
  ImpactRun(const ImpactEngineOptions& options, const Solid& solid, const ImpactState& state,
            const LoadCase& load, Context& context)
      : mOptions(options), mSolid(solid), mState(state), mBody(*state.body), mLoad(load), mContext(context) {
    mGrowth = options.growth;
    mGrowth.toughness = options.toughness;
    mGrowth.toughnessPaint = factorOf(options.toughnessPaint, solid, "toughness");
    mGrowth.seed = mixBits(options.seed) + load.seed;
    mGrowth.duration = load.duration;
  }

  /// False if nothing loads the body.
  bool strike() {
    const Context::Stage stage(mContext, "strike", 0.1);
    const std::vector<Impact> impacts = impactsOnSurface(mLoad.impacts, mSolid.bvh);
    strikes = strikesOf(mBody, mSolid, impacts, mOptions.strike, mContext);
    MotionOptions motionOptions;
    motionOptions.steady = steadyDeformation(mBody, mSolid, mLoad, mContext);
    if (strikes.empty() && motionOptions.steady.size() == 0) return false;
    warnOfStrikes();
    const double slowest = mBody.frequencies()[0];
    motionOptions.damping = dampingOfRatio(mOptions.damping, slowest);
    if (mOptions.alpha) motionOptions.damping.alpha = *mOptions.alpha;
    if (mOptions.beta) motionOptions.damping.beta = *mOptions.beta;
    const double crackSpeed = std::max(0.1, mGrowth.speedLimit) * rayleighWaveSpeed(mBody.material());
    motionOptions.extra = mBody.diagonal() / crackSpeed;
    motion.emplace(mBody, strikes, motionOptions, mContext);
    damping = motionOptions.damping;
    return true;
  }

  /// Fails and grows under loads that are this many times as large.
  void grow(double factor) {
    mGrowth.factor = factor;
    {
      const Context::Stage stage(mContext, "initiation", 0.1);
      failures = findFailures(mState.flaws, *motion, mGrowth.grain, factor, mContext);
    }
    const Context::Stage stage(mContext, "propagation", 0.1);
    cracks = growCracks(mBody, *motion, mState.flaws, failures, mGrowth, mContext);
    fragments = fragmentsOf(mBody, cracks);
    ++evaluations;
    scale = factor;
  }

  /// Looks for loads that give about as many pieces as wanted.
  void growPieces(size_t wanted) {
    const auto count = [&](double factor) {
      grow(factor);
      return fragments.countAbove(kSmallestPiece);
    };
    double low = 0, high = 0, best = 1;
    size_t bestOff = std::numeric_limits<size_t>::max();
    double factor = 1;
    for (int step = 0; step < kSearchSteps && bestOff > 0; ++step) {
      const size_t found = count(factor), off = found > wanted ? found - wanted : wanted - found;
      if (off < bestOff) {
        bestOff = off;
        best = factor;
      }
      (found < wanted ? low : high) = factor;
      if (low > 0 && high > 0)
        factor = std::sqrt(low * high);
      else
        factor *= found < wanted ? 2.0 : 0.5;
    }
    if (scale != best) grow(best);
  }

  std::vector<Strike> strikes;
  std::optional<Motion> motion;
  RayleighDamping damping;
  Failures failures;
  CrackSet cracks;
  LatticeFragments fragments;
  size_t evaluations = 0;
  double scale = 1;

 private:
  void warnOfStrikes() const {
    if (strikes.empty()) return;
    const double resolved = resolvedHalfPeriods(mBody, strikes);
    if (resolved < 2)
      mContext.warn(fmt::format(
          "a contact is shorter than the modes resolve ({:.2g} half periods of the fastest one, 3 "
          "would do): peaks of stress are too low; raise modes or the radius of what strikes",
          resolved));
    for (size_t k = 0; k < strikes.size(); ++k)
      if (strikes[k].impulse < 0.9 * strikes[k].asked)
        mContext.warn(
            fmt::format("impact {}: {:.3g} of the {:.3g} N s act, the rest would need energy that goes "
                        "into vibration",
                        k + 1, strikes[k].impulse, strikes[k].asked));
  }

  const ImpactEngineOptions& mOptions;
  const Solid& mSolid;
  const ImpactState& mState;
  const ModalBody& mBody;
  const LoadCase& mLoad;
  Context& mContext;
  GrowthOptions mGrowth;
};

Value reportOf(const ImpactRun& run, const ModalBody& body) {
  Value report = Value::Map();
  report.set("elements", body.tetrahedra().size());
  report.set("cell_size", body.cellSize());
  report.set("modes", body.modes());
  Value::List strikes;
  for (const Strike& s : run.strikes) strikes.push_back(strikeReport(s));
  report.set("strikes", std::move(strikes));
  report.set("damping_alpha", run.damping.alpha);
  report.set("damping_beta", run.damping.beta);
  if (!run.motion) return report;
  report.set("modes_used", run.motion->modes());
  report.set("samples", run.motion->samples());
  report.set("window", run.motion->window());
  report.set("failing_flaws", run.failures.first.size());
  if (!run.failures.first.empty()) report.set("first_failure", run.failures.first.front().time);
  report.set("cracks", run.cracks.cracks.size());
  report.set("crack_area", run.cracks.area);
  report.set("crack_energy", run.cracks.spent);
  report.set("energy_available", run.cracks.available);
  report.set("energy_least_left", run.cracks.leastLeft);
  report.set("load_scale", run.scale);
  report.set("tested_stresses", run.failures.tested);
  return report;
}

Held heldBy(const ImpactRun& run) {
  Held held;
  if (run.failures.first.empty()) {
    held.by = HeldBy::Strength;
    if (run.failures.largestLoad > 0) held.factor = 1 / run.failures.largestLoad;
    held.reason = fmt::format(
        "the solid stays whole: no flaw fails, the largest stress is {:.3g} of a flaw's strength; raise the "
        "impulse or lower strength",
        run.failures.largestLoad);
  } else if (run.cracks.limited) {
    held.by = HeldBy::Limit;
    held.reason = "the solid stays whole: the largest number of cracks is reached; raise max_cracks";
  } else {
    held.by = HeldBy::Toughness;
    held.reason = fmt::format(
        "the solid stays whole: {} cracks start but none goes through{}; raise the impulse or lower "
        "toughness",
        run.cracks.cracks.size(), run.cracks.outOfEnergy ? ", their energy is spent" : "");
  }
  return held;
}

void addPassage(FracturePieces& pieces, const CrackPassage& passage, const std::string& insideGroup,
                Context& context) {
  Geometry& geometry = pieces.geometry;
  const Group* inside = geometry.findGroup(Owner::Primitive, insideGroup);
  std::vector<uint8_t> wanted(geometry.pointCount(), 0);
  for (size_t f = 0; f < geometry.primitiveCount(); ++f)
    if (inside && inside->bits[f] && pieces.primitiveSource[f] < 0)
      for (const int32_t p : geometry.corners(f)) wanted[p] = 1;
  std::vector<float> times(geometry.pointCount(), 0), stresses(geometry.pointCount(), 0);
  parallelFor(context, wanted.size(), 512, [&](size_t p) {
    if (!wanted[p]) return;
    const CrackPassage::Value value = passage.at(geometry.position(p));
    times[p] = value.time;
    stresses[p] = value.stress;
  });
  const auto add = [&](const char* name, std::vector<float> values) {
    Attribute attribute(name, Storage::Float32, 1, values.size());
    attribute.edit<float>() = std::move(values);
    geometry.addAttribute(Owner::Point, std::move(attribute));
  };
  add("crack_time", std::move(times));
  add("stress", std::move(stresses));
}

}  // namespace

RayleighDamping dampingOfRatio(double ratio, double slowest) {
  // alpha w + beta / w = 2 ratio at w and 10 w.
  const double alpha = 2 * ratio / (11 * slowest);
  return {alpha, 10 * alpha * slowest * slowest};
}

ImpactState::ImpactState(std::shared_ptr<const ModalBody> given, std::shared_ptr<const FlawRows> rows)
    : body(std::move(given)), flawRows(std::move(rows)), flaws(*flawRows), weakest([&] {
        double least = std::numeric_limits<double>::infinity();
        for (const Flaw& flaw : flaws.flaws) least = std::min(least, flaw.strength);
        return least;
      }()) {}

ImpactEngine::ImpactEngine(ImpactEngineOptions options) : mOptions(std::move(options)) {
  if (!(mOptions.strength > 0))
    throw Error(ErrorCode::Usage, "strength is 0: everything would break", "give one above 0, or a preset");
  if (!(mOptions.toughness > 0))
    throw Error(ErrorCode::Usage, "toughness is 0: cracks would cost nothing",
                "give one above 0, or a preset");
}

EngineStatePtr ImpactEngine::stateOf(const Solid& solid, std::shared_ptr<const ModalBody> body,
                                     const MemoKey& bodyKey, Context& context) const {
  const FlawOptions& given = mOptions.flaws;
  MemoKey key("impact.flaws");
  key.add(bodyKey).add(mOptions.strength).add(mOptions.seed);
  key.add(given.modulus).add(given.area.value_or(0)).add(given.interior).add(given.count);
  addToKey(key, mOptions.strengthPaint, solid.geometry);
  addToKey(key, mOptions.flawPaint, solid.geometry);
  const auto rows = remembered<FlawRows>(context, key, [&] {
    const Context::Stage stage(context, "flaws", 0.05);
    FlawOptions options = given;
    options.strength = mOptions.strength;
    options.seed = mOptions.seed;
    options.strengthPaint = factorOf(mOptions.strengthPaint, solid, "strength");
    options.densityPaint = factorOf(mOptions.flawPaint, solid, "flaw density");
    std::vector<Flaw> flaws =
        options.count > 0 ? flawPopulation(solid, options, context)
                          : uniformFlaws(*body, solid, options.strength, options.strengthPaint, context);
    return std::make_shared<const FlawRows>(flawRows(*body, std::move(flaws), context));
  });
  return std::make_shared<const ImpactState>(std::move(body), rows);
}

EngineStatePtr ImpactEngine::prepare(const SolidPtr& solid, Context& context) const {
  const MemoKey key = bodyKey(*solid, mOptions.body);
  const auto body = remembered<ModalBody>(
      context, key, [&] { return std::make_shared<const ModalBody>(*solid, mOptions.body, context); });
  return stateOf(*solid, body, key, context);
}

bool ImpactEngine::mayBreak(const Solid&, const EngineState& state, const LoadCase& load) const {
  const ImpactState& mine = stateAs<ImpactState>(state);
  if (mOptions.pieces) return true;
  for (const SteadyForce& s : load.steady)
    if (s.force.norm() > 0) return true;
  if (load.spin.norm() > 0) return true;
  // All of the energy in the smallest part that stress is told for apart could not reach the weakest flaw.
  double root = 0;
  for (const Impact& impact : load.impacts) root += std::sqrt(strikeEnergy(*mine.body, impact));
  const double energy = root * root;
  const double cell = mine.body->cellSize(), part = cell * cell * cell / 12;
  constexpr double kFit = 4;  // of fitted over constant stress, at most
  return kFit * std::sqrt(2 * mine.body->material().young * energy / part) >= mine.weakest;
}

FractureResult ImpactEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                      Context& context) const {
  return fracture(solid, state, load, nullptr, context);
}

FractureResult ImpactEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                      Geometry* sheets, Context& context) const {
  const ImpactState& mine = stateAs<ImpactState>(state);
  const ModalBody& body = *mine.body;
  FractureResult result;
  ImpactRun run(mOptions, solid, mine, load, context);
  if (!run.strike()) {
    result.held =
        Held{HeldBy::NoLoad, {}, "the solid stays whole: nothing loads it; give an impulse above 0"};
    result.pieces = wholePieces(solid, mOptions.cut, context);
    result.states.resize(result.pieces.names.size());
    result.report = reportOf(run, body);
    if (sheets) *sheets = crackSheets(body, solid, {}, fragmentsOf(body, {}), context);
    return result;
  }
  if (mOptions.pieces)
    run.growPieces(*mOptions.pieces);
  else
    run.grow(1);
  if (load.maxPieces && run.fragments.countAbove(kSmallestPiece) > *load.maxPieces)
    run.growPieces(*load.maxPieces);
  if (sheets) *sheets = crackSheets(body, solid, run.cracks, run.fragments, context);
  result.area = run.cracks.area;
  result.energy = run.cracks.spent;
  if (run.fragments.count() > 1) {
    const Context::Stage stage(context, "cut", 0.4);
    const LatticeScores scores = withoutTies(fragmentScores(body, run.cracks, run.fragments), mOptions.seed);
    Cut cut = cutByLattice(solid.geometry, solid.mesh, body.points(), body.tetrahedra(), scores, context);
    CutPieceOptions options = mOptions.cut;
    // Splinters where cracks and tetrahedra nearly touch are no pieces.
    options.minVolumeShare =
        std::max(options.minVolumeShare, 0.02 * std::pow(body.cellSize(), 3) / solid.mass.volume);
    result.pieces = piecesOfCut(solid, std::move(cut), options, context);
    addPassage(result.pieces, CrackPassage(body, run.cracks, run.fragments), options.pieces.insideGroup,
               context);
  } else {
    result.pieces = wholePieces(solid, mOptions.cut, context);
  }
  result.report = reportOf(run, body);
  if (result.pieces.names.size() <= 1) {
    result.held = heldBy(run);
    if (run.fragments.count() > 1) {
      result.held->by = HeldBy::Resolution;
      result.held->reason =
          "the solid stays whole: what would come off is smaller than a cell of the lattice; raise elements";
    }
  }
  if (mOptions.pieces && result.pieces.names.size() != *mOptions.pieces)
    context.warn(fmt::format("{} pieces came off instead of {}; loads were multiplied by {:.3g}",
                             result.pieces.names.size(), *mOptions.pieces, run.scale));
  result.states.resize(result.pieces.names.size());
  return result;
}

std::string ImpactEngine::save(const EngineState& state) const {
  return stateAs<ImpactState>(state).body->archive();
}

EngineStatePtr ImpactEngine::load(const SolidPtr& solid, std::string_view bytes, Context& context) const {
  MemoKey key("impact.file");
  addToKey(key, solid->geometry);
  key.add(bytes);
  const auto body = remembered<ModalBody>(
      context, key, [&] { return std::make_shared<const ModalBody>(*solid, bytes, context); });
  return stateOf(*solid, body, key, context);
}

}  // namespace hackle
