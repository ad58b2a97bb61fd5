#include <hackle/ops/catalogue.h>
#include <hackle/ops/modes_tables.h>

#include <fmt/format.h>

namespace hackle {

namespace {

struct Options {
  ModesOptions modes;
  MaterialOptions material;
  ModesBreaking breaking;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSurface, kWeights, kDensities };

ModesOptions modesOptions(const Inputs& inputs, const Options& options) {
  ModesOptions modes = options.modes;
  modes.density = options.material.density;
  modes.cut = options.output.cut;
  if (inputs.has(kWeights)) modes.weights.grid = firstGrid(inputs.geometry(kWeights), "weights");
  if (inputs.has(kDensities)) modes.densities.grid = firstGrid(inputs.geometry(kDensities), "densities");
  return modes;
}

/// A number attribute for each mode, from the value of each primitive's row.
void addModeAttributes(Geometry& geometry, const Eigen::MatrixXd& values, const std::vector<int32_t>& rowOf) {
  for (Eigen::Index m = 0; m < values.cols(); ++m) {
    Attribute& a =
        geometry.addAttribute(Owner::Primitive, Attribute(fmt::format("mode{}", m), Storage::Float32, 1));
    std::vector<float>& numbers = a.edit<float>();
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(values(rowOf[i], m));
  }
}

/// Adds elements, cell_size, and what the solver says of each mode.
void addModeFigures(Value& result, const ModesOfSolid& found) {
  const ModesCache& cache = found.state->cache;
  result.set("elements", found.lattice.tetrahedra.size());
  result.set("cell_size", cache.cellSize);
  result.set("lattice_pieces", found.pieces.count());
  result.set("mass", cache.density * cache.volume);
  Value::List modes;
  for (const FractureMode& mode : found.modes.modes)
    modes.push_back(Value::Map{{"axes", static_cast<int>(mode.axes)},
                               {"energy", mode.energy},
                               {"gap", mode.gap},
                               {"pieces", mode.pieces},
                               {"iterations", mode.iterations},
                               {"converged", mode.converged}});
  result.set("modes", std::move(modes));
}

Outputs findModes(const Inputs& inputs, const Options& options, Context& context) {
  const ModesOfSolidPtr found =
      modesOfSurface(inputs.geometry(kSurface), modesOptions(inputs, options), context);
  const ModesCache& cache = found->state->cache;
  const std::string bytes = writeModes(cache);
  Blob blob{"modes", std::vector<uint8_t>(bytes.begin(), bytes.end())};

  Geometry parts = cache.parts.geometry;
  addModeAttributes(parts, cache.values, cache.parts.primitivePiece);
  Geometry lattice = latticeGeometry(found->lattice);
  std::vector<int32_t> elements(found->lattice.tetrahedra.size());
  for (size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<int32_t>(e);
  addModeAttributes(lattice, found->modes.values, elements);
  lattice.addAttribute(Owner::Primitive, Attribute("piece", Storage::Int32, 1))
      .assign(CowArray<int32_t>(found->pieces.pieceOf));

  Value result =
      pieceReport(found->solid->geometry, cache.parts, context, options.output.cut.pieces.insideGroup);
  addModeFigures(result, *found);
  result.set("bytes", bytes.size());
  return Outputs({std::move(blob), std::move(parts), std::move(lattice)}, std::move(result));
}

std::unique_ptr<FractureEngine> makeEngine(const Inputs& inputs, const Options& options, Context&) {
  return std::make_unique<ModesEngine>(ModesEngineOptions{
      modesOptions(inputs, options), breakingOf(options.breaking, options.material), nullptr});
}

}  // namespace

Operator modesOperator() {
  Operator op;
  op.id = "modes";
  op.label = "Fracture Modes";
  op.summary = "Find the natural ways in which a solid breaks, and keep them for impacts";
  op.help =
      "Fracture modes are to breaking what vibration modes are to ringing: the ways of falling apart that "
      "cost the least surface for the mass that they set free. They depend on the shape: a thin neck breaks "
      "first. They are found once, in a cage of tetrahedra around the surface, and kept in a file with the "
      "parts that all modes together cut the solid into. The operators modes_impact and prefracture take "
      "that file and need nothing else.\n\n"
      "Weights say where and along which axis it is hard to break; paint them on the points of the surface "
      "or give a VDB. The second output has the finest parts with the primitive attributes mode0, mode1, ... "
      "for pictures, the third the cage with the same attributes.\n\n"
      "The parts are cut from the surface itself, so their outside keeps all attributes. A surface that is "
      "open or crosses itself and cannot be repaired with certainty is broken as a closed copy, with a "
      "warning.\n\n"
      "Of the material only the density matters for the file. The other values of the material, and the "
      "parameters under Breaking, are for simulations that break bodies by this engine as they are hit; for "
      "a single impact give them to modes_impact.";
  op.category = "Fracture";
  op.examples = {"modes figure.obj --modes 20 -o figure.modes",
                 "modes chair.bgeo --weight 10,10,1 --weight-attribute hard -o chair.modes",
                 "modes figure.obj -o figure.modes parts.bgeo lattice.bgeo"};
  op.inputs = {
      {"geometry", "Solid",
       "A closed surface. An open or dirty one is repaired, or broken as a closed copy."},
      {"weights", "Weights", "A VDB of weights: numbers, or vectors (per axis).", PortType::Geometry, true},
      {"densities", "Densities", "A VDB of densities, kg/m^3.", PortType::Geometry, true}};
  op.outputs = {{"modes", "Modes", "The cache: modes, parts and what an impact needs.", PortType::Blob},
                {"parts", "Parts", "The finest pieces, with each mode as a primitive attribute.",
                 PortType::Geometry, true},
                {"lattice", "Lattice", "The cage, with each mode as a primitive attribute, and piece.",
                 PortType::Geometry, true}};
  ParameterTable<Options> table;
  table.include(&Options::modes, modesTable());
  table.include(&Options::material, materialTable());
  table.include(&Options::breaking, breakingTable(ModesRow::Found));
  table.include(&Options::modes, modesImpulseTable());
  table.include(&Options::output, cutOutputTable());
  op.bind(table, findModes);
  op.bindEngine(makeEngine);
  return op;
}

}  // namespace hackle
