// The parameters of the DOP, as a table of which its dialog and its help card are made; needs no Houdini.
#pragma once

#include <hackle/ops/hosted_fracture.h>

#include <string>

namespace hackle::houdini {

struct FractureNodeOptions {
  HostedOptions hosted;
  std::string geometry = "Geometry";
  std::string constraints = "ConstraintGeometry";
  bool analysis = false;
  bool feedback = false;
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
