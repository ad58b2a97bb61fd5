#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_engine.h>
#include <hackle/fracture/crack/crack_place.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/ops/boundary_conditions.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/crack_sequence.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/impact_table.h>
#include <hackle/ops/material.h>
#include <hackle/ops/pattern_table.h>

#include <fmt/format.h>

#include <filesystem>

namespace hackle {

namespace {

struct CrackOptionRows {
  std::vector<ConditionRecord> conditions;
  std::vector<Impact> impacts;
  MaterialOptions material;
  double compressionRatio = 3.0;
  PatternOptions toughness, strength;
  std::vector<InitialCrack> initial;
  int cracks = 10;
  bool branching = false;
  int steps = 40;
  CrackLoading loading = CrackLoading::Rising;
  LoadEnd loadEnd = LoadEnd::Full;
  double loadTime = 0.0;  // s; 0: slowly
  double modulus = 10.0;  // Weibull's; 0: none
  CrackMethod method = CrackMethod::Full;
  size_t hybridElements = 3000;
  size_t triangles = 800;
  double coarse = 0.0;  // m; 0: chosen by the engine
  double ratio = 10.0;
  double fine = 0.0;        // m; 0: coarse / ratio
  double meshOffset = 0.0;  // voxels
  double threshold = 0.5;
  double smallest = 0.5;   // coarse resolutions
  double ligament = 0.5;   // coarse resolutions
  double tolerance = 0.1;  // voxels
  std::string state;
  bool resume = false;
  CrackSequenceOptions sequence;
  bool giveCracks = true, giveElements = false, giveVolumes = false, giveSurfaces = false;
  LevelSetSurfaceOptions surfaces;
  FractureOutputOptions output;

