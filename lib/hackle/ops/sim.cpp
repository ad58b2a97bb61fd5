#include <hackle/core/progress_detail.h>
#include <hackle/ops/scene_file.h>
#include <hackle/ops/simulation_catalogue.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

struct SimOptions {
  std::string scene;
  std::string folder;
  bool resume = false;
  std::optional<int> frames;
  std::optional<int> seed;
};

Value figures(const Simulation& simulation, const SimCache& cache, size_t asked, size_t broken,
              bool resumed) {
  Value result = Value::Map();
  result.set("frames", simulation.frame());
  result.set("bodies", simulation.bodies().size());
  result.set("events", broken);
  result.set("asked", asked);
  result.set("resumed", resumed);
  result.set("files", cache.files());
  const SimTimes& times = simulation.times();
  result.set("steps", times.steps);
  result.set("rigid_seconds", times.rigid);
  result.set("fracture_seconds", times.fracture);
  result.set("shape_seconds", times.shapes);
  return result;
}

/// A scene with engines in which nothing broke is hardly what was meant: says how far it was from that.
void warnOfNothingBroken(const Simulation& simulation, Context& context) {
  const auto& bodies = simulation.scene().bodies;
  if (std::none_of(bodies.begin(), bodies.end(),
                   [](const SceneBody& body) { return body.engine != nullptr; }))
    return;
  const std::optional<NearMiss>& nearest = simulation.nearestMiss();
  if (!nearest)
    context.warn("nothing broke; events.jsonl says why bodies that were asked held");
  else
    context.warn(fmt::format(
        "nothing broke; {} came nearest, at {:.2g} of the load that its engine is asked from: let it be hit "
        "harder, lower the strength, or set break_impulse",
        nearest->body, nearest->share));
}

Outputs simulate(const Inputs&, const SimOptions& options, Context& context) {
  if (options.scene.empty())
    throw Error(ErrorCode::Usage, "there is no scene", "give the name of a scene file");
  if (options.folder.empty())
    throw Error(ErrorCode::Usage, "there is no folder for the results", "give the name of a folder");
  SceneFile file = [&] {
    const Context::Stage stage(context, "read", 0.02);
    return readSceneFile(options.scene, context);
  }();
  if (options.frames) file.scene.frames = *options.frames;
  if (options.seed) {
    file.scene.seed = static_cast<uint64_t>(*options.seed);
    file.scene.key += fmt::format("\nseed {}", *options.seed);
  }
  Simulation simulation = [&] {
    const Context::Stage stage(context, "prepare", 0.03);
    return Simulation(file.scene, context);
  }();
  SimCache cache(options.folder, file.output);
  bool resumed = false;
  if (options.resume) resumed = cache.resume(simulation, context);
  if (!resumed) {
    cache.startAnew(simulation, context);
    cache.addFrame(simulation, context);
  }
  size_t asked = 0, broken = 0;
  {
    const Context::Stage stage(context, "simulate", 0.9);
    while (!simulation.done()) {
      simulation.advance(context);
      cache.addFrame(simulation, context);
      for (const SimEvent& event : simulation.events()) ++asked, broken += event.number > 0 ? 1 : 0;
      setProgressDetail(context, fmt::format("frame {} of {}, {} bodies, {} events", simulation.frame(),
                                             simulation.scene().frames, simulation.bodies().size(), broken));
      context.advance(static_cast<double>(simulation.frame()) / simulation.scene().frames);
    }
  }
  if (broken == 0) warnOfNothingBroken(simulation, context);
  const Context::Stage stage(context, "write", 0.05);
  cache.finish(simulation, context);
  return Outputs({}, figures(simulation, cache, asked, broken, resumed));
}

}  // namespace

Operator simOperator() {
  Operator op;
  op.id = "sim";
  op.label = "Simulate";
  op.summary = "Simulate a scene of rigid bodies that collide and break";
  op.help =
      "Reads a scene (TOML; docs/reference/scene.md lists its keys): bodies with their material and the engine that "
      "breaks them, a ground, forces. Bodies that are hit hard enough are broken by their engine in the "
      "middle of the step, and the step is repeated with the pieces, which start with the motion of the body "
      "that they come from: mass, momentum and angular momentum go through every fracture.\n\n"
      "The folder gets a file of points for each frame (name, P, orient, pivot, v, w, mass, active, event: "
      "as Houdini's packed bodies), the geometry of each event once, events.jsonl with one line for every "
      "body that was asked to break, sim.usda and sim.glb with the whole animation, and manifest.json with "
      "checksums. Every file is complete or absent. The same scene gives the same bytes on any number of "
      "threads; a run that was stopped goes on from its last checkpoint, with the same bytes.";
  op.standsAlone = true;
  op.category = "Simulation";
  op.examples = {"sim scene.toml -o out", "sim scene.toml -o out --resume"};
  ParameterTable<SimOptions> table;
  table.section("Simulation");
  table.add(&SimOptions::scene, "scene", "Scene").as(ParameterType::File).help("The scene, a TOML file.");
  table.add(&SimOptions::folder, "folder", "Folder")
      .as(ParameterType::File)
      .help("Where the results go; made if it is not there. Files of an earlier run in it are replaced.");
  table.add(&SimOptions::resume, "resume", "Resume")
      .help("Go on from the last checkpoint in the folder, if it is of the same scene.");
  table.add(&SimOptions::frames, "frames", "Frames")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 480)
      .help("Frames to simulate, instead of those that the scene says.");
  table.add(&SimOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Seed of all that is random, instead of the scene's: wedges of one scene.");
  op.bind(table, simulate);
  return op;
}

}  // namespace hackle
