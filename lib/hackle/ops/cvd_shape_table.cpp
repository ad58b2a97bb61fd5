#include <hackle/ops/cvd_shape_table.h>

namespace hackle {

namespace {

/// The row of a point attribute that is painted.
ParameterTable<Paint> paintRow(const char* section, const char* name, const char* label, const char* help) {
  ParameterTable<Paint> table;
  table.section(section);
  table.add(&Paint::attribute, name, label).as(ParameterType::Attribute).help(help);
  return table;
}

}  // namespace

ParameterTable<CvdShape> cvdShapeTable() {
  ParameterTable<CvdShape> table;
  table.section("Shape");
  table.add(&CvdShape::granularity, "granularity", "Granularity")
      .unit("none")
      .hard(0, 8)
      .soft(0, 2)
      .help(
          "Exponent of the strain energy: at 1 small pieces crowd where the solid is hit, at 0 all pieces "
          "are about the same size.");
  table.include(
      &CvdShape::fragility,
      paintRow("Shape", "fragility", "Fragility Attribute",
               "Point attribute of the solid that multiplies the strain energy: above 1 fragile, below 1 "
               "tough. A VDB on the input of fragilities takes precedence."));
  table.add(&CvdShape::metric, "metric", "Metric")
      .menu({{"interior", "Interior"},
             {"diffusion", "Diffusion in the Volume"},
             {"surface", "Diffusion on the Surface"},
             {"euclidean", "Euclidean"}})
      .help(
          "How distances are measured. Interior: along shortest paths inside the solid. Diffusion: by "
          "eigenfunctions of the volume, or of the surface (slow with fine surfaces). Euclidean: along "
          "straight lines, also across gaps, where one cell then gives several pieces.");
  table.add(&CvdShape::stretch, "stretch", "Stretch")
      .unit("none")
      .hard(1e-3, 1e3)
      .soft(0.1, 10)
      .help("Lengthens pieces along each axis, for wood or layered rock.");
  table.add(&CvdShape::waveAmount, "wave_amount", "Wave Amount")
      .unit("m")
      .hard(-1e6, 1e6)
      .soft(0, 0.5)
      .help("Height of the waves in which pieces are bent; 0 for none.");
  table.add(&CvdShape::waveLength, "wave_length", "Wave Length")
      .unit("m")
      .hard(1e-9, 1e9)
      .soft(0.01, 10)
      .help("Distance from one crest of the waves to the next.");
  table.add(&CvdShape::waveAlong, "wave_along", "Waves Along")
      .unit("none")
      .soft(-1, 1)
      .help("Direction from one crest of the waves to the next.");
  table.add(&CvdShape::waveDirection, "wave_direction", "Wave Direction")
      .unit("none")
      .soft(-1, 1)
      .help("Direction in which waves rise, and in which warps of one number move.");
  table.include(
      &CvdShape::warp,
      paintRow("Shape", "warp", "Warp Attribute",
               "Point attribute of the solid, in metres, that moves the space in which distances are "
               "measured: three numbers, or one along the wave direction. A VDB on the input of warps takes "
               "precedence."));
  table.add(&CvdShape::cells, "cells", "Cells")
      .unit("none")
      .hard(2, 400)
      .soft(8, 64)
      .help(
          "Cells of the lattice along the longest side of the solid. Strain is computed on the lattice, and "
          "pieces cannot be finer than it.");
  return table;
}

Port cvdFragilityPort() {
  return {"fragility", "Fragility", "A VDB that multiplies the strain energy.", PortType::Geometry, true};
}

Port cvdWarpPort() {
  return {
      "warp", "Warp",
      "A VDB (m) that moves the space in which distances are measured: of vectors, or of numbers along the "
      "wave direction.",
      PortType::Geometry, true};
}

CvdShape cvdShape(CvdShape shape, const MaterialOptions& material, const Inputs& inputs, size_t fragility,
                  size_t warp) {
  shape.material = {material.young, material.poisson, material.density};
  if (inputs.has(fragility)) shape.fragility.grid = firstGrid(inputs.geometry(fragility), "fragilities");
  if (inputs.has(warp)) shape.warp.grid = firstGrid(inputs.geometry(warp), "warps");
  return shape;
}

}  // namespace hackle
