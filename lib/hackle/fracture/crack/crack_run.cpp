#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_run.h>
#include <hackle/fracture/crack/pieces/crack_surfaces.h>
#include <hackle/fracture/interior_detail.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

void addInitialCracks(CrackSolver& solver, const std::vector<InitialSheet>& cracks, Context& context) {
  for (const InitialSheet& crack : cracks) {
    try {
      solver.addCrack(crack.points, crack.triangles, context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::Failed) throw;
      for (const InitialSheet* other = cracks.data(); other != &crack; ++other)
        if (other->number != crack.number &&
            meetingOf(crack, *other, solver.options().coarse, context) == SheetMeeting::Across)
          throw Error(ErrorCode::BadInput,
                      fmt::format("initial cracks {} and {} cross each other, and their openings cannot be "
                                  "solved for together",
                                  other->number, crack.number),
                      "end one of them at the other, or inside of the solid");
      throw Error(ErrorCode::BadInput,
                  fmt::format("initial crack {} leaves a part of the solid that nothing holds", crack.number),
                  "let it end inside of the solid instead of cutting it apart");
    }
  }
}

/// A run of one body that is ready to go.
struct BodyRun {
  BoundaryData given;                  // conditions and loads
  std::unique_ptr<StartSites> sites;   // of a rising load
  std::optional<CrackStart> first;     // the first start under it, if there are no cracks yet
  std::vector<CrackStart> rateStarts;  // all, if it rises fast
};

/// Finds where the first crack starts, and a resolution that is fine enough for the solid there.
void findStarts(BodyRun& run, GrownBody& grown, const BemSystem& system, const CrackEngineOptions& options,
                Context& context) {
  constexpr double kPerThickness = 2.5;  // coarse resolutions through the solid where the first crack starts
  constexpr double kFinest = 0.25;       // of the resolution that the mesh suggests
  constexpr double kAlike = 0.05;        // of the load: places that need no more than that above the first
  const Context::Stage stage(context, "starts", 0.1);
  const CrackBody& body = *grown.body;
  const Solid& solid = *body.mesh.solid;
  StartOptions start;
  start.compressionRatio = body.material.compressionRatio;
  start.modulus = options.modulus;
  start.seed = options.seed;
  run.sites = std::make_unique<StartSites>(solid.mesh, solid.bvh, system.body(), run.given,
                                           body.material.strength, body.material.toughness, start, context);
  grown.options.quasiStatic = !options.loadTime;
  const BemSolution solution = system.solve(context);
  if (options.loadTime) {
    const ElasticMaterial& elastic = body.material.elastic;
    run.rateStarts = run.sites->startsAtRate(system, solution, 1.0, *options.loadTime,
                                             std::sqrt(elastic.young / elastic.density), context);
    if (run.rateStarts.size() > grown.options.cracks) run.rateStarts.resize(grown.options.cracks);
    grown.options.cracks = 0;
  } else if (body.cracks.empty()) {
    const StartSites::FirstStarts starts = run.sites->firstStarts(system, solution, kAlike, context);
    run.first = starts.first;
    if (run.first && !run.first->notched && run.sites->sites()[run.first->site].notch)
      context.warn(
          "the first crack starts at a notch that the triangles to solve on are too long for: the load at which "
          "it does is uncertain; use more triangles");
    for (const CrackStart& other : starts.alike) grown.alike.push_back(run.sites->sites()[other.site].place);
    if (run.first && !options.coarse) {
      const double fitting = run.sites->sites()[run.first->site].thickness / kPerThickness;
      double& coarse = grown.options.coarse;
      coarse = std::max(std::min(coarse, fitting), kFinest * coarse);
      if (!options.fine) grown.options.fine = coarse / options.ratio;
    }
  }
  grown.options.capture = grown.options.quasiStatic ? grown.options.coarse : 0.0;
}

