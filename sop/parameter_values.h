// What the parameters of a node say, as the operator's own values.
#pragma once

#include <hackle/ops/operator.h>

class SOP_NodeCacheOptions;
class SOP_NodeParmsOptions;

namespace hackle::houdini {

/// The parameters of the operator that count now: enabled, set, and different from their defaults. Reads the
/// node's values at that time.
Value::Map nodeValues(const Operator& op, const SOP_NodeCacheOptions& node,
                      const SOP_NodeParmsOptions& options, double time);

/// Text of a parameter of the node itself (streams, files of pictures).
std::string nodeText(const SOP_NodeCacheOptions& node, const std::string& name, double time);

}  // namespace hackle::houdini
