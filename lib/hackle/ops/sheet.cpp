#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/proxies.h>
#include <hackle/geometry/topology.h>
#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/sequence_name.h>
#include <hackle/ops/sheet_setup.h>

#include <fmt/format.h>

#include <filesystem>

namespace hackle {

namespace {

constexpr const char* kRunKind = "sheet_run";
constexpr uint32_t kRunVersion = 1;

std::vector<double> flat(const std::vector<Vec3>& values) {
  std::vector<double> list;
  for (const Vec3& v : values) list.insert(list.end(), {v.x(), v.y(), v.z()});
  return list;
}

std::vector<Vec3> unflat(const std::vector<double>& list) {
  std::vector<Vec3> values;
  for (size_t i = 0; i + 2 < list.size(); i += 3) values.emplace_back(list[i], list[i + 1], list[i + 2]);
  return values;
}

/// A run so far: the simulation and the frames that are done, which get their final topology at the end.
std::string saveRun(const std::string& simulation, const std::vector<SheetFrame>& frames) {
  ArchiveWriter archive(kRunKind, kRunVersion);
  archive.addText("simulation", simulation);
  archive.add("frames", std::vector<int32_t>{static_cast<int32_t>(frames.size())});
  for (size_t i = 0; i < frames.size(); ++i) {
    const SheetFrame& f = frames[i];
    const auto name = [&](const char* what) { return fmt::format("{}{}", what, i); };
    archive.add(name("time"), std::vector<double>{f.time});
    archive.add(name("rest"), flat(f.rest));
    archive.add(name("x"), flat(f.x));
    archive.add(name("v"), flat(f.v));
    std::vector<int32_t> faces;
    for (const Triangle& t : f.faces) faces.insert(faces.end(), t.begin(), t.end());
    archive.add(name("faces"), faces);
    archive.add(name("thickness"), f.thickness);
    archive.add(name("stress"), f.stress);
    archive.add(name("plastic"), f.plastic);
  }
  return archive.finish();
}

std::vector<SheetFrame> loadRun(std::string_view bytes, SheetSimulation& simulation, Context& context) {
  const ArchiveReader archive(bytes, kRunKind, kRunVersion);
  simulation.load(archive.text("simulation"), context);
  std::vector<SheetFrame> frames(static_cast<size_t>(archive.int32s("frames").at(0)));
  for (size_t i = 0; i < frames.size(); ++i) {
    SheetFrame& f = frames[i];
    const auto name = [&](const char* what) { return fmt::format("{}{}", what, i); };
    f.time = archive.float64s(name("time")).at(0);
    f.rest = unflat(archive.float64s(name("rest")));
    f.x = unflat(archive.float64s(name("x")));
    f.v = unflat(archive.float64s(name("v")));
    const std::vector<int32_t> faces = archive.int32s(name("faces"));
    for (size_t k = 0; k + 2 < faces.size(); k += 3)
      f.faces.push_back({faces[k], faces[k + 1], faces[k + 2]});
    f.thickness = archive.float64s(name("thickness"));
    f.stress = archive.float64s(name("stress"));
    f.plastic = archive.float64s(name("plastic"));
  }
  return frames;
}

Value energyValue(const SheetEnergy& e) {
  Value value;
  value.set("kinetic", e.kinetic);
  value.set("elastic", e.elastic);
  value.set("weight", e.weight);
  value.set("fracture", e.fracture);
  value.set("plastic", e.plastic);
  value.set("damped", e.damped);
  value.set("pins", e.pins);
  value.set("strikers", e.strikers);
  return value;
}

SheetOutput outputOf(const Inputs& inputs, const SheetOperatorOptions& options,
                     const SheetSimulation& simulation, Context& context) {
  SheetOutputOptions outputOptions;
  outputOptions.thick = options.thick;
  return SheetOutput(inputs.geometry(SheetInput::Sheet), simulation.mesh(), outputOptions, context);
}

/// Frames up to the last; the state is kept after each. Each frame is written at once, with the cracks that
/// are known by then, so that a run that is killed leaves its frames; the end of the run writes them again.
std::vector<SheetFrame> simulate(const Inputs& inputs, SheetSimulation& simulation,
                                 const SheetOperatorOptions& options, bool resumed, const std::string& state,
                                 Value::List& log, Context& context) {
  const Context::Stage stage(context, "simulate", 0.8);
  std::vector<SheetFrame> frames;
  if (resumed) frames = loadRun(state, simulation, context);
  const auto write = [&] {
    if (!options.sequence.empty())
      writeGeometry(sequenceName(options.sequence, frames.size() - 1),
                    outputOf(inputs, options, simulation, context).at(frames.back(), context), context);
  };
  if (frames.empty()) {
    frames.push_back(simulation.frame(context));
    write();
  }
  while (frames.size() <= static_cast<size_t>(options.frames)) {
    const double end = options.frameTime * static_cast<double>(frames.size());
    while (simulation.time() < end * (1 - 1e-12)) {
      simulation.step(end, context);
      context.advance(std::min(1.0, simulation.time() / (options.frameTime * options.frames)));
    }
    frames.push_back(simulation.frame(context));
    const std::string bytes = simulation.save();  // always: a run with a state file goes on like one without
    if (!options.state.empty()) writeBytes(options.state, saveRun(bytes, frames), context);
    write();
    Value row;
    row.set("time", simulation.time());
    row.set("faces", simulation.mesh().faceCount());
    row.set("pieces", simulation.pieces());
    row.set("crack_length", simulation.crackLength());
    row.set("stress_ratio", simulation.stressRatio());
    row.set("energy", energyValue(simulation.energy()));
    log.push_back(std::move(row));
  }
  return frames;
}

Outputs runSheet(const Inputs& inputs, const SheetOperatorOptions& options, Context& context) {
  if (options.resume && options.state.empty())
    throw Error(ErrorCode::Usage, "there is no state to resume", "name its file with the parameter state");
  if (!options.sequence.empty()) checkSequenceName(options.sequence);
  const bool resumed = options.resume && std::filesystem::exists(options.state);
  std::string state;
  if (resumed) state = std::string(FileBytes(options.state).bytes());
  const std::unique_ptr<SheetSimulation> simulation = setUpSheet(inputs, options, resumed, context);
  Value::List log;
  const std::vector<SheetFrame> frames = simulate(inputs, *simulation, options, resumed, state, log, context);

  // All frames get the topology of the last.
  const Context::Stage stage(context, "output", 0.2);
  const SheetOutput output = outputOf(inputs, options, *simulation, context);
  if (!options.sequence.empty())
    for (size_t i = 0; i < frames.size(); ++i) {
      writeGeometry(sequenceName(options.sequence, i), output.at(frames[i], context), context);
      context.advance(static_cast<double>(i + 1) / static_cast<double>(frames.size()));
    }
  Outputs outputs;
  const Geometry last = output.at(frames.back(), context);
  outputs.items.emplace_back(last);
  if (options.thick) {
    const FracturePieces pieces = output.pieces(last);
    outputs.items.emplace_back(constraintNetwork(pieces, {}));
    outputs.items.emplace_back(convexProxies(pieces, options.shrink, context));
  } else {
    outputs.items.emplace_back(Geometry());
    outputs.items.emplace_back(Geometry());
  }
  const Topology topology = analyseTopology(last, context);
  outputs.result.set("pieces", output.pieceCount());
  outputs.result.set("closed", topology.closed);
  outputs.result.set("manifold", topology.manifold);
  outputs.result.set("time", simulation->time());
  outputs.result.set("steps", simulation->steps());
  outputs.result.set("steps_reduced", simulation->rejections());
  outputs.result.set("cracks_born", simulation->births());
  outputs.result.set("crack_length", simulation->crackLength());
  outputs.result.set("simulation_faces", simulation->mesh().faceCount());
  outputs.result.set("fine", simulation->options().fine);
  outputs.result.set("coarse", simulation->options().coarse);
  outputs.result.set("energy", energyValue(simulation->energy()));
  outputs.result.set("frames", std::move(log));
  return outputs;
}

}  // namespace

Operator sheetOperator() {
  Operator op;
  op.id = "sheet";
  op.label = "Thin Sheet";
  op.summary = "Simulate a thin sheet that bends, flows, tears and cracks";
  op.help =
      "The input is an open surface: a pane, a piece of paper, a shell. It is simulated as a thin elastic "
      "shell with membrane and bending stiffness, on a mesh of its own that is fine at crack tips and coarse "
      "elsewhere. Cracks are born where the stress of either face exceeds the strength, or start from those "
      "given, and grow where they release more energy than the toughness asks for, in the direction of "
      "largest release, no faster than surface waves. Where they release many times that, they branch; stress stored "
      "in tempered glass breaks it into dice.\n\n"
      "Frames are written as a sequence. All have the same points and polygons: the sheet with all cracks of "
      "the run, closed until they open, as thick closed pieces with name from the first frame on. Walls of "
      "cracks are in the group inside and have crack_time.\n\n"
      "Point attributes strength, toughness (energy) and thickness of the sheet are factors on the "
      "parameters. The groups pin and nobreak hold points and keep cracks out. Pins are boxes that move by "
      "keys; obstacles are balls, with a mass of their own or not, planes and closed meshes. With self_contact the "
      "sheet collides with itself.";
  op.category = "Fracture";
  op.examples = {
      "sheet pane.obj -o broken.bgeo --preset window --obstacle at=0,0,0.1 radius=0.03 velocity=0,0,-15 "
      "mass=0.1 --frames 40 --frame-time 5e-5 --step 1e-5 --sequence frames/pane.####.bgeo",
      "sheet paper.obj -o torn.bgeo --preset paper --pin at=-0.08,0.08,0 --pin at=0.08,0.08,0 --key pin=0 "
      "time=1 move=-0.03,0,0 --key pin=1 time=1 move=0.03,0,0 --initial from=0,0.1,0 to=0,0.09,0 --state "
      "run.sheet --resume"};
  op.inputs = {
      {"geometry", "Sheet",
       "An open surface, manifold, all faces turned to one side. Flat or curved: it is at rest as it is."},
      {"pins", "Pins", "Points with size, clamp and release.", PortType::Geometry, true},
      {"colliders", "Colliders", "Closed surfaces, still or moving along.", PortType::Geometry, true},
      {"guides", "Guides", "Polylines on the sheet along which it is weaker.", PortType::Geometry, true},
      {"cracks", "Initial Cracks", "Polylines on the sheet that are cut from the beginning.",
       PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  op.bind(sheetTable(), runSheet);
  return op;
}

}  // namespace hackle
