// Parameters and inputs that the operators of fracture modes share.
#pragma once

#include <hackle/fracture/modes/modes_engine.h>
#include <hackle/ops/blob.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/material.h>

#include <memory>

namespace hackle {

/// Rows of the modes themselves, in the order in which pages show them: what is found, in which cage, by
/// which weights (before the material), how impulses spread and what is repaired (after it).
ParameterTable<ModesOptions> modesTable();
ParameterTable<ModesOptions> modesImpulseTable();

/// Rows projection, modes, sigma and threshold: when parts come apart. `found`: without modes, which is how
/// many are found where there are no modes yet.
enum class ModesRow { Found, Used };
ParameterTable<ModesBreaking> breakingTable(ModesRow modes);
/// With the elastic constants, strength and toughness of a material.
ModesBreaking breakingOf(ModesBreaking breaking, const MaterialOptions& material);

/// A cache on an input, read, and the surface that its parts have in common.
struct LoadedModes {
  LoadedModes(ModesStatePtr read, Context& context);
  const ModesStatePtr state;
  const TriangleMesh surface;
  const TriangleBvh bvh;  // of `surface`
};

/// The cache on a blob input, read once per blob, and, if `mesh` is given, checked that it belongs to it;
/// errors name the input.
std::shared_ptr<const LoadedModes> loadedModes(const Blob& blob, const Geometry* mesh, Context& context);

}  // namespace hackle
