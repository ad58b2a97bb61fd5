// From a surface to its fracture modes, cut and cached; and the cache as operators take it.
#pragma once

#include <hackle/fracture/modes/impact.h>
#include <hackle/fracture/modes/mode_solver.h>
#include <hackle/fracture/modes/prefracture.h>
#include <hackle/ops/blob.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/material.h>

#include <memory>
#include <optional>
#include <string>

namespace hackle {

struct ModesOptions {
  int modes = 10;
  int starts = 6;
  int elements = 6000;
  std::optional<double> cellSize;  // m
  Vec3 weight = Vec3::Ones();
  std::string weightAttribute;
  std::string densityAttribute;
  MaterialOptions material;  // density only
  double sigma = 0.0;
  double smoothing = 1.0;  // cells
  ImpulseFilter filter = ImpulseFilter::Shock;
  std::optional<double> spread;  // m
  bool resurface = true;
};

/// Rows of the modes themselves; how faces look is FractureOutputOptions.
ParameterTable<ModesOptions> modesTable();
/// The inputs geometry, weights and densities.
std::vector<Port> modesInputPorts();

struct ComputedModes {
  ModesCache cache;
  Geometry solid;  // what was cut
  TetLattice lattice;
  FractureModes modes;
  ElementPieces pieces;  // of the lattice
};

/// Inputs 0 to 2 are those of modesInputPorts.
ComputedModes computeModes(const Inputs& inputs, const ModesOptions& options,
                           const FractureOutputOptions& output, Context& context);

/// Adds elements, cell_size, and what the solver says of each mode.
void addModeFigures(Value& result, const ComputedModes& computed);

/// A cache and what can be said of its impacts before there is one.
struct LoadedModes {
  LoadedModes(ModesCache read, Context& context);
  const ModesCache cache;
  const ImpactProjector projector;
  const std::string id;  // tells caches apart whose parts differ
};

/// The cache on a blob input, read once a blob, and, if `mesh` is given, checked that it belongs to it;
/// errors name the input.
std::shared_ptr<const LoadedModes> loadedModes(const Blob& blob, const Geometry* mesh, Context& context);

}  // namespace hackle
