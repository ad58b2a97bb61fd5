#include <hackle/ops/catalogue.h>
#include <hackle/ops/modes_precompute.h>

#include <fmt/format.h>

namespace hackle {

namespace {

struct Options {
  ModesOptions modes;
  FractureOutputOptions output;
};

/// A number attribute for each mode, from the value of each primitive's row.
void addModeAttributes(Geometry& geometry, const Eigen::MatrixXd& values, const std::vector<int32_t>& rowOf) {
  for (Eigen::Index m = 0; m < values.cols(); ++m) {
    Attribute& a =
        geometry.addAttribute(Owner::Primitive, Attribute(fmt::format("mode{}", m), Storage::Float32, 1));
    std::vector<float>& numbers = a.edit<float>();
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(values(rowOf[i], m));
  }
}

Outputs precompute(const Inputs& inputs, const Options& options, Context& context) {
  const ComputedModes computed = computeModes(inputs, options.modes, options.output, context);
  const std::string bytes = writeModes(computed.cache);
  Blob blob{"modes", std::vector<uint8_t>(bytes.begin(), bytes.end())};

  Geometry parts = computed.cache.parts.geometry;
  addModeAttributes(parts, computed.cache.values, computed.cache.parts.primitivePiece);
  Geometry lattice = latticeGeometry(computed.lattice);
  std::vector<int32_t> elements(computed.lattice.tetrahedra.size());
  for (size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<int32_t>(e);
  addModeAttributes(lattice, computed.modes.values, elements);
  lattice.addAttribute(Owner::Primitive, Attribute("piece", Storage::Int32, 1))
      .assign(CowArray<int32_t>(computed.pieces.pieceOf));

  Value result =
      pieceReport(computed.solid, computed.cache.parts, context, options.output.cut.pieces.insideGroup);
  addModeFigures(result, computed);
  result.set("bytes", bytes.size());
  return Outputs({std::move(blob), std::move(parts), std::move(lattice)}, std::move(result));
}

}  // namespace

Operator modesOperator() {
  Operator op;
  op.id = "modes";
  op.label = "Fracture Modes";
  op.summary = "Find the natural ways in which a solid breaks, and keep them for impacts";
  op.help =
      "Fracture modes are to breaking what vibration modes are to ringing: the ways of falling apart that "
      "cost "
      "the least surface for the mass that they set free. They depend on the shape: a thin neck breaks "
      "first. "
      "They are found once, in a cage of tetrahedra around the surface, and kept in a file with the parts "
      "that "
      "all modes together cut the solid into. The operators modes_impact and prefracture take that file and "
      "need nothing else.\n\n"
      "Weights say where and along which axis it is hard to break; paint them on the points of the surface "
      "or "
      "give a VDB. The second output has the finest parts with the primitive attributes mode0, mode1, ... "
      "for "
      "pictures, the third the cage with the same.\n\n"
      "The parts are cut from the surface itself, so their outside keeps all attributes. A surface that is "
      "open or crosses itself and cannot be repaired with certainty is broken as a closed copy, with a "
      "warning.";
  op.category = "Fracture";
  op.examples = {"modes figure.obj --modes 20 -o figure.modes",
                 "modes chair.bgeo --weight 10,10,1 --weight-attribute hard -o chair.modes",
                 "modes figure.obj -o figure.modes parts.bgeo lattice.bgeo"};
  op.inputs = modesInputPorts();
  op.outputs = {{"modes", "Modes", "The cache: modes, parts and what an impact needs.", PortType::Blob},
                {"parts", "Parts", "The finest pieces, with each mode as a primitive attribute.",
                 PortType::Geometry, true},
                {"lattice", "Lattice", "The cage, with each mode as a primitive attribute, and piece.",
                 PortType::Geometry, true}};
  ParameterTable<Options> table;
  table.include(&Options::modes, modesTable());
  table.include(&Options::output, cutOutputTable());
  op.bind(table, precompute);
  return op;
}

}  // namespace hackle
