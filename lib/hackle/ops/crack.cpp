#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/fracture/crack/pieces/crack_outputs.h>
#include <hackle/fracture/crack/pieces/crack_surfaces.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/crack_results.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// Files that show a run while it goes on.
class Sequence {
 public:
  /// Nothing is written if the options name no file.
  Sequence(const CrackOperatorOptions& options, const CrackSetup& setup) : mOptions(options), mSetup(setup) {
    if (options.sequence.empty()) return;
    const ElasticMaterial elastic{options.material.young, options.material.poisson, options.material.density};
    mSubStep = setup.options.fine / rayleighWaveSpeed(elastic);
    mTime = setup.solver->seconds();
  }

  /// Error(Usage) for a name without a place for numbers.
  static void check(const CrackOperatorOptions& options) {
    if (options.sequence.empty()) return;
    checkGeometryName(options.sequence);
    if (options.sequence.find('#') == std::string::npos)
      throw Error(ErrorCode::Usage, fmt::format("{} has no place for numbers", options.sequence),
                  "put # into the name, such as frames/crack.####.bgeo");
    if (options.sequenceOf != SequenceContent::Cracks && options.sequenceBy == SequenceRate::SubStep)
      throw Error(ErrorCode::Usage, "only cracks can be shown by sub steps",
                  "set sequence_by to step, or sequence_of to cracks");
  }

  void addStep(const CrackSolver& solver, Context& context) {
    if (mOptions.sequence.empty()) return;
    const Context::Stage stage(context, "sequence");
    const double end = solver.seconds();
    if (mOptions.sequenceBy == SequenceRate::Step) {
      write(solver, solver.log().size(), end, context);
    } else {
      const auto last = static_cast<size_t>(std::lround(end / mSubStep));
      for (size_t s = static_cast<size_t>(std::lround(mTime / mSubStep)) + 1; s <= last; ++s)
        write(solver, s, static_cast<double>(s) * mSubStep, context);
    }
    mTime = end;
  }

  size_t frames() const { return mFrames; }

 private:
  void write(const CrackSolver& solver, size_t number, double time, Context& context) {
    Geometry geometry;
    switch (mOptions.sequenceOf) {
      case SequenceContent::Cracks: {
        CrackSurfaceOptions options;
        options.until = time;
        geometry = crackSurfaces(solver.records(), solver.surfaceTree(), options, context);
        const size_t sheets = geometry.primitiveCount();
        geometry.append(crackFrontsAt(solver.records(), solver.surfaceTree(), time, context).lines);
        std::vector<uint8_t>& bits = geometry.addGroup(Owner::Primitive, "fronts").bits.edit();
        std::fill(bits.begin() + static_cast<std::ptrdiff_t>(sheets), bits.end(), uint8_t{1});
        break;
      }
      case SequenceContent::Elements:
        geometry = crackElements(solver, context);
        break;
      case SequenceContent::Volumes:
        geometry = crackVolumes(mSetup.mesh.mesh, solver.records(), mSetup.options.fine, 2.0, context);
        break;
    }
    writeGeometry(nameOf(number), geometry, context);
    ++mFrames;
  }

  /// The last run of # becomes the number, with zeros in front up to its length.
  std::string nameOf(size_t number) const {
    const std::string& file = mSetup.sequence;
    const size_t end = file.find_last_of('#') + 1;
    const size_t before = file.find_last_not_of('#', end - 1);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    return file.substr(0, begin) + fmt::format("{:0{}}", number, end - begin) + file.substr(end);
  }

  const CrackOperatorOptions& mOptions;
  const CrackSetup& mSetup;
  double mSubStep = 0.0, mTime = 0.0;
  size_t mFrames = 0;
};

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
  value.set("seconds", step.seconds);
  return value;
}

/// What the runs of all bodies add up to.
struct CrackTotals {
  size_t before = 0;  // steps that resumed runs had taken before
  size_t frames = 0, cracks = 0, elementsBefore = 0, elementsAfter = 0;
  double seconds = 0.0;
  Value::List steps;
};

