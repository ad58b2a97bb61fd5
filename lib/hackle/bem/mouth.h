// Cracks that break through the surface of a body.
#pragma once

#include <hackle/bem/system.h>

namespace hackle {

/// A crack sheet made ready for BemSystem::growCracks: every node that is not on its front is opened. Edges
/// of the sheet that lie on edges of the body's mesh are its mouth, the others its front.
///
/// At the mouth the surface of the body opens too. Its displacement is continuous in the system, so the jump
/// has to run out on the surface: along one side of the mouth the sheet goes on over a strip of triangles
/// that double those of the body (`onto`). Without the strip the opening would end in the air and D would
/// lack terms along the mouth ([Hahn17] sets it to zero there and is inaccurate near the surface). On the
/// strip the body's own displacement is the sum of the system's displacement and jump.
///
/// `surface` is the system's; its first `bodyTriangles` are the body's. The sheet's nodes at the mouth move
/// to those of the body where they are within 1e-9 of the body's size. A sheet whose edge lies on the surface
/// but not on edges of its mesh gets a front there: it is held shut at the surface.
CrackGrowth crackWithMouth(const BemSurface& surface, size_t bodyTriangles, std::vector<Vec3> points,
                           std::vector<Triangle> triangles);

/// Displacements of the body's nodes on both sides of mouths: for each body triangle that a strip doubles,
/// the jump at its corners (m, zero at others). Add it to the displacement of that triangle's corners.
std::vector<std::pair<int32_t, std::array<Vec3, 3>>> mouthJumps(const BemSystem& system,
                                                                const BemSolution& solution);

/// Stress of each triangle of the body (surfaceStresses), with what opens beside mouths.
std::vector<Mat3> bodyStresses(const BemSystem& system, const BemSolution& solution);

}  // namespace hackle
