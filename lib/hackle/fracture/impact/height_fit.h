// Smooths cracks: heights whose gradients fit the directions that the cracks met.
#pragma once

#include <hackle/core/span.h>
#include <hackle/fracture/impact/modal_body.h>

#include <array>
#include <vector>

namespace hackle {

/// A tetrahedron of one crack: its corners' places in a list of heights, and the gradient that they should
/// have.
struct HeightFitCell {
  int32_t tetrahedron = -1;
  std::array<int32_t, 4> heights{};
  Vec3 gradient = Vec3::Zero();
};

/// Least squares of sum V |grad h - gradient|^2, held near the given heights, by sweeps of Gauss-Seidel. No
/// height changes its sign, so the same edges stay cut; none comes nearer to 0 than `least` (m).
void fitHeights(const ModalBody& body, Span<const HeightFitCell> cells, double least,
                std::vector<double>& heights);

}  // namespace hackle
