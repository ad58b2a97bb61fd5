// How the pieces of a host's simulation break: the parameters that the operator fracture_step and the DOP
// share, and what they make of the host's pieces.
#pragma once

#include <hackle/coupling/hosted_points.h>
#include <hackle/ops/material.h>
#include <hackle/ops/operator.h>

#include <functional>
#include <string>

namespace hackle {

struct HostedOptions {
  std::string engine = "voronoi";
  std::string engineParameters;
  std::string fragmentConstraint;
  std::string matchBy = "name";
  double fragmentStrength = 1000;
  double density = 2500, young = 70e9, poisson = 0.22, strength = 45e6, toughness = 0.75e6;
  double restitution = 0.1;
  double minImpulse = 0, minForce = 0, minVolume = 0, delay = 0.05;
  bool resting = true;
  int32_t maxPieces = 0;
  int32_t seed = 0;
  double gravity = 9.81, worldScale = 1, timeScale = 1;
};

ParameterTable<HostedOptions> hostedTable();

/// Makes an engine by the id of its operator (`engineOf`).
using EngineMaker = std::function<std::shared_ptr<const FractureEngine>(
    const std::string& id, Value::Map parameters, const MaterialOptions& material, Context&)>;

/// Engine, material, limits and restitution of every piece: those of its point, else those of the options.
/// Pieces with the same engine and parameters share it. Error(Usage) for an engine that does not exist.
void completeBodies(std::vector<HostedPiece>& pieces, const HostedOptions& options,
                    const EngineMaker& makeEngine, Context& context);

DecideOptions decideOptions(const HostedOptions& options);

/// How the fragments of a piece are constrained to each other; not set: not at all.
std::optional<ConstraintOptions> fragmentConstraints(const HostedOptions& options);

}  // namespace hackle
