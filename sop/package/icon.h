// Icons of the nodes: our own drawings.
#pragma once

#include <hackle/ops/operator.h>

#include <string>

namespace hackle::houdini {

/// A 64 x 64 SVG: a shape for the operator's category, cracked in a way that its name decides.
std::string iconSvg(const Operator& op);

}  // namespace hackle::houdini
