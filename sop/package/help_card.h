// The help card of a node, in the wiki markup that Houdini's help server reads.
#pragma once

#include <hackle/ops/operator.h>

#include <string>

namespace hackle::houdini {

/// Text of help/nodes/sop/hackle--ID-VERSION.txt.
std::string helpCard(const Operator& op);
/// Text of help/nodes/dop/ID.txt for a node of simulations, whose name has neither namespace nor version.
std::string simulationCard(const Operator& op);
/// Text of the card of the wrapper asset (digital_asset.h).
std::string assetHelpCard(const Operator& op);

}  // namespace hackle::houdini
