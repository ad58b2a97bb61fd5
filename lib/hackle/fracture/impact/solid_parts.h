// What is solid of each tetrahedron of a lattice that reaches beyond a surface.
#pragma once

#include <hackle/fem/quadratic_mesh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <vector>

namespace hackle {

struct SolidPart {
  double share = 0;            // of the volume, 0 to 1
  Vec3 centre = Vec3::Zero();  // m, of the part inside; of the tetrahedron where nothing is
};

/// Moments of the parts inside the surface: by lines across the surface in the tetrahedra that it passes,
/// exact along them, so that walls much thinner than a tetrahedron have their volume and their bending
/// stiffness.
std::vector<PartMoments> solidMoments(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                      const TriangleMesh& surface, Context& context);

/// The ends of a part across its shortest extent, as barycentric coordinates: of a wall, places on both of
/// its surfaces.
using PartEnds = std::array<Eigen::Vector4d, 2>;
PartEnds endsOf(const PartMoments& moments, const std::array<Vec3, 4>& corners);

/// Share and centre of a part with these moments.
SolidPart partOf(const PartMoments& moments, const std::array<Vec3, 4>& corners);

}  // namespace hackle
