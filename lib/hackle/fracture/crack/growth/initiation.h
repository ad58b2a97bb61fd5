// Where new cracks start: the surface's stress against the strength of the material.
#pragma once

#include <hackle/bem/surface.h>
#include <hackle/geometry/bvh.h>
#include <hackle/volume/scalar_field.h>

#include <vector>

namespace hackle {

struct InitiationOptions {
  double compressionRatio = 1.0;  // f_c: strength in compression over that in tension
  double coarse = 0.0;            // r_c, m
  size_t limit = 1;               // at most this many seeds
};

/// m, how thick the body is below the middle of a triangle; infinite where nothing is behind it. `tree` is of
/// the body.
double wallThickness(const BemSurface& body, const TriangleBvh& tree, size_t triangle);

/// A place for a new crack.
struct CrackSeed {
  int32_t triangle = -1;
  Vec3 centre = Vec3::Zero();  // m, below the surface
  double radius = 0.0;         // m
  Vec3 normal = Vec3::Zero();  // unit, of the crack: the principal direction
  double excess = 0.0;         // stress over strength, above 1
};

/// Radius of a new crack in r_c.
constexpr double kSeedRadius = 0.2;

/// Triangles whose greatest principal stress exceeds the strength at their centroid (or whose least one, in
/// compression, f_c times it), that have not started a crack yet (`started`), and that lie more than r_c from
/// all crack fronts and from each other; the greatest excess first ([Hahn17] ch. 4.4, conditions a to d).
/// `stress` (Pa) is by triangle of the body. The centre is moved inwards until a hexagon of kSeedRadius in
/// the principal plane is below the surface; in a wall that is too thin for that it is smaller and in the
/// middle. `tree` is of the body.
std::vector<CrackSeed> findCrackSeeds(const BemSurface& body, const TriangleBvh& tree,
                                      Span<const Mat3> stress, const ScalarField& strength,
                                      Span<const uint8_t> started, Span<const Vec3> fronts,
                                      const InitiationOptions& options);

}  // namespace hackle
