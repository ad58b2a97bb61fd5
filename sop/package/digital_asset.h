// Assets with the three inputs and outputs of Houdini's RBD nodes around a fracture node, as the expanded
// text of an asset library. A verb has one output, so the node gives all three packed and the asset takes
// them apart.
#pragma once

#include <hackle/ops/operator.h>

#include <map>
#include <string>
#include <vector>

namespace hackle::houdini {

/// True for operators that give geometry, constraints and proxies.
bool hasAsset(const Operator& op);
/// "rbd_voronoi"
std::string assetName(const Operator& op);
/// "hackle::rbd_voronoi"
std::string assetTypeName(const Operator& op);
/// "hackle--rbd_voronoi" for a name without its namespace: the path of a help card.
std::string helpPath(const std::string& name);
/// Geometry, constraints, proxies, then the operator's further inputs.
std::vector<Port> assetInputs(const Operator& op);

/// Files of the library by their path in it. `version` is that of Hackle.
std::map<std::string, std::string> assetFiles(const Operator& op, const std::string& version);

}  // namespace hackle::houdini
