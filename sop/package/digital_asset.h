// Assets with the three inputs and outputs of Houdini's RBD nodes around a fracture node. A verb has one
// output, so the node gives all three packed and the asset takes them apart.
#pragma once

#include <hackle/ops/operator.h>
#include <sop/package/asset_library.h>

#include <string>
#include <vector>

namespace hackle::houdini {

/// True for operators that give geometry, constraints and proxies.
bool hasAsset(const Operator& op);
/// "rbd_voronoi"
std::string assetName(const Operator& op);
/// Geometry, constraints, proxies, then the operator's further inputs.
std::vector<Port> assetInputs(const Operator& op);

/// The asset of an operator. `release` is that of Hackle.
Asset fractureAsset(const Operator& op, const std::string& release);

}  // namespace hackle::houdini
