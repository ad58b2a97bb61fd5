// Assets that are the nodes themselves, for Houdini without the plug-in: the parameters of an operator around
// a Python SOP that hands the work to the program (python/houdini/hackle_nodes.py).
#pragma once

#include <hackle/ops/operator.h>
#include <sop/package/asset_library.h>

#include <string>
#include <vector>

namespace hackle::houdini {

/// True for operators with at most four inputs, all of geometry, and some geometry as output.
bool hasPythonAsset(const Operator& op);

/// Named as the node of the plug-in, so that scenes open with either.
Asset pythonAsset(const Operator& op, const std::string& release);

/// What the Python module knows of the operators: ports, and parameters as the command line takes them.
Value operatorDescriptions(const std::vector<Operator>& operators);

}  // namespace hackle::houdini
