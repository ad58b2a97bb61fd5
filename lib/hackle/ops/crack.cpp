#include <hackle/core/error.h>
#include <hackle/fracture/crack/solver.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/meshing/cutter.h>
#include <hackle/ops/boundary_conditions.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/material.h>
#include <hackle/ops/material_pattern.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// A round crack that is there from the beginning.
struct InitialRecord {
  Vec3 at = Vec3::Zero();
  Vec3 normal{0, 1, 0};
  double radius = 0.1;
};

struct CrackOperatorOptions {
  std::vector<ConditionRecord> conditions;
  MaterialOptions material;
  double compressionRatio = 3.0;
  PatternOptions toughness, strength;
  std::vector<InitialRecord> initial;
  int cracks = 10;
  int steps = 20;
  size_t triangles = 1000;
  double coarse = 0.0;
  double ratio = 20.0;
  double threshold = 0.5;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kConditions, kInitial, kFields };

/// The VDB of this name on the input of fields.
VolumePtr namedGrid(const Inputs& inputs, const std::string& name) {
  std::vector<std::string> names;
  if (inputs.has(kFields)) {
    const Geometry& fields = inputs.geometry(kFields);
    for (size_t p = 0; p < fields.primitiveCount(); ++p) {
      if (fields.primitiveType(p) != PrimitiveType::Volume) continue;
      if (fields.volume(p)->name() == name) return fields.volume(p);
      names.push_back(fields.volume(p)->name());
    }
  }
  throw Error(ErrorCode::BadInput, fmt::format("there is no VDB {} on the input of fields", name),
              names.empty() ? "connect a VDB file to it"
                            : fmt::format("name one that is there: {}", fmt::join(names, ", ")));
}

/// A field of the material; what the operator is asked for is above 0 everywhere.
ScalarField fieldOf(const Inputs& inputs, const std::string& name, double base,
                    const PatternOptions& pattern) {
  if (!(base > 0))
    throw Error(ErrorCode::Usage, fmt::format("{} is 0: everything would break", name),
                "give one above 0, or a preset");
  return patternField(name, base, pattern,
                      [&](const std::string& vdb) { return namedGrid(inputs, vdb.empty() ? name : vdb); });
}

CrackMaterial materialOf(const Inputs& inputs, const CrackOperatorOptions& options) {
  CrackMaterial material;
  material.elastic = {options.material.young, options.material.poisson, options.material.density};
  material.compressionRatio = options.compressionRatio;
  material.strength = fieldOf(inputs, "strength", options.material.strength, options.strength);
  material.toughness = fieldOf(inputs, "toughness", options.material.toughness, options.toughness);
  return material;
}

/// Mean length of edges, m.
double meanEdge(const BemSurface& surface) {
  double sum = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    for (size_t k = 0; k < 3; ++k) sum += (surface.corner(t, (k + 1) % 3) - surface.corner(t, k)).norm();
  return sum / (3 * static_cast<double>(surface.triangleCount()));
}

/// Adds a disc with edges of about r_c; all of it has to be inside.
void addDisc(CrackSolver& solver, const InitialRecord& crack, size_t index, double coarse, Context& context) {
  const std::string name = fmt::format("initial crack {}", index + 1);
  if (crack.normal.isZero())
    throw Error(ErrorCode::Usage, name + " has no normal", "give one, such as 0,1,0");
  if (!(crack.radius > 0)) throw Error(ErrorCode::Usage, name + " has no radius", "give one above 0");
  const Vec3 normal = crack.normal.normalized();
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  const int rings = std::max(1, static_cast<int>(std::lround(crack.radius / coarse)));
  const int around = std::clamp(static_cast<int>(std::lround(6.2832 * crack.radius / coarse)), 6, 400);
  std::vector<Vec3> points{crack.at};
  std::vector<Triangle> triangles;
  for (int r = 1; r <= rings; ++r)
    for (int k = 0; k < around; ++k) {
      const double a = 6.283185307179586 * k / around;
      points.push_back(crack.at + crack.radius * r / rings * (std::cos(a) * u + std::sin(a) * v));
    }
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    triangles.push_back({0, 1 + k, 1 + next});
    for (int r = 1; r < rings; ++r) {
      const int inner = 1 + (r - 1) * around, outer = inner + around;
      triangles.push_back({inner + k, outer + k, outer + next});
      triangles.push_back({inner + k, outer + next, inner + next});
    }
  }
  for (const Vec3& p : points)
    if (!solver.clear(p))
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} reaches ({:.4g}, {:.4g}, {:.4g}), which is not inside of the solid", name,
                              p.x(), p.y(), p.z()),
                  "move it inwards or make it smaller");
  solver.addCrack(std::move(points), std::move(triangles), context);
}

