// What holds pieces together, as Houdini's constraint networks have it.
#pragma once

#include <hackle/fracture/pieces.h>

namespace hackle {

struct ConstraintOptions {
  std::string name = "Glue";  // of the relationship in the simulation
  std::string type = "all";   // position, rotation or all
  double strength = 1.0;      // per square metre of common face
  double levelStrength =
      1.0;  // factor from each level to the next: above 1, large pieces come apart before they crumble
  bool nameLevels = false;  // Glue0, Glue1, ... by level, for a relationship of its own each
};

/// A point for each piece, at its centre of mass, with the piece's `name`; a two-point polyline for each
/// contact with constraint_name, constraint_type, strength, area (m^2) and length (m, between the centres);
/// with `level`, at which the two came apart (see contactLevel), where pieces were broken again.
Geometry constraintNetwork(const FracturePieces& pieces, const ConstraintOptions& options);

}  // namespace hackle
