// The parameters of the DOP, as a table of which its dialog and its help card are made; needs no Houdini.
#pragma once

#include <hackle/ops/material.h>
#include <hackle/ops/operator.h>

#include <string>

namespace hackle::houdini {

struct FractureNodeOptions {
  std::string engine = "voronoi";
  std::string engineParameters;
  std::string geometry = "Geometry";
  std::string constraints = "ConstraintGeometry";
  std::string fragmentConstraint;
  double fragmentStrength = 1000;
  bool analysis = false;
  bool feedback = false;
  double density = 2500, young = 70e9, poisson = 0.22, strength = 45e6, toughness = 0.75e6;
  double restitution = 0.1;
  double minImpulse = 0, minForce = 0, minVolume = 0, delay = 0.05;
  bool resting = true;
  int32_t maxPieces = 0;
  int32_t seed = 0;
  double gravity = 9.81, worldScale = 1, timeScale = 1;
};

/// The node as an operator without inputs that is never run: name, label, help and table.
const Operator& fractureNode();
/// "hackle_fracture", which is also that of the data.
extern const char* const kFractureNodeName;

/// The options that values by name stand for; they may be text. Error(Usage) that names the parameter.
FractureNodeOptions fractureNodeOptions(const Value::Map& given);

/// Text of help/nodes/dop/hackle_fracture.txt.
std::string fractureNodeCard();

}  // namespace hackle::houdini