  CrackOptionRows() { output.cut = CrackPieceOptions().cut; }
};

struct CrackInput {
  enum Index : size_t { Solid, Mesh, Conditions, Initial, Sheets, Fields, Impacts };
};

CrackEngineOptions engineOptions(const Inputs& inputs, const CrackOptionRows& rows) {
  CrackEngineOptions options;
  for (const ConditionRecord& record : rows.conditions) options.conditions.push_back(conditionOf(record));
  options.material.elastic = {rows.material.young, rows.material.poisson, rows.material.density};
  options.material.strength = rows.material.strength;
  options.material.toughness = rows.material.toughness;
  options.material.compressionRatio = rows.compressionRatio;
  options.material.strengthPattern = rows.strength;
  options.material.toughnessPattern = rows.toughness;
  const auto given = [&](size_t port) {
    return inputs.has(port) ? std::optional<Geometry>(inputs.geometry(port)) : std::nullopt;
  };
  options.material.fields = given(CrackInput::Fields);
  options.initial = rows.initial;
  options.sheets = given(CrackInput::Sheets);
  options.mesh = given(CrackInput::Mesh);
  options.triangles = rows.triangles;
  if (rows.coarse > 0) options.coarse = rows.coarse;
  if (rows.fine > 0) options.fine = rows.fine;
  options.ratio = rows.ratio;
  options.meshOffset = rows.meshOffset;
  options.steps = rows.steps;
  options.cracks = static_cast<size_t>(rows.cracks);
  options.branching = rows.branching;
  options.method = rows.method;
  options.hybridElements = rows.hybridElements;
  options.pieces.threshold = rows.threshold;
  options.pieces.tolerance = rows.tolerance;
  options.pieces.smallest = rows.smallest;
  options.pieces.ligament = rows.ligament;
  options.pieces.cut = rows.output.cut;
  options.loading = rows.loading;
  options.loadEnd = rows.loadEnd;
  if (rows.loadTime > 0) options.loadTime = rows.loadTime;
  options.modulus = rows.modulus > 0 ? std::optional<double>(rows.modulus) : std::nullopt;
  options.seed = static_cast<uint64_t>(rows.strength.seed);
  return options;
}

std::unique_ptr<FractureEngine> makeCrackEngine(const Inputs& inputs, const CrackOptionRows& rows, Context&) {
  return std::make_unique<CrackEngine>(engineOptions(inputs, rows));
}

/// Brings a solver to the state in a file, if there is one.
bool resumeFrom(const std::string& file, const CrackBody& body, CrackSolver& solver, Context& context) {
  if (!std::filesystem::exists(file)) return false;
  const Context::Stage stage(context, "resume");
  const FileBytes bytes(file);
  try {
    resumeCracks(solver, bytes.bytes(), context);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    throw Error(e.code(), fmt::format("{}: {}", file, e.what()), e.remedy());
  }
  uint64_t given = 0;
  for (const InitialSheet& crack : body.cracks)
    given = CrackSolver::addedCrack(given, crack.points, crack.triangles);
  if (!body.cracks.empty() && given != solver.initialCracks())
    context.warn(
        fmt::format("{}: its run began with other initial cracks; those that are given are left out", file));
  return true;
}

void checkFiles(const CrackOptionRows& rows) {
  if (rows.resume && rows.state.empty())
    throw Error(ErrorCode::Usage, "there is no state to resume", "name its file with the parameter state");
  if (!rows.state.empty()) AtomicFile probe(rows.state);  // removed again
  checkSequence(rows.sequence);
}

/// Cracks of all bodies, with the files that the parameters ask for.
std::vector<GrownBody> grow(const Solid& solid, const std::vector<CrackBody>& bodies,
                            const CrackEngineOptions& options, const CrackOptionRows& rows, size_t& frames,
                            Context& context) {
  LoadCase load;
  load.impacts = rows.impacts;
  load = movedTo(options.origin, std::move(load));
  std::vector<std::string> states(bodies.size(), rows.state);
  for (size_t b = 0; bodies.size() > 1 && b < bodies.size(); ++b) states[b] = fileOfBody(rows.state, b);
  CrackSequence sequence(rows.sequence, bodies);
  CrackRunHooks hooks;
  hooks.resume = [&](size_t b, CrackSolver& solver) {
    const bool resumed = rows.resume && resumeFrom(states[b], bodies[b], solver, context);
    sequence.begin(b, solver);
    return resumed;
  };
  hooks.afterStep = [&](size_t b, const CrackSolver& solver) {
    // The state comes last: a run that is killed between the two writes these frames again.
    sequence.addStep(b, solver, context);
    if (states[b].empty()) return;
    const Context::Stage stage(context, "state");
    writeBytes(states[b], saveCrackState(solver), context);
  };
  std::vector<GrownBody> grown = growCracks(solid, bodies, options, load, hooks, context);
  frames = sequence.frames();
  return grown;
}

void addFurtherOutputs(Outputs& outputs, const Solid& solid, const std::vector<GrownBody>& bodies,
                       const CrackOptionRows& rows, Context& context) {
  const Context::Stage stage(context, "outputs");
  const auto add = [&](bool wanted, const auto& make) {
    outputs.items.push_back(wanted ? Item(make()) : Item());
  };
  const bool cracked = outputs.result.find("cracks")->asInt() > 0;
  add(rows.giveCracks, [&] { return crackSheets(bodies, context); });
  add(rows.giveElements, [&] { return crackElementsOf(bodies, context); });
  add(rows.giveVolumes, [&] { return crackVolumesOf(solid, bodies, context); });
  add(rows.giveSurfaces && cracked, [&] {
    LevelSetSurfaceOptions surfaces = rows.surfaces;
    surfaces.threshold = rows.threshold;
    return crackSurfacesOf(bodies, surfaces, context);
  });
}

Outputs crackSolid(const Inputs& inputs, const CrackOptionRows& rows, Context& context) {
  checkFiles(rows);
  if (rows.conditions.empty() && rows.impacts.empty())
    throw Error(ErrorCode::Usage, "nothing acts on the solid",
                "give at least one condition (such as a traction on a group), or an impact");
  const SolidPtr given = solidOf(inputs.geometry(CrackInput::Solid), context);
  const Vec3 origin = localOrigin(given->geometry.bounds());
  const SolidPtr solid = movedTo(origin, given, context);
  const CrackEngineOptions options = movedTo(origin, engineOptions(inputs, rows), context);
  const CrackBodies prepared = crackBodies(solid, options, context);
  const std::vector<CrackBody>& bodies = prepared.bodies;
  size_t frames = 0;
  const std::vector<GrownBody> grown = grow(*solid, bodies, options, rows, frames, context);
  std::vector<std::optional<Held>> held;
  FractureResult result = crackResult(*solid, grown, options.pieces, &held, context);
  addStepSeconds(result.report, grown);
  for (size_t b = 0; b < grown.size(); ++b)
    if (held[b]) context.warn((bodies[b].name.empty() ? "" : bodies[b].name + ": ") + held[b]->reason);
  result.held.reset();  // said above, body by body
  Outputs outputs = fractureOutputs(*solid, std::move(result), rows.output, context);
  outputs.result.set("conditions", conditionReport(prepared.applied));
  outputs.result.set("frames", frames);
  addFurtherOutputs(outputs, *solid, grown, rows, context);
  for (Item& item : outputs.items)
    if (Geometry* geometry = std::get_if<Geometry>(&item)) moveBack(origin, *geometry, context);
  return outputs;
}

ParameterTable<InitialCrack> initialTable() {
  using O = InitialCrack;
  ParameterTable<O> table;
  table.add(&O::shape, "shape", "Shape")
      .menu({{"disc", "Disc"}, {"ellipse", "Ellipse"}, {"rectangle", "Rectangle"}})
      .help("Outline of the crack. What is outside of the solid does not count.");
  table.add(&O::at, "at", "Position").unit("m").soft(-10, 10).fromAttribute("P").help("Its middle.");
  table.add(&O::normal, "normal", "Normal")
      .unit("none")
      .soft(-1, 1)
      .fromAttribute("N")
      .help("Direction across the crack.");
  table.add(&O::along, "along", "Along")
      .unit("none")
      .soft(-1, 1)
      .enabledWhen("shape", {"ellipse", "rectangle"})
      .help("Direction in its plane along which radius is measured; zero for any.");
  table.add(&O::radius, "radius", "Radius")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help("Of the disc; half the length along that direction.");
  table.add(&O::across, "across", "Radius Across")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .enabledWhen("shape", {"ellipse", "rectangle"})
      .help("Half the width.");
  return table;
}

ParameterTable<LevelSetSurfaceOptions> levelSetTable() {
  using O = LevelSetSurfaceOptions;
  ParameterTable<O> table;
  table.add(&O::closeGaps, "close_gaps", "Close Gaps")
      .enabledWhen("output_surfaces", {"on"})
      .help("Moves both faces of a crack onto the sheet between them.");
  table.add(&O::displacement, "displace", "Displace")
      .enabledWhen("output_surfaces", {"on"})
      .help("Moves these surfaces by the displacement under load.");
  table.add(&O::opening, "open", "Open Cracks")
      .enabledWhen("output_surfaces", {"on"})
      .help("Moves the faces of cracks apart by their opening under load.");
  table.add(&O::scale, "displacement_scale", "Displacement Scale")
      .unit("none")
      .hard(0, 1e12)
      .soft(0, 1000)
      .enabledWhen("output_surfaces", {"on"})
      .help("Magnifies both.");
  return table;
}

using Table = ParameterTable<CrackOptionRows>;
using O = CrackOptionRows;

void addCrackRows(Table& table) {
  table.section("Cracks");
  table.addList(&O::initial, "initial", "Initial Cracks", initialTable())
      .fromPoints("initial")
      .help("Cracks that are there from the beginning; they may reach out of the solid.");
  table.add(&O::cracks, "cracks", "New Cracks")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 50)
      .help("At most this many cracks start by themselves, where the surface's stress exceeds the strength.");
  table.add(&O::branching, "branching", "Branching")
      .help(
          "Cracks also start on the faces of cracks, where the stress along these exceeds the strength. "
          "Costs time in every step; not in the fast method.");
  table.add(&O::steps, "steps", "Steps")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 50)
      .help("At most this many steps, each of which moves fronts by up to the coarse resolution.");
  table.add(&O::method, "method", "Method")
      .menu({{"full", "Full"}, {"fast", "Fast"}, {"hybrid", "Hybrid"}})
      .help(
          "Full solves for all cracks in each step. Fast estimates the opening of cracks from the stress "
          "around them: its cost goes with the length of fronts, and cracks do not feel each other. Hybrid "
          "begins as full.");
  table.add(&O::hybridElements, "hybrid_elements", "Hybrid Elements")
      .unit("none")
      .hard(0, 100000)
      .soft(500, 10000)
      .enabledWhen("method", {"hybrid"})
      .help("Triangles of the mesh to solve on, with cracks, beyond which the fast method takes over.");
}

