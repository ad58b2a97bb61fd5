#include <dop/package/fracture_bodies.h>
#include <hackle/ops/engines.h>

#include <fmt/format.h>

namespace hackle::houdini {

namespace {

FractureLimits limitsOf(const FractureNodeOptions& options, const HostedPiece& piece) {
  FractureLimits limits;
  const double impulse = piece.minImpulse.value_or(options.minImpulse),
               force = piece.minForce.value_or(options.minForce);
  if (impulse > 0) limits.impulse = impulse;
  if (force > 0) limits.force = force;
  limits.minVolume = piece.minVolume.value_or(options.minVolume);
  limits.delay = options.delay;
  limits.resting = options.resting;
  return limits;
}

}  // namespace

void completeBodies(std::vector<HostedPiece>& pieces, const FractureNodeOptions& options,
                    const EngineMaker& makeEngine, Context& context) {
  std::map<std::string, std::shared_ptr<const FractureEngine>> engines;
  for (HostedPiece& piece : pieces) {
    const MaterialOptions material{"custom",         piece.density.value_or(options.density),
                                   options.young,    options.poisson,
                                   options.strength, options.toughness};
    piece.body.material = {material.young, material.poisson, material.density};
    piece.body.limits = limitsOf(options, piece);
    piece.body.restitution = piece.restitution.value_or(options.restitution);
    const std::string id = piece.engine.value_or(options.engine);
    if (!piece.body.dynamic || id.empty()) continue;
    const std::string text = options.engineParameters + " " + piece.engineParameters;
    auto& engine = engines[fmt::format("{}\n{}\n{}", id, text, material.density)];
    if (!engine) engine = makeEngine(id, parametersFromText(text), material, context);
    piece.body.engine = engine;
  }
}

DecideOptions decideOptions(const FractureNodeOptions& options) {
  DecideOptions decide;
  decide.seed = static_cast<uint64_t>(options.seed);
  decide.gravity = options.gravity;
  if (options.maxPieces > 0) decide.maxBodies = static_cast<size_t>(options.maxPieces);
  return decide;
}

std::optional<ConstraintOptions> fragmentConstraints(const FractureNodeOptions& options) {
  if (options.fragmentConstraint.empty()) return std::nullopt;
  return ConstraintOptions{options.fragmentConstraint, "all", options.fragmentStrength};
}

}  // namespace hackle::houdini