/// Steps, each kept as the options ask.
void runCracks(CrackSetup& setup, const CrackOperatorOptions& options, CrackTotals& totals,
               Context& context) {
  CrackSolver& solver = *setup.solver;
  totals.elementsBefore += solver.system().surface().triangleCount();
  totals.before += solver.log().size();
  Sequence sequence(options, setup);
  solver.run(context, [&](const CrackSolver& stepped) {
    // The state comes last: a run that is killed between the two writes these frames again.
    sequence.addStep(stepped, context);
    if (!setup.state.empty()) {
      const Context::Stage stage(context, "state");
      writeBytes(setup.state, saveCrackState(stepped), context);
    }
  });
  totals.frames += sequence.frames();
  totals.cracks += solver.cracks().size();
  totals.elementsAfter += solver.system().surface().triangleCount();
  totals.seconds = std::max(totals.seconds, solver.seconds());
  for (const CrackStep& step : solver.log()) {
    Value value = stepValue(step);
    if (!setup.name.empty()) value.set("body", setup.name);
    totals.steps.push_back(std::move(value));
  }
}

Outputs crackSolid(const Inputs& inputs, const CrackOperatorOptions& options, Context& context) {
  if (options.resume && options.state.empty())
    throw Error(ErrorCode::Usage, "there is no state to resume", "name its file with the parameter state");
  if (!options.state.empty()) AtomicFile probe(options.state);  // removed again
  Sequence::check(options);
  std::vector<CrackSetup> bodies = setUpCracks(inputs, options, context);
  CrackTotals totals;
  for (CrackSetup& body : bodies)
    if (body.solver) runCracks(body, options, totals, context);

  Outputs outputs;
  {
    const Context::Stage stage(context, "pieces", 0.2);
    std::vector<Geometry> solids;
    for (const CrackSetup& body : bodies) solids.push_back(body.mesh.solid);
    const Geometry solid = solids.size() == 1 ? solids[0] : merged(solids);
    const std::string& inside = options.output.cut.pieces.insideGroup;
    FracturePieces pieces = crackedPieces(bodies, options, context);
    addDepth(pieces.geometry, solid, inside, context);
    outputs = fractureOutputs(massProperties(triangleMesh(solid), context).volume, std::move(pieces),
                              options.output, inside, context);
  }
  addFurtherOutputs(outputs, bodies, options, context);
  outputs.result.set("bodies", bodies.size());
  outputs.result.set("coarse", bodies[0].options.coarse);
  outputs.result.set("fine", bodies[0].options.fine);
  outputs.result.set("cracks", totals.cracks);
  outputs.result.set("elements_before", totals.elementsBefore);
  outputs.result.set("elements_after", totals.elementsAfter);
  outputs.result.set("crack_seconds", totals.seconds);
  outputs.result.set("steps_before", totals.before);
  outputs.result.set("frames", totals.frames);
  outputs.result.set("steps", std::move(totals.steps));
  return outputs;
}

