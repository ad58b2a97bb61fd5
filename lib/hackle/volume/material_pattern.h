// How a material property varies in space: layers, grains, noise, painted volumes.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/volume_grid.h>
#include <hackle/volume/scalar_field.h>

#include <functional>
#include <string>

namespace hackle {

enum class PatternKind { Uniform, Layers, Grains, GrainValues, Noise, Vdb, VdbValues };

struct PatternOptions {
  PatternKind kind = PatternKind::Uniform;
  double amount = 0.1;  // value = base (1 + amount s), s the pattern from 0 to 1
  double size = 0.0;    // m; 0: a twentieth of the solid
  Vec3 direction{0, 1, 0};
  double blend = 0.0;  // m
  Vec3 stretch = Vec3::Ones();
  Vec3 rotate = Vec3::Zero();  // degrees
  double variety = 0.3;
  int tile = 10;
  int seed = 0;
  std::string vdb;
};

/// The field of a property (`name`: "toughness") that has the value `base` without a pattern, in a solid with
/// these bounds. `grid` gives the VDB of a name, or throws. Error(Usage) where values would not be above 0 or
/// a direction is zero.
ScalarField patternField(const std::string& name, double base, const PatternOptions& options,
                         const Box3& solid, const std::function<VolumePtr(const std::string&)>& grid,
                         const Context& context);

}  // namespace hackle
