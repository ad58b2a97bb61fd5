// The faces of cracks as surfaces on which further cracks can start.
#pragma once

#include <hackle/bem/system.h>

#include <array>

namespace hackle {

/// One side of all crack sheets, oriented out of the material there, without the strips of mouths.
struct CrackFaces {
  BemSurface surface;
  std::vector<Mat3> stress;        // Pa, of each triangle: faces of cracks are free
  std::vector<int32_t> triangles;  // of the system
};

/// Mean of the displacements of both faces, m, at nodes of cracks. The solution may be older than the last
/// growth: what is new since is not opened yet.
std::vector<Vec3> faceMeans(const BemSystem& system, const BemSolution& solution, Span<const int32_t> nodes,
                            Context& context);

/// Displacements of either face are the mean of both sides, which costs an evaluation at every node, and half
/// of the opening; from these follows the stress along the face ([Hahn17] ch. 4.4). The first has the
/// sheets' own orientation.
std::array<CrackFaces, 2> crackFaces(const BemSystem& system, const BemSolution& solution, Context& context);

}  // namespace hackle
