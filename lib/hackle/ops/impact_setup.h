// What the operators on modal impact fracture share: the engine's options as parameters, and its file.
#pragma once

#include <hackle/fracture/impact/impact_engine.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/material.h>

#include <memory>

namespace hackle {

/// What vibrates: all that a file of impact_prepare depends on besides the solid.
struct ImpactBodyParameters {
  MaterialOptions material;
  std::optional<int> elements;
  std::optional<double> cellSize;  // m
  int modes = 100;
};
/// Rows under "Vibration"; the material's rows are not among them.
ParameterTable<ImpactBodyParameters> impactBodyTable();
ModalBodyOptions modalBodyOptions(const ImpactBodyParameters& parameters);

}  // namespace hackle
