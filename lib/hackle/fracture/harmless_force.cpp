#include <hackle/fracture/harmless_force.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/thickness.h>

#include <algorithm>
#include <array>
#include <limits>

namespace hackle {

double thinnestPart(const Solid& solid, Context& context) {
  constexpr double kNear = 0.5;   // of the way from the middle of a triangle to its corners: it may be long
  constexpr double kSkin = 1e-6;  // of the size
  const TriangleMesh& mesh = solid.mesh;
  const double size = solid.bvh.bounds().diagonal();
  std::vector<double> least(mesh.triangles.size(), std::numeric_limits<double>::infinity());
  parallelFor(context, least.size(), 32, [&](size_t t) {
    const Triangle& c = mesh.triangles[t];
    const std::array<Vec3, 3> corners{mesh.points[c[0]], mesh.points[c[1]], mesh.points[c[2]]};
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).stableNormalized();
    if (normal.isZero(0)) return;
    const Vec3 middle = (corners[0] + corners[1] + corners[2]) / 3;
    for (const Vec3& corner : {middle, corners[0], corners[1], corners[2]}) {
      const Vec3 at = kNear * corner + (1 - kNear) * middle;
      // Straight through, as at corners of boxes, or what a ridge is on. Thin parts are seen from their
      // faces.
      const auto behind = solid.bvh.firstHit({at - kSkin * size * normal, -normal});
      const double straight = behind ? behind->t : 0;
      least[t] = std::min(least[t], std::max(straight, solidThickness(solid.bvh, size, at, normal)));
    }
  });
  return *std::min_element(least.begin(), least.end());
}

}  // namespace hackle
