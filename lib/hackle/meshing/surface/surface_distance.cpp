#include <hackle/meshing/surface/surface_distance.h>

#include <cmath>
#include <memory>

namespace hackle {

SurfaceDistance::SurfaceDistance(const TriangleMesh& mesh, Context& context)
    : mTree(mesh, context), mWinding(mTree, context) {}

double SurfaceDistance::distance(const Vec3& p) const {
  return std::sqrt(mTree.closestPoint(p).squaredDistance);
}

// The winding numbers of closed surfaces are whole, so a coarse sum is enough: it errs by less than 0.1.
constexpr double kAccuracy = 1.2;

bool SurfaceDistance::inside(const Vec3& p) const { return mWinding(p, kAccuracy) > 0.5; }

double SurfaceDistance::crossing(const Vec3& insidePoint, const Vec3& outsidePoint) const {
  Ray ray;
  ray.origin = insidePoint;
  ray.direction = outsidePoint - insidePoint;
  ray.tMax = 1.0;
  const std::vector<RayHit> hits = mTree.allHits(ray);
  if (hits.size() == 1) return hits[0].t;
  // Overlapping parts: leave them one by one.
  double winding = std::round(mWinding(insidePoint, kAccuracy));
  for (const RayHit& hit : hits) {
    winding += hit.front ? 1.0 : -1.0;
    if (winding < 0.5) return hit.t;
  }
  // Through an edge or a corner, where hits are not counted as often as sheets are passed.
  double a = 0, b = 1;
  while (b - a > 1e-6) {
    const double t = 0.5 * (a + b);
    (inside(insidePoint + t * ray.direction) ? a : b) = t;
  }
  return 0.5 * (a + b);
}

SolidField solidInside(const TriangleMesh& mesh, Context& context) {
  const auto distance = std::make_shared<const SurfaceDistance>(mesh, context);
  SolidField solid;
  solid.bounds = distance->tree().bounds();
  solid.lipschitz = 1.0;
  solid.crossing = [distance](const Vec3& in, const Vec3& out) { return distance->crossing(in, out); };
  solid.value = [distance](const Vec3& p) { return (*distance)(p); };
  return solid;
}

}  // namespace hackle
