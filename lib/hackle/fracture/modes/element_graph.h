// The elements of a lattice and the faces between them: where fracture modes live.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace hackle {

/// Painted controls, one value per tetrahedron; an empty list means the same everywhere.
struct ElementPaint {
  std::vector<double> density;      // kg/m^3, > 0; empty: 1000
  std::vector<double> toughness;    // η, > 0; a face costs the mean of its two sides; empty: 1
  std::vector<Vec3> axisToughness;  // η along x, y and z, > 0; multiplies `toughness`; empty: isotropic
};

struct ElementGraph {
  std::vector<double> masses;                 // kg, of each element
  std::vector<double> volumes;                // m^3
  std::vector<std::array<int32_t, 2>> faces;  // the two elements of a face, first < second, ascending
  std::vector<double> areas;                  // m^2, of each face
  Eigen::MatrixXd costs;  // m^2, η times area: #faces × 1 (isotropic) or × 3 (per axis)

  size_t size() const { return masses.size(); }
  bool isotropic() const { return costs.cols() == 1; }
};

/// Elements are the tetrahedra, joined where they share a face. Error(BadInput) for a tetrahedron without
/// volume, a face of more than two tetrahedra, paint of the wrong length or not positive and finite.
ElementGraph elementGraph(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                          const ElementPaint& paint, Context& context);

/// Number of connected parts; `partOf`, if given, gets the part of each element, numbered by first elements.
size_t elementParts(const ElementGraph& graph, std::vector<int32_t>* partOf = nullptr);

}  // namespace hackle