ParameterTable<InitialCrackRecord> initialTable() {
  using O = InitialCrackRecord;
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

using Table = ParameterTable<CrackOperatorOptions>;
using O = CrackOperatorOptions;

void addCrackRows(Table& table) {
  table.section("Cracks");
  table.addList(&O::initial, "initial", "Initial Cracks", initialTable())
      .fromPoints("initial")
      .help("Cracks that are there from the beginning; they may reach out of the solid.");
  table.add(&O::cracks, "cracks", "New Cracks")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 50)
      .help("At most so many cracks start by themselves, where the surface's stress exceeds the strength.");
  table.add(&O::branching, "branching", "Branching")
      .help(
          "Cracks also start on the faces of cracks, where the stress along these exceeds the strength. "
          "Costs "
          "time in every step; not in the fast method.");
  table.add(&O::steps, "steps", "Steps")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 50)
      .help("At most so many steps, each of which moves fronts by up to the coarse resolution.");
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
          "more, "
          "a surface with long edges split if it has fewer. Not used if a mesh is given.");
  table.add(&O::coarse, "coarse", "Coarse Resolution")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help(
          "Length of edges of cracks where stress is computed; with 0 that of the surface's mesh, or twice "
          "the "
          "thickness of walls if these are thinner.");
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
          "narrower "
          "than about this many coarse resolutions: stress is not resolved there. With 0 it holds.");
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
  table.add(&O::sequence, "sequence", "Sequence")
      .as(ParameterType::File)
      .help(
          "Files for slow motion, written while the run goes on; # in the name becomes the number, with "
          "body1, body2 before it if there are several bodies.");
  table.add(&O::sequenceOf, "sequence_of", "Sequence Of")
      .menu({{"cracks", "Cracks"}, {"elements", "Elements"}, {"volumes", "Volumes"}})
      .help("What the files have: cracks and their fronts (group fronts), the mesh to solve on, or VDBs.");
  table.add(&O::sequenceBy, "sequence_by", "Sequence By")
      .menu({{"step", "Step"}, {"sub_step", "Sub Step"}})
      .help("One file a step, or one each time that the fastest front can move by the fine resolution.");
}

void addOutputRows(Table& table) {
  table.section("Further Outputs");
  table.add(&O::giveCracks, "output_cracks", "Cracks").help("All cracks, through or not, as open sheets.");
  table.add(&O::giveElements, "output_elements", "Elements")
      .help("The mesh that stress was solved on, with its stress, openings and intensities.");
  table.add(&O::giveVolumes, "output_volumes", "Volumes").help("The solid and each crack as a level set.");
  table.add(&O::giveSurfaces, "output_surfaces", "Level-Set Surfaces")
      .help("Fragments as surfaces of level sets, without the input's faces and attributes.");
  table.add(&O::closeGaps, "close_gaps", "Close Gaps")
      .enabledWhen("output_surfaces", {"on"})
      .help("Moves both faces of a crack onto the sheet between them.");
  table.add(&O::addDisplacement, "displace", "Displace")
      .enabledWhen("output_surfaces", {"on"})
      .help("Moves these surfaces by the displacement under load.");
  table.add(&O::addOpening, "open", "Open Cracks")
      .enabledWhen("output_surfaces", {"on"})
      .help("Moves the faces of cracks apart by their opening under load.");
  table.add(&O::displacementScale, "displacement_scale", "Displacement Scale")
      .unit("none")
      .hard(0, 1e12)
      .soft(0, 1000)
      .enabledWhen("output_surfaces", {"on"})
      .help("Magnifies both.");
}

Table parameters() {
  Table table;
  table.section("Conditions");
  table.addList(&O::conditions, "condition", "Conditions", conditionTable())
      .fromPoints("conditions")
      .help("What holds the body and what acts on it, each on a region of its surface. Loads add up.");
  table.include(&O::material, materialTable());
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
      {"fields", "Fields", "VDBs for toughness and strength.", PortType::Geometry, true}};
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
      "of "
      "the material, and lets their fronts run where the stress intensity exceeds the toughness: straight on "
      "when pulled open, turning when sheared, towards places of lower toughness. Stress is computed on a "
      "coarse mesh by boundary elements; fronts move at a much finer resolution.\n\n"
      "Pieces are cut along the cracks that go through. Their inside faces have the primitive attribute "
      "crack "
      "and the point attribute crack_time, the time (s) at which the front passed: hide what is later than "
      "the frame and the crack runs in slow motion. Cracks that end inside are on the output of cracks, with "
      "all others.\n\n"
      "Loads are in physical units. If nothing breaks, a warning says by how much they fall short. Without "
      "any displacement the solid is in flight: net force and torque are taken out of the loads.\n\n"
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
      "--resume --sequence frames/crack.####.bgeo --sequence-by sub_step"};
  op.inputs = inputPorts();
  op.outputs = outputPorts();
  op.bind(parameters(), crackSolid);
  return op;
}

}  // namespace hackle