/// A solver for one body under its load, with its cracks.
BodyRun makeSolver(GrownBody& grown, size_t index, const BodyLoad& load, CrackLoading loading,
                   const CrackEngineOptions& options, const CrackRunHooks& hooks, Context& context) {
  const CrackBody& body = *grown.body;
  BodyRun run;
  LoadedBody loaded = loadedBody(body, load, context);
  grown.contacts = std::move(loaded.contacts);
  grown.options = body.options;
  run.given = std::move(loaded.data);
  const std::shared_ptr<const FirstSystem> first =
      body.system ? body.system : firstSystem(body.surface, body.material.elastic, body.data, context);
  auto system = std::make_unique<BemSystem>(loadedSystem(*first, run.given, context));
  if (loading == CrackLoading::Rising) findStarts(run, grown, *system, options, context);
  grown.solver = std::make_unique<CrackSolver>(body.mesh.solid->mesh, std::move(system), body.material,
                                               grown.options, context);
  if (hooks.resume && hooks.resume(index, *grown.solver)) {
    run.rateStarts.clear();  // they are in the state
    return run;
  }
  onInitialCracks([&] { addInitialCracks(*grown.solver, body.cracks, context); });
  for (const CrackStart& start : run.rateStarts)
    startCrackAt(*grown.solver, run.sites->sites()[start.site], start, 1, context);
  return run;
}

/// Lets the cracks of one body run.
void runBody(GrownBody& grown, const BodyRun& run, CrackLoading loading, const CrackEngineOptions& options,
             std::optional<double> duration, const std::function<void(const CrackSolver&)>& afterStep,
             Context& context) {
  CrackSolver& solver = *grown.solver;
  grown.elementsBefore = solver.system().surface().triangleCount();
  grown.stepsBefore = solver.log().size();
  if (loading == CrackLoading::Sudden || options.loadTime) {
    solver.run(context, afterStep, duration);
    return;
  }
  RampOptions ramp;
  ramp.most = options.loadEnd == LoadEnd::Breaking ? 1e30 : 1.0;
  ramp.firstBreak = options.loadEnd != LoadEnd::Full;
  ramp.cracks = grown.options.cracks;
  ramp.ligament = options.pieces.ligament;
  grown.ramp = raiseLoad(solver, run.given, *run.sites, run.first, grown.body->mesh.solid->mass.volume, ramp,
                         afterStep, context);
}

/// The greatest values of a run under its present load.
struct Extremes {
  double stress = 0, intensity = 0, area = 0;
  size_t moved = 0;
};

Extremes extremesOf(const GrownBody& grown) {
  Extremes most;
  const std::vector<CrackStep>& log = grown.solver->log();
  for (size_t i = grown.stepsBefore; i < log.size(); ++i) {
    const CrackStep& step = log[i];
    most.stress = std::max(most.stress, step.stress);
    most.intensity = std::max(most.intensity, step.intensity);
    most.area = step.area;
    most.moved += step.moved;
  }
  return most;
}

/// Why no crack was there to grow.
Held whyNoCrack(const CrackBody& body, double stress) {
  if (body.options.cracks == 0)
    return {
        HeldBy::Limit, {}, "no crack is there and none may start: give an initial one, or allow new cracks"};
  if (stress <= 0)
    return {HeldBy::NoLoad,
            {},
            "nothing breaks: the conditions put no stress on the solid; give a load or a displacement"};
  if (stress > 1)
    return {HeldBy::Resolution,
            {},
            fmt::format("nothing breaks: the greatest stress is {:.3g} times the strength, but the solid is "
                        "too thin there for a crack at a coarse resolution of {:.3g} m; give a smaller one",
                        stress, body.options.coarse)};
  constexpr double kMargin = 1.01;  // the stress has to exceed the strength
  return {
      HeldBy::Strength, kMargin / stress,
      fmt::format("nothing breaks: the greatest stress is {:.3g} of the strength; loads and displacements "
                  "{:.3g} times as large would start a crack",
                  stress, kMargin / stress)};
}

/// The step since which the cracks of a run have not become larger, if that was some steps ago.
std::optional<size_t> standingSince(const CrackSolver& solver) {
  constexpr size_t kStanding = 5;   // steps
  constexpr double kGrowth = 1e-3;  // of the area
  const std::vector<CrackStep>& log = solver.log();
  size_t step = log.size();
  while (step > 0 && log[step - 1].area >= (1 - kGrowth) * log.back().area) --step;
  if (log.size() - step <= kStanding) return {};
  return step + 1;
}

