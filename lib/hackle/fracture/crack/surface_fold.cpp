#include <hackle/fracture/crack/surface_fold.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kDepth = 0.1;         // in r_c, below the surface
constexpr double kMostDepth = 0.4;     // in r_c, of the node at which it turns
constexpr double kLeastAcross = 0.5;   // of the sheet's normal, part along the surface
constexpr double kLeastWidth = 0.7;    // in r_c, of the fold
constexpr double kMiddleDepth = 0.04;  // in r_c, of the middle of the fold

/// Whether a segment from a node meets a sheet that does not have this node.
bool meetsSheet(const CoarseWorld& world, int32_t node, const Vec3& from, const Vec3& to) {
  const BemSurface& system = *world.system;
  const Vec3 along = to - from;
  for (size_t t = world.body->triangleCount(); t < system.triangleCount(); ++t) {
    const Triangle& corners = system.triangle(t);
    if (corners[0] == node || corners[1] == node || corners[2] == node) continue;
    const Vec3 &a = system.corner(t, 0), &n = system.normal(t);
    const double begin = n.dot(from - a), end = n.dot(to - a);
    if (begin * end > 0 || begin == end) continue;
    const Vec3 at = from + begin / (begin - end) * along;
    // Inside of all edges, or nearly so.
    bool inside = true;
    for (size_t k = 0; k < 3 && inside; ++k) {
      const Vec3 &p = system.corner(t, k), &q = system.corner(t, (k + 1) % 3);
      inside = n.cross(q - p).dot(at - p) > -0.2 * world.coarse * (q - p).norm();
    }
    if (inside) return true;
  }
  return false;
}

}  // namespace

std::optional<Vec3> foldTarget(const CoarseWorld& world, int32_t node, const Vec3& from, const Vec3& across) {
  const ClosestPoint surface = world.tree->closestPoint(from);
  if (surface.triangle < 0 || surface.squaredDistance > std::pow(kMostDepth * world.coarse, 2)) return {};
  const Vec3& normal = world.body->normal(static_cast<size_t>(surface.triangle));
  Vec3 along = across - across.dot(normal) * normal;
  if (along.norm() < kLeastAcross) return {};
  along.normalize();
  const double least = kLeastWidth * world.coarse;
  for (double width = world.body->size(static_cast<size_t>(surface.triangle)); width >= least; width *= 0.6) {
    const ClosestPoint beyond = world.tree->closestPoint(surface.point + width * along);
    const Vec3 inward = -world.body->normal(static_cast<size_t>(beyond.triangle));
    const Vec3 to = beyond.point + kDepth * world.coarse * inward;
    const double length = (to - from).norm();
    if (length < 0.6 * width || length > 1.5 * width) continue;
    const Vec3 middle = 0.5 * (from + to);
    const double depth = std::sqrt(world.tree->closestPoint(middle).squaredDistance);
    if (depth < kMiddleDepth * world.coarse || !insideSurface(*world.tree, middle) ||
        !insideSurface(*world.tree, to) ||
        world.tree->closestPoint(to).squaredDistance < std::pow(0.5 * kDepth * world.coarse, 2) ||
        meetsSheet(world, node, from, to))
      continue;
    return to;
  }
  return {};
}

}  // namespace hackle
