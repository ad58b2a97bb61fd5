#include <hackle/ops/material.h>

#include <fmt/format.h>

namespace hackle {

namespace {

using Table = ParameterTable<MaterialOptions>;

void addPresetRow(Table& table) {
  table.section("Material");
  std::vector<MenuItem> presets{{"custom", "Custom"}};
  for (const MaterialPreset& p : materialPresets()) presets.push_back({p.name, p.name});
  table.add(&MaterialOptions::preset, "preset", "Preset")
      .menu(presets)
      .fills(presetValues)
      .help("Fills the material parameters that are not set themselves with sourced values.");
}

void addDensityRow(Table& table) {
  table.add(&MaterialOptions::density, "density", "Density")
      .unit("kg/m^3")
      .hard(1e-6, 1e6)
      .soft(100, 10000)
      .help("Mass per volume.");
}

void addElasticRows(Table& table) {
  table.add(&MaterialOptions::young, "young", "Young's Modulus")
      .unit("Pa")
      .hard(1, 1e13)
      .soft(1e8, 3e11)
      .help("Stiffness: stress per strain in tension.");
  table.add(&MaterialOptions::poisson, "poisson", "Poisson's Ratio")
      .unit("none")
      .hard(-0.99, 0.499)
      .soft(0, 0.45)
      .help("Sideways contraction per lengthwise stretch.");
}

void addStrengthRows(Table& table) {
  table.add(&MaterialOptions::strength, "strength", "Tensile Strength")
      .unit("Pa")
      .hard(0, 1e12)
      .soft(1e5, 1e9)
      .help("Tensile stress at which a crack starts.");
  table.add(&MaterialOptions::toughness, "toughness", "Fracture Toughness")
      .unit("Pa m^(1/2)")
      .hard(0, 1e12)
      .soft(1e4, 1e8)
      .help("Stress intensity in mode I above which a crack grows.");
}

}  // namespace

ParameterTable<MaterialOptions> densityTable() {
  Table table;
  addPresetRow(table);
  addDensityRow(table);
  return table;
}

ParameterTable<MaterialOptions> elasticTable() {
  Table table = densityTable();
  addElasticRows(table);
  return table;
}

ParameterTable<MaterialOptions> materialTable() {
  Table table = elasticTable();
  addStrengthRows(table);
  return table;
}

ParameterTable<MaterialOptions> strengthTable() {
  Table table;
  addPresetRow(table);
  addElasticRows(table);
  addStrengthRows(table);
  return table;
}

const std::vector<MaterialPreset>& materialPresets() {
  // density kg/m^3, Young Pa, Poisson, tensile strength Pa, toughness Pa m^(1/2)
  static const std::vector<MaterialPreset> kPresets{
      {"glass",
       {"glass", 2500, 70e9, 0.22, 45e6, 0.75e6},
       "annealed soda-lime: [EN572] (density, E, characteristic bending strength), [E1300] (Poisson), "
       "[Wiederhorn69] (K_Ic)",
       6e-4},
      {"concrete",
       {"concrete", 2400, 33e9, 0.2, 2.9e6, 1.0e6},
       "C30/37: [EC2] table 3.1 (E_cm, f_ctm) and 3.1.3 (Poisson); [Jenq85] (K_Ic)",
       3e-3},
      {"pmma", {"pmma", 1180, 3.1e9, 0.37, 70e6, 1.1e6}, "[Ashby99] appendix C", 1.5e-2},
      {"pmma_hahn17", {"pmma_hahn17", 1200, 3.1e9, 0.327, 76e6, 1.0e6}, "[Hahn17] table 2", 1.5e-2},
      {"concrete_hahn17", {"concrete_hahn17", 2300, 25e9, 0.2, 3.0e6, 0.55e6}, "[Hahn17] table 2", 3e-3},
      {"plaster",
       {"plaster", 1100, 4.5e9, 0.22, 2.5e6, 0.14e6},
       "gypsum plaster of half porosity (water to plaster 0.8): [Vekinis93], [Coquard94]",
       2.5e-3},
      {"wood",
       {"wood", 500, 0.9e9, 0.35, 3.5e6, 0.4e6},
       "softwood across the grain: [Ashby99] appendix C; [FPL10] tables 5-1 and 5-3 (spruce: E_R about 0.8 "
       "GPa)",
       5e-3},
      {"ceramic",
       {"ceramic", 2400, 70e9, 0.2, 60e6, 1.2e6},
       "quartz porcelain: [IEC60672] C 110 (density, E, flexural strength: all at least), [Carty98] (K_Ic)",
       5e-4},
      {"steel",
       {"steel", 7850, 205e9, 0.29, 500e6, 50e6},
       "medium-carbon: [Ashby99] appendix C (K_Ic 12 to 92, strength 410 to 1200 MPa)",
       1e-4},
      {"ice",
       {"ice", 917, 9.3e9, 0.33, 1.0e6, 0.12e6},
       "freshwater ice at -10 C: [Schulson09] (density, E, Poisson), [Petrovic03] (strength 0.7 to 3.1 MPa, "
       "K_Ic 0.05 to 0.15)",
       5e-3},
  };
  return kPresets;
}

Value::Map presetValues(const std::string& name) {
  if (name == "custom") return {};
  std::vector<std::string> names;
  for (const MaterialPreset& p : materialPresets()) {
    if (p.name == name)
      return {{"density", p.values.density},     {"young", p.values.young},
              {"poisson", p.values.poisson},     {"strength", p.values.strength},
              {"toughness", p.values.toughness}, {"damping", p.damping}};
    names.push_back(p.name);
  }
  const std::string nearest = nearestName(name, names);
  throw Error(ErrorCode::Usage, fmt::format("there is no preset {}", name),
              nearest.empty() ? fmt::format("the presets are {}", fmt::join(names, ", "))
                              : fmt::format("did you mean {}?", nearest));
}

}  // namespace hackle
