// Material parameters that fracture operators share, and presets for them.
#pragma once

#include <hackle/ops/parameter_table.h>

namespace hackle {

struct MaterialOptions {
  std::string preset = "custom";
  double density = 2500.0;    // kg/m^3
  double young = 70e9;        // Pa
  double poisson = 0.22;      // none
  double strength = 45e6;     // Pa, tensile
  double toughness = 0.75e6;  // Pa m^(1/2), mode I
};

/// Rows `preset`, `density`, `young`, `poisson`, `strength`, `toughness` under "Material".
ParameterTable<MaterialOptions> materialTable();

/// Rows `preset`, `density`, `young` and `poisson`, for what deforms but has no strength of its own.
ParameterTable<MaterialOptions> elasticTable();

/// Rows `preset` and `density` only, for operators that need no more than a mass.
ParameterTable<MaterialOptions> densityTable();

/// All rows but `density`, for operators whose mass is known from elsewhere.
ParameterTable<MaterialOptions> strengthTable();

struct MaterialPreset {
  std::string name;
  MaterialOptions values;
  std::string source;     // where the values come from
  double damping = 1e-3;  // ratio to critical damping: half of the loss factor [Cremer05], where it has one
};

/// glass, concrete, pmma, plaster, wood, ceramic, steel, ice, and those of [Hahn17].
const std::vector<MaterialPreset>& materialPresets();

/// The preset's values by parameter name, none for "custom"; Error(Usage) for an unknown one.
Value::Map presetValues(const std::string& name);

}  // namespace hackle