void addResolutionRows(Table& table) {
  table.section("Resolution");
  table.add(&O::triangles, "triangles", "Triangles")
      .unit("none")
      .hard(50, 20000)
      .soft(200, 3000)
      .help(
          "Stress is solved on a mesh of about this many triangles: a coarse copy of a surface that has "
          "more, a surface with long edges split if it has fewer. Not used if a mesh is given.");
  table.add(&O::coarse, "coarse", "Coarse Resolution")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help(
          "Length of edges of cracks where stress is computed; with 0 that of the surface's mesh, or twice "
          "the thickness of walls if these are thinner.");
  table.add(&O::ratio, "ratio", "Resolution Ratio")
      .unit("none")
      .hard(1, 80)
      .soft(5, 50)
      .help("How much finer the crack fronts and the pieces are than the coarse resolution.");
  table.add(&O::fine, "fine", "Fine Resolution")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 0.1)
      .help("Distance of places along a front, and of the details of pieces; with 0 from the ratio.");
  table.add(&O::meshOffset, "mesh_offset", "Mesh Offset")
      .unit("none")
      .hard(-10, 100)
      .soft(0, 5)
      .help(
          "Moves the corners of a coarse mesh outwards by this many voxels (of the fine resolution), so that "
          "it holds the surface that it stands for.");
  table.add(&O::threshold, "threshold", "Gap Threshold")
      .unit("none")
      .range(0, 1)
      .help("Gaps between cracks that are narrower than this many voxels count as cracked.");
  table.add(&O::ligament, "ligament", "Ligament Width")
      .unit("none")
      .hard(0, 100)
      .soft(0, 2)
      .help(
          "What cracks leave between each other, and half as wide up to the surface, breaks if it is "
          "narrower than about this many coarse resolutions: stress is not resolved there. With 0 it holds.");
  table.add(&O::tolerance, "tolerance", "Tolerance")
      .unit("none")
      .range(0, 1)
      .help("Voxels by which inside faces may be off the cracks: flat parts get fewer and larger ones.");
  table.add(&O::smallest, "smallest", "Smallest Piece")
      .unit("none")
      .hard(0, 100)
      .soft(0, 2)
      .help(
          "Crumbs between rough cracks that are smaller than a cube with sides of this many coarse "
          "resolutions join the neighbour that they share most with, as do those of less than 64 voxels. "
          "Stress is not resolved below that size.");
}