/// The recorded sheets as triangles with `crack` and, at their points, `crack_time`.
Geometry sheetGeometry(const CrackSolver& solver) {
  Geometry geometry;
  std::vector<int32_t> corners, cracks;
  std::vector<float> times;
  for (const auto& crack : solver.cracks())
    cracks.insert(cracks.end(), crack->band().triangleCount(),
                  static_cast<int32_t>(&crack - solver.cracks().data()));
  geometry.addPoints(3 * cracks.size());
  std::vector<Vec3>& positions = geometry.editPositions();
  for (const auto& crack : solver.cracks())
    for (size_t t = 0; t < crack->band().triangleCount(); ++t)
      for (size_t k = 0; k < 3; ++k) {
        positions[corners.size()] = crack->band().triangle(t)[k];
        corners.push_back(static_cast<int32_t>(corners.size()));
        times.push_back(crack->times()[t][k]);
      }
  geometry.addPrimitives(PrimitiveType::Polygon, cracks.size(), 3, corners);
  Attribute time("crack_time", Storage::Float32, 1, times.size());
  time.edit<float>() = std::move(times);
  geometry.addAttribute(Owner::Point, std::move(time));
  Attribute crack("crack", Storage::Int32, 1, cracks.size());
  crack.edit<int32_t>() = std::move(cracks);
  geometry.addAttribute(Owner::Primitive, std::move(crack));
  return geometry;
}

Value stepValue(const CrackStep& step) {
  Value value;
  value.set("elements", step.elements);
  value.set("started", step.started);
  value.set("front_length", step.frontLength);
  value.set("intensity", step.intensity);
  value.set("stress_ratio", step.stress);
  value.set("area", step.area);
  value.set("seconds", step.seconds);
  return value;
}

FracturePieces piecesOf(const CrackSolver& solver, const SolveMesh& mesh, const CrackOperatorOptions& options,
                        Context& context) {
  const double volume = massProperties(mesh.mesh, context).volume;
  const PieceOptions pieceOptions = hackle::pieceOptions(options.output, volume);
  const std::vector<RecordedCrack> records = solver.records();
  if (!records.empty()) {
    const CrackPartition partition(solver.surfaceTree(), records, {options.threshold}, context);
    if (!partition.whole()) {
      Cut cut = partition.cut(mesh.solid, mesh.mesh, context);
      if (options.output.detail.size > 0) addInteriorDetail(cut, options.output.detail, context);
      FracturePieces pieces = makePieces(mesh.solid, mesh.mesh, cut, pieceOptions, context);
      addCrackAttributes(pieces, partition, options.output.insideGroup, context);
      return pieces;
    }
  }
  context.warn("no crack goes through: the solid stays in one piece");
  const std::vector<Vec3> one{mesh.solid.bounds().centre()};
  return makePieces(mesh.solid, mesh.mesh, cutByVoronoi(mesh.solid, mesh.mesh, one, context), pieceOptions,
                    context);
}

Outputs crackSolid(const Inputs& inputs, const CrackOperatorOptions& options, Context& context) {
  if (options.conditions.empty())
    throw Error(ErrorCode::Usage, "there is no condition",
                "give at least one, such as --condition kind=traction traction=0,1e6,0 group=top");
  std::vector<BoundaryCondition> conditions;
  for (const ConditionRecord& record : options.conditions) conditions.push_back(conditionOf(record));
  const SolveMesh mesh = solveMesh(inputs.geometry(kSolid), options.triangles, context);
  const BemSurface body(mesh.solved);
  CrackOptions solverOptions;
  solverOptions.coarse = options.coarse > 0 ? options.coarse : meanEdge(body);
  solverOptions.fine = solverOptions.coarse / options.ratio;
  solverOptions.steps = options.steps;
  solverOptions.cracks = static_cast<size_t>(options.cracks);
  CrackSolver solver(mesh.mesh, body, boundaryDataOn(mesh, body, conditions), materialOf(inputs, options),
                     solverOptions, context);
  for (size_t i = 0; i < options.initial.size(); ++i)
    addDisc(solver, options.initial[i], i, solverOptions.coarse, context);
  const size_t elements = solver.system().surface().triangleCount();
  solver.run(context);

  Outputs outputs;
  {
    const Context::Stage stage(context, "pieces", 0.2);
    outputs = fractureOutputs(mesh.solid, piecesOf(solver, mesh, options, context), options.output, context);
  }
  outputs.items.push_back(sheetGeometry(solver));
  outputs.result.set("coarse", solverOptions.coarse);
  outputs.result.set("fine", solverOptions.fine);
  outputs.result.set("cracks", solver.cracks().size());
  outputs.result.set("elements_before", elements);
  outputs.result.set("elements_after", solver.system().surface().triangleCount());
  outputs.result.set("crack_seconds", solver.seconds());
  Value::List steps;
  for (const CrackStep& step : solver.log()) steps.push_back(stepValue(step));
  outputs.result.set("steps", std::move(steps));
  return outputs;
}