/// Why a body is whole though all steps were taken.
Held whyWholeAfterAllSteps(const CrackSolver& solver) {
  const std::optional<size_t> since = standingSince(solver);
  const int steps = solver.options().steps;
  const double area = solver.log().back().area;
  if (since)
    return {HeldBy::Toughness,
            {},
            fmt::format("no crack goes through: of {} steps, {:.3g} m^2 were cracked after {} and no more "
                        "since; further steps will hardly change that, larger loads may",
                        steps, area, *since)};
  return {HeldBy::Limit,
          {},
          fmt::format("no crack goes through after {} steps ({:.3g} m^2 cracked, still growing); allow more, "
                      "or look at the output of cracks",
                      steps, area)};
}

/// Why a body is whole after the load has risen.
Held whyWholeAfterRamp(const GrownBody& grown, size_t crumbs) {
  const CrackSolver& solver = *grown.solver;
  const CrackOptions& options = grown.options;
  const std::optional<double>& next = grown.ramp->next;
  if (options.steps == 0)
    return {HeldBy::Limit, {}, "no step was taken: the solid stays as it is; allow more steps"};
  if (solver.cracks().empty() && options.cracks == 0)
    return {
        HeldBy::Limit, {}, "no crack is there and none may start: give an initial one, or allow new cracks"};
  if (solver.cracks().empty() && !next)
    return {
        HeldBy::NoLoad,
        {},
        "nothing breaks: no stress reaches places where a crack could start; give a load or a displacement"};
  if (solver.cracks().empty())
    return {HeldBy::Strength, next,
            fmt::format("nothing breaks: loads and displacements {:.3g} times as large would start a crack",
                        *next)};
  const double area = solver.log().empty() ? 0.0 : solver.log().back().area;
  if (solver.stepsLeft() == 0 && !solver.moves() && grown.ramp->reached < 1)
    return {
        HeldBy::Limit,
        {},
        fmt::format("no crack goes through after {} steps ({:.3g} m^2 cracked): the load has come to {:.3g} "
                    "of the given one and would rise on; allow more steps",
                    options.steps, area, grown.ramp->reached)};
  if (solver.stepsLeft() == 0 && solver.moves()) return whyWholeAfterAllSteps(solver);
  if (next)
    return {HeldBy::Toughness, next,
            fmt::format("no crack goes through: they stand at {:.3g} m^2; loads {:.3g} times as large would "
                        "drive them on",
                        area, *next)};
  if (crumbs > 0)
    return {HeldBy::Resolution,
            {},
            fmt::format("the cracks cut off nothing but {} too small to be a piece; lower smallest and "
                        "min_volume, or raise the ratio",
                        crumbs == 1 ? std::string("one part") : fmt::format("{} parts", crumbs))};
  return {
      HeldBy::Toughness,
      {},
      fmt::format("no crack goes through: all fronts have ended at the surface or at other cracks, {:.3g} "
                  "m^2 in all; the solid stays in one piece",
                  area)};
}

/// Pieces that the next body may come to, of those for all: each body that is left gets one.
size_t budgetOf(size_t all, const std::vector<FracturePieces>& parts, size_t bodiesLeft) {
  size_t taken = bodiesLeft - 1;
  for (const FracturePieces& part : parts) taken += part.names.size();
  return all > taken ? all - taken : 1;
}