void addFileRows(Table& table) {
  table.section("State and Sequence");
  table.add(&O::state, "state", "State File")
      .as(ParameterType::File)
      .help(
          "Kept after every step: a run that was stopped, or a later load on the cracked solid, goes on. Of "
          "several bodies each has a file of its own, with body1, body2 in its name.");
  table.add(&O::resume, "resume", "Resume")
      .help(
          "Go on from the state file if it is there. With the same conditions the result is that of a run "
          "that was never stopped; with other loads or displacements at the same places the cracks grow on.");
  table.include(&O::sequence, sequenceTable());
}

void addOutputRows(Table& table) {
  table.section("Further Outputs");
  table.add(&O::giveCracks, "output_cracks", "Cracks").help("All cracks, through or not, as open sheets.");
  table.add(&O::giveElements, "output_elements", "Elements")
      .help("The mesh that stress was solved on, with its stress, openings and intensities.");
  table.add(&O::giveVolumes, "output_volumes", "Volumes").help("The solid and each crack as a level set.");
  table.add(&O::giveSurfaces, "output_surfaces", "Level-Set Surfaces")
      .help("Fragments as surfaces of level sets, without the input's faces and attributes.");
  table.include(&O::surfaces, levelSetTable());
}

Table parameters() {
  Table table;
  table.section("Conditions");
  table.addList(&O::conditions, "condition", "Conditions", conditionTable())
      .fromPoints("conditions")
      .help("What holds the body and what acts on it, each on a region of its surface. Loads add up.");
  table.addList(&O::impacts, "impact", "Impacts", impactTable())
      .fromPoints("impacts")
      .help(
          "What hits the body, instead of conditions or with them. The force is that of an elastic contact "
          "at its peak; a body that no condition holds is in flight.");
  table.add(&O::loading, "loading", "Loading")
      .menu({{"rising", "Rising"}, {"sudden", "Sudden"}})
      .help(
          "Rising: all loads rise together from zero. A crack starts at the smallest load that starts one "
          "and runs under it; what comes off is unloaded; then the load rises on, up to what is given. "
          "Sudden: the whole load acts at once, and cracks start wherever the stress exceeds the strength.");
  table.add(&O::loadEnd, "load_end", "Load Ends")
      .menu({{"full", "At the Given Load"},
             {"first_break", "At the First Break"},
             {"breaking", "When It Breaks"}})
      .enabledWhen("loading", {"rising"})
      .help(
          "Where a rising load ends. When it breaks: the given loads are only a pattern; the factor at which "
          "the first part comes off is found and reported.");
  table.add(&O::loadTime, "load_time", "Load Time")
      .unit("s")
      .hard(0, 1e6)
      .soft(0, 0.01)
      .enabledWhen("loading", {"rising"})
      .help(
          "Time in which the load comes to what is given. The shorter it is, the more cracks start before "
          "waves from others have unloaded their place. With 0 slowly: one crack after the other.");
  table.include(&O::material, materialTable());
  table.add(&O::modulus, "strength_modulus", "Strength Modulus")
      .unit("none")
      .hard(0, 1000)
      .soft(0, 40)
      .enabledWhen("loading", {"rising"})
      .help(
          "Weibull's modulus of the strength from place to place: about 10 for glass and stone, more for "
          "even materials; with 0 it is the same everywhere. Another strength_seed gives other weak places.");
  table.add(&O::compressionRatio, "compression_ratio", "Compression Ratio")
      .unit("none")
      .hard(0.1, 1000)
      .soft(1, 20)
      .help("Strength and toughness in compression over those in tension.");
  table.include(&O::toughness, patternTable("toughness", "Toughness"));
  table.include(&O::strength, patternTable("strength", "Strength"));
  addCrackRows(table);
  addResolutionRows(table);
  addFileRows(table);
  addOutputRows(table);
  table.include(&O::output, fractureOutputTable());
  return table;
}

