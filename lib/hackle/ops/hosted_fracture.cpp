#include <hackle/ops/hosted_fracture.h>

#include <hackle/ops/engines.h>

#include <map>

namespace hackle {

namespace {

using Options = HostedOptions;

void addDecision(ParameterTable<Options>& table) {
  table.section("Breaking");
  table.add(&Options::minImpulse, "min_impulse", "Minimum Impulse")
      .unit("N s")
      .hard(0, {})
      .soft(0, 100)
      .help(
          "Weaker impacts are not tried. The point attribute hackle_min_impulse takes precedence. Without a "
          "minimum impulse or force, engines that know the strength of the material (crack, modes, impact) "
          "decide by themselves; others are asked where the load bends a beam of the piece's size and volume "
          "beyond the strength.");
  table.add(&Options::minForce, "min_force", "Minimum Force")
      .unit("N")
      .hard(0, {})
      .soft(0, 10000)
      .help(
          "Smaller forces are not tried; with a minimum impulse, either is enough. The point attribute "
          "hackle_min_force takes precedence.");
  table.add(&Options::minVolume, "min_volume", "Minimum Volume")
      .unit("m^3")
      .hard(0, {})
      .soft(0, 0.1)
      .help("Smaller pieces stay whole. The point attribute hackle_min_volume takes precedence.");
  table.add(&Options::delay, "delay", "Delay")
      .unit("s")
      .hard(0, {})
      .soft(0, 1)
      .help("Time that new pieces stay whole, so that one impact does not run through all of them.");
  table.add(&Options::resting, "resting", "Resting Loads")
      .help("Weight on a body, its own weight and its spin may break it, too.");
  table.add(&Options::maxPieces, "max_pieces", "Maximum Pieces")
      .unit("none")
      .hard(0, {})
      .soft(0, 2000)
      .help("Of the object, all together; 0: no limit.");
  table.add(&Options::seed, "seed", "Seed").unit("none").hard(0, {}).soft(0, 100).help("Of random numbers.");
}

void addMaterial(ParameterTable<Options>& table) {
  table.section("Material");
  table.add(&Options::density, "density", "Density")
      .unit("kg/m^3")
      .hard(1e-6, {})
      .soft(100, 10000)
      .help("Of pieces that have neither mass nor density as point attributes.");
  table.add(&Options::young, "young", "Young's Modulus")
      .unit("Pa")
      .hard(1e-6, {})
      .soft(1e6, 1e11)
      .help("Stiffness.");
  table.add(&Options::poisson, "poisson", "Poisson's Ratio")
      .unit("none")
      .hard(-0.99, 0.49)
      .soft(0, 0.45)
      .help("Contraction across a pull.");
  table.add(&Options::strength, "strength", "Strength")
      .unit("Pa")
      .hard(1e-6, {})
      .soft(1e5, 1e9)
      .help("Tensile stress at which cracks start.");
  table.add(&Options::toughness, "toughness", "Toughness")
      .unit("Pa m^(1/2)")
      .hard(1e-6, {})
      .soft(1e4, 1e7)
      .help("Resistance to the growth of cracks.");
  table.add(&Options::restitution, "restitution", "Restitution")
      .unit("none")
      .range(0, 1)
      .help("Of an impact; the point attribute bounce takes precedence.");
}

void addConstraints(ParameterTable<Options>& table) {
  table.section("Constraints");
  table.add(&Options::fragmentConstraint, "fragment_constraint", "Fragment Constraint")
      .help(
          "Constrains the fragments of a piece to each other where they touch: the data name of the "
          "relationship that does it, such as Glue or Soft. Empty: fragments are free.");
  table.add(&Options::fragmentStrength, "fragment_strength", "Fragment Strength")
      .unit("1/m^2")
      .hard(0, {})
      .soft(0, 1e5)
      .help("Primitive attribute strength of these constraints, for each square metre of their common face.");
  table.add(&Options::matchBy, "match_by", "Match by Attribute")
      .help(
          "Point attribute, text or whole numbers, by which constraints find their pieces, where Match by "
          "Attribute of the constraint network says another than name. Fragments get values of their own.");
}

void addScales(ParameterTable<Options>& table) {
  table.section("Scale");
  table.add(&Options::gravity, "gravity", "Gravity")
      .unit("m/s^2")
      .hard(0, {})
      .soft(0, 20)
      .help("Contacts slower than two steps of free fall rest.");
  table.add(&Options::worldScale, "world_scale", "World Scale")
      .unit("none")
      .hard(1e-6, {})
      .soft(0.01, 100)
      .help("The Bullet solver's World Scale: lengths in the simulation for each metre.");
  table.add(&Options::timeScale, "time_scale", "Time Scale")
      .unit("none")
      .hard(1e-6, {})
      .soft(0.01, 10)
      .help("The Bullet solver's Time Scale: its steps are this many times as long as those of the network.");
}

/// `anyLoad`: the engine breaks a body at any load that it is asked about.
FractureLimits limitsOf(const HostedOptions& options, const HostedPiece& piece, bool anyLoad) {
  FractureLimits limits;
  const double impulse = piece.minImpulse.value_or(options.minImpulse),
               force = piece.minForce.value_or(options.minForce);
  if (impulse > 0) limits.impulse = impulse;
  if (force > 0) limits.force = force;
  if (anyLoad) limits.strength = options.strength;
  limits.minVolume = piece.minVolume.value_or(options.minVolume);
  limits.delay = options.delay;
  limits.resting = options.resting;
  return limits;
}

bool breaksAtAnyLoad(const std::string& engine) {
  const std::vector<std::string> known = engineIds();
  return std::find(known.begin(), known.end(), engine) != known.end() && !engineKnowsStrength(engine);
}

}  // namespace

ParameterTable<HostedOptions> hostedTable() {
  ParameterTable<Options> table;
  table.section("Engine");
  table.add(&Options::engine, "engine", "Engine")
      .help(
          "Name of the operator that breaks pieces, such as voronoi or cvd. The point attribute hackle_engine "
          "takes precedence; an empty one keeps a piece whole.");
  table.add(&Options::engineParameters, "engine_parameters", "Engine Parameters")
      .help(
          "Parameters of the engine as name=value with spaces between, such as pieces=20. The point attribute "
          "hackle_engine_parameters adds to them.");
  addDecision(table);
  addMaterial(table);
  addConstraints(table);
  addScales(table);
  return table;
}

void completeBodies(std::vector<HostedPiece>& pieces, const HostedOptions& options,
                    const EngineMaker& makeEngine, Context& context) {
  std::map<std::string, std::shared_ptr<const FractureEngine>> engines;
  for (HostedPiece& piece : pieces) {
    const MaterialOptions material{"custom",         piece.density.value_or(options.density),
                                   options.young,    options.poisson,
                                   options.strength, options.toughness};
    const std::string id = piece.engine.value_or(options.engine);
    piece.body.material = {material.young, material.poisson, material.density};
    piece.body.limits = limitsOf(options, piece, breaksAtAnyLoad(id));
    piece.body.restitution = piece.restitution.value_or(options.restitution);
    if (!piece.body.dynamic || id.empty()) continue;
    const std::string text = options.engineParameters + " " + piece.engineParameters;
    auto& engine = engines[fmt::format("{}\n{}\n{}", id, text, material.density)];
    if (!engine) engine = makeEngine(id, parametersFromText(text), material, context);
    piece.body.engine = engine;
  }
}

DecideOptions decideOptions(const HostedOptions& options) {
  DecideOptions decide;
  decide.seed = static_cast<uint64_t>(options.seed);
  decide.gravity = std::max(options.gravity, 0.1);
  if (options.maxPieces > 0) decide.maxBodies = static_cast<size_t>(options.maxPieces);
  return decide;
}

std::optional<ConstraintOptions> fragmentConstraints(const HostedOptions& options) {
  if (options.fragmentConstraint.empty()) return std::nullopt;
  return ConstraintOptions{options.fragmentConstraint, "all", options.fragmentStrength};
}

}  // namespace hackle