/// How far a body is from breaking, in words of the user.
Held whyWhole(const GrownBody& grown, size_t crumbs, const std::optional<size_t>& maxPieces) {
  if (maxPieces && *maxPieces < 2 && crumbs > 0)
    return {HeldBy::Limit, {}, "the solid would break, but no more pieces are allowed; allow more of them"};
  if (grown.ramp) return whyWholeAfterRamp(grown, crumbs);
  const CrackSolver& solver = *grown.solver;
  const Extremes most = extremesOf(grown);
  const double toughness = grown.body->toughness;
  const double ratio = most.intensity / toughness;
  const size_t steps = solver.log().size() - grown.stepsBefore;
  if (steps == 0) return {HeldBy::Limit, {}, "no step was taken: the solid stays as it is; allow more steps"};
  if (solver.cracks().empty()) return whyNoCrack(*grown.body, most.stress);
  if (most.moved == 0)
    return {HeldBy::Toughness, ratio > 0 ? std::optional<double>(1.01 / ratio) : std::nullopt,
            fmt::format("no crack grows: the greatest stress intensity is {:.3g} of the toughness (the "
                        "greatest stress {:.3g} of the strength); the solid stays in one piece",
                        ratio, most.stress)};
  if (solver.stepsLeft() == 0 && solver.moves()) return whyWholeAfterAllSteps(solver);
  const double last = solver.log().back().intensity;
  if (last <= 0 && crumbs > 0)
    return {HeldBy::Resolution,
            {},
            fmt::format("the cracks cut off nothing but {} too small to be a piece; lower smallest and "
                        "min_volume, or raise the ratio",
                        crumbs == 1 ? std::string("one part") : fmt::format("{} parts", crumbs))};
  if (last <= 0)
    return {HeldBy::Toughness,
            {},
            fmt::format("no crack goes through: all fronts have ended at the surface or at other cracks, "
                        "{:.3g} m^2 in all; the solid stays in one piece",
                        most.area)};
  return {HeldBy::Toughness, toughness / last,
          fmt::format("no crack goes through: they stop at {:.3g} m^2, with a stress intensity of {:.3g} of "
                      "the toughness; the solid stays in one piece",
                      most.area, last / toughness)};
}

/// Numbers the cracks of a body from `first` on; faces without a crack have -1, also where the attribute is
/// not there yet.
void renumberCracks(Geometry& geometry, size_t first) {
  Attribute* crack = geometry.findAttribute(Owner::Primitive, "crack");
  if (!crack) {
    Attribute none("crack", Storage::Int32, 1, geometry.primitiveCount());
    none.edit<int32_t>().assign(geometry.primitiveCount(), -1);
    geometry.addAttribute(Owner::Primitive, std::move(none));
    return;
  }
  for (int32_t& c : crack->edit<int32_t>())
    if (c >= 0) c += static_cast<int32_t>(first);
}

/// Calls each(solver, number of its first crack) for bodies that have a solver.
template <class Each>
void forSolvers(const std::vector<GrownBody>& bodies, const Each& each) {
  size_t cracks = 0;
  for (const GrownBody& body : bodies) {
    if (!body.solver) continue;
    each(body, cracks);
    cracks += body.solver->cracks().size();
  }
}

Geometry ofEach(const std::vector<GrownBody>& bodies,
                const std::function<Geometry(const CrackSolver&)>& make) {
  std::vector<Geometry> parts;
  forSolvers(bodies, [&](const GrownBody& body, size_t first) {
    parts.push_back(make(*body.solver));
    renumberCracks(parts.back(), first);
  });
  return parts.size() == 1 ? std::move(parts[0]) : merged(parts);
}

Value stepValue(const CrackStep& step) {
  Value value;
  value.set("elements", step.elements);
  value.set("fast", step.fast);
  value.set("started", step.started);
  value.set("moves", step.moved);
  value.set("front_length", step.frontLength);
  value.set("intensity", step.intensity);
  value.set("stress_ratio", step.stress);
  value.set("area", step.area);
  return value;
}

/// What a rising load came to, in factors of the given one.
Value rampValue(const GrownBody& grown) {
  const CrackSolver::Ramp& ramp = grown.solver->ramp();
  Value value;
  if (!grown.body->name.empty()) value.set("body", grown.body->name);
  if (ramp.firstStart) {
    value.set("first_start", *ramp.firstStart);
    const Vec3 place = ramp.firstPlace + grown.body->origin;
    value.set("first_place", Value::List{place.x(), place.y(), place.z()});
    Value::List alike;
    for (const Vec3& other : grown.alike) {
      const Vec3 at = other + grown.body->origin;
      alike.push_back(Value::List{at.x(), at.y(), at.z()});
    }
    value.set("first_alike", std::move(alike));
    value.set("first_radius", ramp.firstRadius);
    value.set("first_thickness", ramp.firstThickness);
  }
  Value::List breaks;
  for (const double factor : ramp.breaks) breaks.push_back(factor);
  value.set("breaks", std::move(breaks));
  value.set("reached", grown.ramp->reached);
  if (grown.ramp->next) value.set("next", *grown.ramp->next);
  return value;
}