std::vector<Port> inputPorts() {
  return {
      {"geometry", "Solid",
       "A closed surface of any resolution. What can be repaired with certainty is, with a warning."},
      {"mesh", "Mesh to Solve On",
       "A closed coarse copy of the surface, instead of one made here. Conditions look for their groups and "
       "attributes here first.",
       PortType::Geometry, true},
      {"conditions", "Conditions",
       "Points with attributes kind, displacement, axes, traction, force, pressure, group, attribute, match, "
       "low, high, radius.",
       PortType::Geometry, true},
      {"initial", "Initial Cracks", "Points with N, radius, shape, along and across.", PortType::Geometry,
       true},
      {"sheets", "Initial Sheets",
       "Open surfaces, flat or bent, each a crack that is there from the beginning. They may reach out of "
       "the solid.",
       PortType::Geometry, true},
      {"fields", "Fields", "VDBs for toughness and strength.", PortType::Geometry, true},
      impactPort()};
}

std::vector<Port> outputPorts() {
  std::vector<Port> ports = fractureOutputPorts();
  const auto add = [&](const char* name, const char* label, const char* help) {
    ports.push_back({name, label, help, PortType::Geometry, true, false, std::string("output_") + name});
  };
  add("cracks", "Cracks", "All cracks as open sheets, with crack and crack_time.");
  add("elements", "Elements",
      "The mesh that stress was solved on: displacement, opening, stress, K1, K2, K3, Keff.");
  add("volumes", "Volumes", "VDBs: body, crack0, crack1, ...");
  add("surfaces", "Level-Set Surfaces", "Fragments as surfaces of level sets.");
  return ports;
}

}  // namespace

Operator crackOperator() {
  Operator op;
  op.id = "crack";
  op.label = "Crack Propagation";
  op.summary = "Grow cracks through a loaded solid by its stress";
  op.help =
      "Computes the stress of the solid under the given loads, starts cracks where it exceeds the strength "
      "of the material, and lets their fronts run where the stress intensity exceeds the toughness: straight "
      "on when pulled open, turning when sheared, towards places of lower toughness. Stress is computed on a "
      "coarse mesh by boundary elements; fronts move at a much finer resolution.\n\n"
      "Pieces are cut along the cracks that go through. Their inside faces have the primitive attribute "
      "crack and the point attribute crack_time, the time (s) at which the front passed: hide what is later "
      "than the frame and the crack runs in slow motion. Cracks that end inside are on the output of cracks, "
      "with all others.\n\n"
      "Loads are in physical units: conditions on regions of the surface, impacts, or both. If nothing "
      "breaks, a warning says by how much they fall short. Without any displacement the solid is in flight: "
      "net force and torque are taken out of the loads.\n\n"
      "Faces of closed cracks may pass through each other. Separate bodies crack one by one, each under what "
      "acts on it; those that nothing acts on and that have no initial crack stay as they are.";
  op.category = "Fracture";
  op.examples = {
      "crack bar.bgeo -o broken.bgeo --condition kind=displacement group=left --condition kind=force "
      "force=0,-1e5,0 group=right --preset pmma",
      "crack cube.obj -o broken.bgeo -o glue.bgeo -o hulls.bgeo -o cracks.bgeo --condition kind=traction "
      "traction=0,3e6,0 low=-1e9,0.49,-1e9 --initial at=0,0,0 normal=1,1,0 radius=0.15 --toughness-pattern "
      "grains",
      "crack bar.bgeo -o broken.bgeo --condition kind=force force=0,-1e5,0 group=right --state run.crack "
      "--resume --sequence frames/crack.####.bgeo --sequence-by sub_step",
      "crack column.bgeo -o broken.bgeo --impact at=0,1.5,0.2 dir=0,0,-1 impulse=2000 --preset concrete"};
  op.inputs = inputPorts();
  op.outputs = outputPorts();
  op.bind(parameters(), crackSolid);
  op.bindEngine(makeCrackEngine);
  return op;
}

}  // namespace hackle
