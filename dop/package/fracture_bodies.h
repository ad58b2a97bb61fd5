// The bodies of a step of the DOP: what points say of pieces, completed by the node's parameters. Needs no
// Houdini.
#pragma once

#include <dop/package/fracture_node.h>
#include <hackle/coupling/hosted_points.h>

#include <functional>

namespace hackle::houdini {

/// Makes an engine by the id of its operator (hackle::engineOf).
using EngineMaker = std::function<std::shared_ptr<const FractureEngine>(
    const std::string& id, Value::Map parameters, const MaterialOptions& material, Context&)>;

/// Engine, material, limits and restitution of every piece: those of its point, else those of the node.
/// Pieces with the same engine and parameters share it. Error(Usage) for an engine that does not exist.
void completeBodies(std::vector<HostedPiece>& pieces, const FractureNodeOptions& options,
                    const EngineMaker& makeEngine, Context& context);

DecideOptions decideOptions(const FractureNodeOptions& options);

/// How the fragments of a piece are constrained to each other; not set: not at all.
std::optional<ConstraintOptions> fragmentConstraints(const FractureNodeOptions& options);

}  // namespace hackle::houdini