Value contactValue(const Contact& contact) {
  Value value;
  value.set("duration", contact.duration);
  value.set("peak_force", contact.peakForce);
  value.set("patch_radius", contact.patchRadius);
  value.set("speed", contact.speed);
  return value;
}

}  // namespace

std::vector<GrownBody> growCracks(const Solid& solid, const std::vector<CrackBody>& bodies,
                                  const CrackEngineOptions& options, const LoadCase& load,
                                  const CrackRunHooks& hooks, Context& context) {
  // A load that lasts for a time only does not wait for cracks.
  const CrackLoading loading = load.duration ? CrackLoading::Sudden : options.loading;
  const std::vector<BodyLoad> loads = loadsByBody(solid, bodies, load);
  std::vector<GrownBody> grown(bodies.size());
  std::vector<BodyRun> runs(bodies.size());
  for (size_t b = 0; b < bodies.size(); ++b) {
    grown[b].body = &bodies[b];
    grown[b].options = bodies[b].options;
    if (bodies.size() > 1 && !bodies[b].conditioned && loads[b].empty()) continue;
    inBody(bodies[b].name,
           [&] { runs[b] = makeSolver(grown[b], b, loads[b], loading, options, hooks, context); });
  }
  for (size_t b = 0; b < grown.size(); ++b) {
    if (!grown[b].solver) continue;
    const auto afterStep = [&](const CrackSolver& stepped) {
      if (hooks.afterStep) hooks.afterStep(b, stepped);
    };
    runBody(grown[b], runs[b], loading, options, load.duration, afterStep, context);
  }
  return grown;
}

CrackedSolid crackedSolid(const Solid& solid, const std::vector<GrownBody>& bodies,
                          const CrackPieceOptions& options, Context& context) {
  const Context::Stage stage(context, "pieces", 0.2);
  CrackedSolid result;
  std::vector<FracturePieces> parts;
  std::vector<size_t> polygons;
  bool anyCut = false;
  CrackPieceOptions own = options;
  for (size_t b = 0; b < bodies.size(); ++b) {
    const GrownBody& grown = bodies[b];
    const Solid& solidOf = *grown.body->mesh.solid;
    CracksCut cut;
    std::optional<Held>& held = result.held.emplace_back();
    if (options.maxPieces) own.maxPieces = budgetOf(*options.maxPieces, parts, bodies.size() - b);
    if (grown.solver) {
      cut = cutAlongCracks(solidOf, *grown.solver, grown.options, own, context);
      if (!cut.pieces) held = whyWhole(grown, cut.crumbs, own.maxPieces);
    }
    if (cut.pieces) {
      anyCut = true;
      parts.push_back(std::move(*cut.pieces));
    } else {
      parts.push_back(unfinishedWholePieces(solidOf, options.cut, context));
    }
    polygons.push_back(solidOf.geometry.primitiveCount());
  }
  size_t cracks = 0;
  for (size_t b = 0; anyCut && bodies.size() > 1 && b < bodies.size(); ++b) {
    renumberCracks(parts[b].geometry, cracks);
    if (bodies[b].solver) cracks += bodies[b].solver->cracks().size();
  }
  result.pieces =
      parts.size() == 1 ? std::move(parts[0]) : joinPieces(parts, polygons, options.cut.pieces.prefix);
  addDepth(result.pieces.geometry, solid, options.cut.pieces.insideGroup, context);
  return result;
}

