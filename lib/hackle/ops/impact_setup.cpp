#include <hackle/ops/impact_setup.h>

namespace hackle {

ParameterTable<ImpactBodyParameters> impactBodyTable() {
  ParameterTable<ImpactBodyParameters> table;
  table.section("Vibration");
  table.add(&ImpactBodyParameters::elements, "elements", "Elements")
      .unit("none")
      .hard(100, 2000000)
      .soft(2000, 50000)
      .help(
          "Tetrahedra of the lattice around the solid, about. It computes vibrations and carries cracks: "
          "more give finer pieces, and time grows with them. Not given: as many as thin walls need, 10,000 to "
          "40,000; a warning tells when that is not enough.");
  table.add(&ImpactBodyParameters::cellSize, "cell_size", "Cell Size")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.001, 1)
      .help("Edge of the lattice's cubes, instead of a number of elements.");
  table.add(&ImpactBodyParameters::modes, "modes", "Vibration Modes")
      .unit("none")
      .hard(1, 2000)
      .soft(20, 300)
      .help(
          "Natural vibrations that follow the impact in time, the slowest first; a few more or less are "
          "taken, up to a gap between frequencies. Faster ones answer statically. A warning says when a "
          "contact is too short for them.");
  return table;
}

ModalBodyOptions modalBodyOptions(const ImpactBodyParameters& parameters) {
  ModalBodyOptions options;
  const MaterialOptions& m = parameters.material;
  options.material = {m.young, m.poisson, m.density};
  if (parameters.elements) options.elements = static_cast<size_t>(*parameters.elements);
  options.cellSize = parameters.cellSize;
  options.modes = static_cast<size_t>(parameters.modes);
  return options;
}

}  // namespace hackle
