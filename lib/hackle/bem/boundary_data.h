// What is known on the surface of a body before it is solved.
#pragma once

#include <hackle/mechanics/body_force.h>

#include <array>
#include <cstdint>
#include <vector>

namespace hackle {

/// At every triangle and for each axis either the displacement or the traction is known. A node's component
/// is known as soon as a triangle around it has it fixed.
struct BoundaryData {
  BoundaryData() = default;
  BoundaryData(size_t nodes, size_t triangles)
      : fixed(triangles, {0, 0, 0}), displacement(nodes, Vec3::Zero()), traction(triangles, Vec3::Zero()) {}

  std::vector<std::array<uint8_t, 3>> fixed;  // per triangle and axis: 1 where the displacement is known
  std::vector<Vec3> displacement;             // m, per node; read where it is known
  std::vector<Vec3> traction;                 // Pa, per triangle; read where the displacement is not known
  BodyForce force;                            // on every part of the body
};

}  // namespace hackle
