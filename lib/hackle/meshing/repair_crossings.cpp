#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/meshing/repair_steps.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::detail {

namespace {

struct Crossings {
  size_t edges = 0;
  Vec3 first = Vec3::Zero();
};

/// True if the segment passes through the inside of a triangle that has none of its ends.
bool passesThrough(const TriangleMesh& mesh, const TriangleBvh& bvh, const Edge& edge, Vec3& place) {
  constexpr double kTouch = 1e-9;  // nearer to an end or an edge than this, relatively, is a touch
  const Vec3 &a = mesh.points[static_cast<size_t>(edge[0])], &b = mesh.points[static_cast<size_t>(edge[1])];
  Ray ray;
  ray.origin = a;
  ray.direction = b - a;
  ray.tMin = kTouch;
  ray.tMax = 1 - kTouch;
  for (const RayHit& hit : bvh.allHits(ray)) {
    const Triangle& t = mesh.triangles[static_cast<size_t>(hit.triangle)];
    const bool joined =
        std::any_of(t.begin(), t.end(), [&](int32_t p) { return p == edge[0] || p == edge[1]; });
    if (joined || hit.barycentric.minCoeff() < kTouch) continue;
    place = a + hit.t * (b - a);
    return true;
  }
  return false;
}

}  // namespace

void refuseCrossings(RepairRun& run) {
  const TriangleMesh mesh = run.mesh.triangles();
  const TriangleBvh bvh(mesh, run.context);
  std::vector<Edge> edges;
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k)
      if (t[k] < t[(k + 1) % 3]) edges.push_back({t[k], t[(k + 1) % 3]});  // its partner runs the other way
  const Crossings found = parallelReduce(
      run.context, edges.size(), 512, Crossings(),
      [&](size_t begin, size_t end) {
        Crossings part;
        for (size_t e = begin; e < end; ++e) {
          Vec3 place;
          if (passesThrough(mesh, bvh, edges[e], place) && part.edges++ == 0) part.first = place;
        }
        return part;
      },
      [](const Crossings& a, const Crossings& b) {
        return Crossings{a.edges + b.edges, a.edges > 0 ? a.first : b.first};
      });
  if (found.edges > 0)
    run.refuse(fmt::format("the surface crosses itself: {} edges pass through faces, around {}", found.edges,
                           placeText(found.first)),
               "use --resurface, or --allow-crossings to leave them");
}

}  // namespace hackle::detail