CrackCost crackCost(const std::vector<GrownBody>& bodies, bool ofThisRun) {
  CrackCost cost;
  for (const GrownBody& grown : bodies) {
    if (!grown.solver) continue;
    const BemSystem& system = grown.solver->system();
    const BemSurface& surface = system.surface();
    const size_t first = system.body().triangleCount();
    const CrackMaterial& material = grown.body->material;
    const size_t from = ofThisRun ? std::max(first, grown.elementsBefore) : first;
    for (size_t t = from; t < surface.triangleCount(); ++t) {
      if (system.crackOnto()[t - first] >= 0) continue;  // a strip that doubles a surface is no crack
      const double tough = material.toughness.at(surface.centroid(t));
      cost.area += surface.area(t);
      cost.energy += surface.area(t) *
                     energyReleaseRate(Vec3(tough, 0, 0), material.elastic.young, material.elastic.poisson);
    }
  }
  return cost;
}

Value crackReport(const std::vector<GrownBody>& bodies) {
  size_t cracks = 0, elementsBefore = 0, elementsAfter = 0, stepsBefore = 0;
  double seconds = 0;
  Value::List steps, contacts, ramps;
  for (const GrownBody& grown : bodies) {
    if (!grown.solver) continue;
    const CrackSolver& solver = *grown.solver;
    cracks += solver.cracks().size();
    elementsBefore += grown.elementsBefore;
    elementsAfter += solver.system().surface().triangleCount();
    stepsBefore += grown.stepsBefore;
    seconds = std::max(seconds, solver.simulatedSeconds());
    for (const CrackStep& step : solver.log()) {
      Value value = stepValue(step);
      if (!grown.body->name.empty()) value.set("body", grown.body->name);
      steps.push_back(std::move(value));
    }
    for (const Contact& contact : grown.contacts) contacts.push_back(contactValue(contact));
    if (grown.ramp) ramps.push_back(rampValue(grown));
  }
  Value report;
  report.set("bodies", bodies.size());
  report.set("coarse", bodies[0].options.coarse);
  report.set("fine", bodies[0].options.fine);
  report.set("cracks", cracks);
  report.set("elements_before", elementsBefore);
  report.set("elements_after", elementsAfter);
  report.set("crack_seconds", seconds);
  report.set("steps_before", stepsBefore);
  if (!contacts.empty()) report.set("contacts", std::move(contacts));
  if (!ramps.empty()) report.set("load", std::move(ramps));
  report.set("steps", std::move(steps));
  return report;
}

void addStepSeconds(Value& report, const std::vector<GrownBody>& bodies) {
  const Value* steps = report.find("steps");
  if (!steps) return;
  Value::List timed = steps->asList();
  size_t next = 0;
  forSolvers(bodies, [&](const GrownBody& grown, size_t) {
    for (const CrackStep& step : grown.solver->log())
      if (next < timed.size()) timed[next++].set("seconds", step.wallSeconds);
  });
  report.set("steps", std::move(timed));
}

Geometry crackSheets(const std::vector<GrownBody>& bodies, Context& context) {
  return ofEach(
      bodies, [&](const CrackSolver& s) { return crackSurfaces(s.records(), s.surfaceTree(), {}, context); });
}

Geometry crackElementsOf(const std::vector<GrownBody>& bodies, Context& context) {
  return ofEach(bodies, [&](const CrackSolver& s) { return crackElements(s, context); });
}

Geometry crackVolumesOf(const Solid& solid, const std::vector<GrownBody>& bodies, Context& context) {
  std::vector<RecordedCrack> records;
  forSolvers(bodies, [&](const GrownBody& body, size_t) {
    for (const RecordedCrack& record : body.solver->records()) records.push_back(record);
  });
  return crackVolumes(solid.mesh, records, bodies[0].options.fine, 2.0, context);
}

Geometry crackSurfacesOf(const std::vector<GrownBody>& bodies, LevelSetSurfaceOptions options,
                         Context& context) {
  std::vector<Geometry> parts;
  forSolvers(bodies, [&](const GrownBody& body, size_t first) {
    if (body.solver->cracks().empty()) return;
    parts.push_back(crackLevelSetSurfaces(*body.solver, body.body->mesh.solid->mesh, options, context));
    renumberCracks(parts.back(), first);
    options.firstPiece += parts.back().findAttribute(Owner::Primitive, "name")->strings().table.size();
  });
  return merged(parts);
}

}  // namespace hackle
