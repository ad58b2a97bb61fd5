#include <hackle/ops/catalogue.h>
#include <hackle/ops/impact_setup.h>
#include <hackle/ops/impact_table.h>

#include <fmt/format.h>

namespace hackle {

namespace {

enum class ForceShape { Hertz, HalfSine };

struct Options {
  std::vector<Impact> impacts;
  ForceShape force = ForceShape::Hertz;
  std::optional<double> contactTime;
  bool limitImpulse = true;
  ImpactBodyParameters body;
  double damping = 1e-3;
  std::optional<double> alpha, beta;
  int flaws = 4096;
  double modulus = 8;
  std::optional<double> flawArea;
  double interior = 1.5;
  std::string strengthAttribute, toughnessAttribute, flawAttribute;
  GrowthOptions growth;
  Vec3 grain = Vec3(0, 1, 0);
  double grainBias = 0;
  std::optional<int> pieces;
  int maxCracks = 400;
  int seed = 0;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kImpacts, kVibrations, kFields };

Paint paintOf(const Inputs& inputs, const std::string& attribute, const std::string& name) {
  Paint paint;
  paint.attribute = attribute;
  if (!inputs.has(kFields)) return paint;
  const Geometry& fields = inputs.geometry(kFields);
  for (size_t p = 0; p < fields.primitiveCount(); ++p)
    if (fields.primitiveType(p) == PrimitiveType::Volume && fields.volume(p)->name() == name)
      paint.grid = fields.volume(p);
  return paint;
}

ImpactEngineOptions engineOptions(const Inputs& inputs, const Options& options) {
  ImpactEngineOptions engine;
  engine.body = modalBodyOptions(options.body);
  engine.strength = options.body.material.strength;
  engine.toughness = options.body.material.toughness;
  engine.damping = options.damping;
  engine.alpha = options.alpha;
  engine.beta = options.beta;
  engine.strike.duration = options.contactTime;
  engine.strike.halfSine = options.force == ForceShape::HalfSine;
  engine.strike.limitImpulse = options.limitImpulse;
  engine.flaws.count = static_cast<size_t>(options.flaws);
  engine.flaws.modulus = options.modulus;
  engine.flaws.area = options.flawArea;
  engine.flaws.interior = options.interior;
  engine.growth = options.growth;
  engine.growth.maxCracks = static_cast<size_t>(options.maxCracks);
  if (options.grainBias != 0 && !(options.grain.norm() > 0))
    throw Error(ErrorCode::Usage, "grain has no length", "give a direction such as 0,1,0");
  engine.growth.grain = {options.grainBias != 0 ? Vec3(options.grain.normalized()) : options.grain,
                         options.grainBias};
  if (options.pieces) engine.pieces = static_cast<size_t>(*options.pieces);
  engine.strengthPaint = paintOf(inputs, options.strengthAttribute, "strength");
  engine.toughnessPaint = paintOf(inputs, options.toughnessAttribute, "toughness");
  engine.flawPaint = paintOf(inputs, options.flawAttribute, "flaw_density");
  engine.seed = static_cast<uint64_t>(options.seed);
  engine.cut = options.output.cut;
  return engine;
}

std::unique_ptr<FractureEngine> makeEngine(const Inputs& inputs, const Options& options, Context&) {
  return std::make_unique<ImpactEngine>(engineOptions(inputs, options));
}

EngineStatePtr stateOf(const ImpactEngine& engine, const SolidPtr& solid, const Inputs& inputs,
                       Context& context) {
  if (!inputs.has(kVibrations)) return engine.prepare(solid, context);
  const Context::Stage stage(context, "load", 0.2);
  const Blob& blob = inputs.blob(kVibrations);
  const std::string_view bytes(reinterpret_cast<const char*>(blob.bytes.data()), blob.bytes.size());
  EngineStatePtr state = engine.load(solid, bytes, context);
  const ElasticMaterial &file = stateAs<ImpactState>(*state).body->material(),
                        &asked = engine.options().body.material;
  if (file.young != asked.young || file.poisson != asked.poisson || file.density != asked.density)
    context.warn(
        fmt::format("stiffness and density are those of the vibrations: young {:.4g}, poisson {:.3g}, "
                    "density {:.4g}",
                    file.young, file.poisson, file.density));
  return state;
}

Outputs breakByImpact(const Inputs& inputs, const Options& options, Context& context) {
  if (options.impacts.empty())
    throw Error(ErrorCode::BadInput, "there is no impact",
                "give one, such as at=0,1,0 dir=0,-1,0 impulse=1, or points on the input impacts");
  const SolidPtr solid = solidOf(inputs.geometry(kSolid), context);
  impactsOnSurface(options.impacts, solid->bvh);  // refuses bad ones before the long work
  const ImpactEngine engine(engineOptions(inputs, options));
  const EngineStatePtr state = stateOf(engine, solid, inputs, context);
  LoadCase load;
  load.impacts = options.impacts;
  Geometry sheets;
  FractureResult result = engine.fracture(*solid, *state, load, &sheets, context);
  Outputs outputs = fractureOutputs(*solid, std::move(result), options.output, context);
  outputs.items.push_back(std::move(sheets));
  return outputs;
}

void addImpactRows(ParameterTable<Options>& table) {
  table.section("Impact");
  table.addList(&Options::impacts, "impact", "Impacts", impactTable())
      .fromPoints("impacts")
      .help("What hits the solid, where and how hard; all at once.");
  table.add(&Options::force, "force", "Force over Time")
      .menu({{"hertz", "Hertz"}, {"half_sine", "Half Sine"}})
      .help("How the force of a contact rises and falls: as between elastic spheres, or half a sine.");
  table.add(&Options::contactTime, "contact_time", "Contact Time")
      .unit("s")
      .hard(1e-9, 10)
      .soft(1e-5, 1e-2)
      .help("How long contacts last. Not given: as Hertz has it, from masses, radii and stiffness.");
  table.add(&Options::limitImpulse, "limit_impulse", "Limit Impulse")
      .help("Vibration takes energy from the impact; then less than the given impulse acts, with a warning.");
}

void addDampingRows(ParameterTable<Options>& table) {
  table.section("Vibration");
  table.add(&Options::damping, "damping", "Damping")
      .unit("none")
      .hard(0, 10)
      .soft(0, 0.1)
      .help(
          "Ratio to critical damping of slow vibrations, up to ten times the slowest; faster ones have more. "
          "Presets: glass 0.001, concrete 0.01, wood 0.02.");
  table.add(&Options::alpha, "alpha", "Stiffness Damping")
      .unit("s")
      .hard(0, 1)
      .soft(0, 1e-6)
      .help("Rayleigh's alpha, instead of what follows from the damping.");
  table.add(&Options::beta, "beta", "Mass Damping")
      .unit("1/s")
      .hard(0, 1e6)
      .soft(0, 100)
      .help("Rayleigh's beta, instead of what follows from the damping.");
}

void addFlawRows(ParameterTable<Options>& table) {
  table.section("Flaws");
  table.add(&Options::flaws, "flaws", "Flaws")
      .unit("none")
      .hard(0, 1000000)
      .soft(0, 20000)
      .help(
          "Places on the surface where cracks can start, the weakest of all; a quarter as many are inside. "
          "0: the same strength everywhere.");
  table.add(&Options::modulus, "modulus", "Weibull Modulus")
      .unit("none")
      .hard(1, 1000)
      .soft(3, 30)
      .help("How alike the strengths of flaws are: 5 scatters widely, 20 little.");
  table.add(&Options::flawArea, "flaw_area", "Strength Area")
      .unit("m^2")
      .hard(1e-12, 1e12)
      .soft(0.001, 10)
      .help("Surface to which strength belongs; larger bodies are weaker. Not given: that of the solid.");
  table.add(&Options::interior, "interior_strength", "Interior Strength")
      .unit("none")
      .hard(0.01, 1000)
      .soft(0.5, 5)
      .help("Strength of flaws inside over that of flaws on the surface.");
  table.add(&Options::strengthAttribute, "strength_attribute", "Strength Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute that multiplies the strength. A VDB strength on the input fields takes "
          "precedence.");
  table.add(&Options::flawAttribute, "flaw_attribute", "Flaw Density Attribute")
      .as(ParameterType::Attribute)
      .help("Point attribute that multiplies the number of flaws. A VDB flaw_density takes precedence.");
  table.add(&Options::toughnessAttribute, "toughness_attribute", "Toughness Attribute")
      .as(ParameterType::Attribute)
      .help("Point attribute that multiplies the toughness. A VDB toughness takes precedence.");
}

void addShapeRows(ParameterTable<GrowthOptions>& table) {
  table.section("Cracks");
  table.add(&GrowthOptions::shape, "shape", "Shape")
      .menu({{"curved", "Curved"}, {"flat", "Flat"}})
      .help(
          "Curved: across the largest tension as the front passes. Flat: planes with noise and the energy "
          "rule of the published method.");
  table.add(&GrowthOptions::energyShare, "energy_share", "Energy Share")
      .unit("none")
      .range(0, 1)
      .help("Part of the vibration's energy that cracks may use: less gives fewer and shorter cracks.");
  table.add(&GrowthOptions::speedLimit, "speed_limit", "Speed Limit")
      .unit("none")
      .hard(0.02, 1)
      .soft(0.1, 1)
      .help("Greatest speed of cracks, in parts of the Rayleigh wave's.");
  table.add(&GrowthOptions::branching, "branching", "Branching")
      .unit("none")
      .hard(0, 1000)
      .soft(0, 20)
      .help("A crack branches where its stress intensity is this many times the toughness; 0: never.");
  table.add(&GrowthOptions::ligament, "ligament", "Ligaments")
      .unit("none")
      .hard(0, 10)
      .soft(0, 1)
      .help(
          "What holds pieces together in front of a crack breaks if it is shorter than this part of the "
          "crack's length.");
  table.add(&GrowthOptions::noise, "noise", "Noise")
      .unit("none")
      .hard(0, 2)
      .soft(0, 0.5)
      .help("Height of waves on cracks, in cells of the lattice.");
  table.add(&GrowthOptions::noiseScale, "noise_scale", "Noise Scale")
      .unit("none")
      .hard(0.5, 1000)
      .soft(1, 20)
      .help("Length of the largest waves, in cells of the lattice.");
  table.add(&GrowthOptions::gamma, "gamma", "Energy Length")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .enabledWhen("shape", {"flat"})
      .help("Flat cracks go on while this length times the energy per volume around them exceeds their own.");
}

ParameterTable<Options> parameters() {
  ParameterTable<Options> table;
  addImpactRows(table);
  table.include(&Options::body, impactBodyTable());
  addDampingRows(table);
  ParameterTable<ImpactBodyParameters> material;
  material.include(&ImpactBodyParameters::material, materialTable());
  table.include(&Options::body, material);
  addFlawRows(table);
  ParameterTable<GrowthOptions> shape;
  addShapeRows(shape);
  table.include(&Options::growth, shape);
  table.add(&Options::grain, "grain", "Grain").unit("none").soft(-1, 1).help("Direction of the grain.");
  table.add(&Options::grainBias, "grain_bias", "Grain Bias")
      .unit("none")
      .range(-1, 1)
      .help("Above 0 cracks run along the grain, as in wood; below 0 across it, as between layers.");
  table.add(&Options::pieces, "pieces", "Number of Pieces")
      .unit("none")
      .hard(1, 100000)
      .soft(2, 200)
      .help(
          "Scales the loads until about this many pieces come off. Not given: what the impact itself does.");
  table.add(&Options::maxCracks, "max_cracks", "Most Cracks")
      .unit("none")
      .hard(1, 100000)
      .soft(10, 1000)
      .help("No more than this many cracks start.");
  table.add(&Options::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives other flaws, waves and branches.");
  table.include(&Options::output, fractureOutputTable());
  return table;
}

}  // namespace

Operator impactOperator() {
  Operator op;
  op.id = "impact";
  op.label = "Impact Fracture (Vibration)";
  op.summary =
      "Break a solid by an impact: waves from the contact start cracks that run until their energy is spent";
  op.help =
      "An impact makes the solid ring. Its vibrations are known in closed form, so stress is known at every "
      "place and time; where it exceeds the strength of a flaw a crack starts there. Cracks run across the "
      "largest tension at the speed that their stress intensity gives, shield their neighbourhood, stop "
      "where the stress is too low, branch where it is high, and never use more energy than the impact "
      "brought. So a slow heavy blow and a fast light one of the same impulse break a solid differently, and "
      "a plate may break at its far side after the blow.\n\n"
      "All numbers are those of engineering, in SI units. The solid is free, as in flight. Flaws make glass "
      "break differently each time: seed picks another sample. Without a file of impact_prepare the "
      "vibrations are found on the way; a node keeps them until solid, stiffness or lattice change.\n\n"
      "Inside faces have crack_time (s after the first touch) and stress (Pa, when the crack passed) on "
      "their points. The fourth output has all cracks as open sheets, also those that went through nothing, "
      "with crack, open, crack_time and stress.";
  op.category = "Fracture";
  op.examples = {
      "impact goblet.obj --preset glass --impact at=0.05,0.1,0 dir=-1,0,0 impulse=0.2 mass=0.1 radius=0.01 "
      "-o pieces.bgeo",
      "impact goblet.obj - goblet.impact --preset glass --impact at=0,0,0 dir=0,1,0 impulse=0.5 -o "
      "pieces.bgeo",
      "impact slab.obj --preset ceramic --impact at=0,0.01,0 impulse=2 mass=0.5 radius=0.02 --pieces 40 -o "
      "pieces.bgeo"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      impactPort(),
      {"vibrations", "Vibrations", "What impact_prepare made of this solid.", PortType::Blob, true},
      {"fields", "Fields", "VDBs strength, toughness, flaw_density that multiply these.", PortType::Geometry,
       true}};
  op.outputs = fractureOutputPorts();
  op.outputs.push_back({"cracks", "Cracks",
                        "All cracks as open sheets, with crack, open, crack_time and stress.",
                        PortType::Geometry, true});
  op.bind(parameters(), breakByImpact);
  op.bindEngine(makeEngine);
  return op;
}

}  // namespace hackle