ParameterTable<InitialRecord> initialTable() {
  ParameterTable<InitialRecord> table;
  table.add(&InitialRecord::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Centre of the disc; all of it has to be inside of the solid.");
  table.add(&InitialRecord::normal, "normal", "Normal")
      .unit("none")
      .soft(-1, 1)
      .fromAttribute("N")
      .help("Direction across the crack.");
  table.add(&InitialRecord::radius, "radius", "Radius")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .fromAttribute("radius")
      .help("Of the disc.");
  return table;
}

ParameterTable<CrackOperatorOptions> parameters() {
  using O = CrackOperatorOptions;
  ParameterTable<O> table;
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
  table.section("Cracks");
  table.addList(&O::initial, "initial", "Initial Cracks", initialTable())
      .fromPoints("initial")
      .help("Discs that are cracked from the beginning.");
  table.add(&O::cracks, "cracks", "New Cracks")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 50)
      .help("At most so many cracks start by themselves, where the surface's stress exceeds the strength.");
  table.add(&O::steps, "steps", "Steps")
      .unit("none")
      .hard(0, 10000)
      .soft(0, 50)
      .help("At most so many steps, each of which moves fronts by up to the coarse resolution.");
  table.section("Resolution");
  table.add(&O::triangles, "triangles", "Triangles")
      .unit("none")
      .hard(50, 20000)
      .soft(200, 3000)
      .help("Surfaces with more triangles are solved on a coarse copy of about this many.");
  table.add(&O::coarse, "coarse", "Coarse Resolution")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help("Length of edges of cracks where stress is computed; with 0 that of the surface's mesh.");
  table.add(&O::ratio, "ratio", "Resolution Ratio")
      .unit("none")
      .hard(1, 80)
      .soft(5, 50)
      .help("How much finer the crack fronts and the pieces are than the coarse resolution.");
  table.add(&O::threshold, "threshold", "Gap Threshold")
      .unit("none")
      .range(0, 1)
      .help("Gaps between cracks that are narrower than this many voxels count as cracked.");
  table.include(&O::output, fractureOutputTable());
  return table;
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
      "and the point attribute crack_time, the time (s) at which the front passed. Cracks that end inside "
      "are "
      "on the output of cracks, as open sheets, with all others.\n\n"
      "A crack is held shut where it meets the surface or another crack, which makes it run a little slower "
      "there. Faces of closed cracks may pass through each other.";
  op.category = "Fracture";
  op.examples = {
      "crack bar.bgeo -o broken.bgeo --condition kind=displacement group=left --condition kind=force "
      "force=0,-1e5,0 group=right --preset pmma",
      "crack cube.obj -o broken.bgeo -o glue.bgeo -o hulls.bgeo -o cracks.bgeo --condition kind=traction "
      "traction=0,3e6,0 low=-1e9,0.49,-1e9 --initial at=0,0,0 normal=1,1,0 radius=0.15 --toughness-pattern "
      "grains"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      {"conditions", "Conditions",
       "Points with attributes kind, displacement, axes, traction, force, pressure, group, attribute, match, "
       "low, high, radius.",
       PortType::Geometry, true},
      {"initial", "Initial Cracks", "Points with N and radius: discs that are cracked from the beginning.",
       PortType::Geometry, true},
      {"fields", "Fields", "VDBs named strength (Pa) and toughness (Pa m^(1/2)).", PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  op.outputs.push_back({"cracks", "Cracks",
                        "All cracks as open sheets of small triangles, with crack and "
                        "crack_time.",
                        PortType::Geometry, true});
  op.bind(parameters(), crackSolid);
  return op;
}

}  // namespace hackle
