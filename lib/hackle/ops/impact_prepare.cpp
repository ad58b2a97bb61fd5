#include <hackle/meshing/lattice/lattice.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/impact_setup.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

/// The lattice with the shapes of the first vibrations, for pictures.
Geometry vibratingLattice(const ModalBody& body, size_t shown) {
  TetLattice lattice;
  lattice.points = body.points();
  lattice.tetrahedra = body.tetrahedra();
  lattice.onSurface.assign(lattice.points.size(), 0);
  Geometry geometry = latticeGeometry(lattice);
  for (size_t m = 0; m < std::min(shown, body.modes()); ++m) {
    const auto shape = body.shapes().col(static_cast<Eigen::Index>(m));
    Attribute values(fmt::format("vibration{}", m), Storage::Float32, 3, body.points().size());
    std::vector<float>& numbers = values.edit<float>();
    const float largest = shape.cwiseAbs().maxCoeff();
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = shape[static_cast<Eigen::Index>(i)] / largest;
    geometry.addAttribute(Owner::Point, std::move(values));
  }
  Attribute share("solid_share", Storage::Float32, 1, body.parts().size());
  for (size_t t = 0; t < body.parts().size(); ++t)
    share.edit<float>()[t] = static_cast<float>(body.parts()[t].share);
  geometry.addAttribute(Owner::Primitive, std::move(share));
  return geometry;
}

Outputs prepare(const Inputs& inputs, const ImpactBodyParameters& parameters, Context& context) {
  const SolidPtr solid = solidOf(inputs.geometry(0), context);
  const ModalBody body(*solid, modalBodyOptions(parameters), context);
  const std::string bytes = body.archive();
  Blob blob{"impact", std::vector<uint8_t>(bytes.begin(), bytes.end())};
  Value result = Value::Map();
  result.set("elements", body.tetrahedra().size());
  result.set("points", body.points().size());
  result.set("cell_size", body.cellSize());
  result.set("modes", body.modes());
  constexpr double kTurn = 6.283185307179586;
  result.set("lowest_frequency", body.frequencies()[0] / kTurn);
  result.set("highest_frequency", body.frequencies()[body.frequencies().size() - 1] / kTurn);
  result.set("bytes", bytes.size());
  return Outputs({std::move(blob), vibratingLattice(body, 12)}, std::move(result));
}

}  // namespace

Operator impactPrepareOperator() {
  Operator op;
  op.id = "impact_prepare";
  op.label = "Impact Fracture: Prepare Vibrations";
  op.summary = "Find the natural vibrations of a solid once, for the operator impact";
  op.help =
      "Puts a lattice of tetrahedra around the solid and finds its natural vibrations, how it rings when it "
      "is struck, with the stress of each. These are not fracture modes (operator modes): they do not say "
      "how the solid breaks, but how it moves until it does. The file depends on the solid, its stiffness, "
      "its density and the lattice, and on nothing of the impact, strength or toughness; impact takes it and "
      "is then fast.\n\n"
      "The second output has the lattice with the shapes of the first twelve vibrations as point vectors "
      "vibration0, ..., and solid_share, the part of each tetrahedron inside the solid.";
  op.category = "Fracture";
  op.examples = {
      "impact_prepare goblet.obj --preset glass -o goblet.impact",
      "impact_prepare goblet.obj --preset glass --elements 40000 --modes 200 -o goblet.impact lattice.bgeo"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."}};
  op.outputs = {{"vibrations", "Vibrations", "What impact needs of the solid.", PortType::Blob},
                {"lattice", "Lattice", "The tetrahedra, with the first vibrations as attributes.",
                 PortType::Geometry, true}};
  ParameterTable<ImpactBodyParameters> table = impactBodyTable();
  table.include(&ImpactBodyParameters::material, elasticTable());
  op.bind(table, prepare);
  return op;
}

}  // namespace hackle
