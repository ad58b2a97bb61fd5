#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/repair/repair_steps.h>
#include <hackle/meshing/surface/self_intersections.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle::detail {

namespace {

struct Crossings {
  size_t edges = 0;
  Vec3 first = Vec3::Zero();
};

/// Adds the segment if it passes through the inside of a triangle that has none of its ends.
void addCrossing(const TriangleMesh& mesh, const TriangleBvh& bvh, const Edge& edge, Crossings& found) {
  constexpr double kTouch = 1e-9;  // nearer to an end or an edge than this, relatively, is a touch
  const Vec3 &a = mesh.points[edge[0]], &b = mesh.points[edge[1]];
  Ray ray;
  ray.origin = a;
  ray.direction = b - a;
  ray.tMin = kTouch;
  ray.tMax = 1 - kTouch;
  for (const RayHit& hit : bvh.allHits(ray)) {
    const Triangle& t = mesh.triangles[hit.triangle];
    const bool joined =
        std::any_of(t.begin(), t.end(), [&](int32_t p) { return p == edge[0] || p == edge[1]; });
    if (joined || hit.barycentric.minCoeff() < kTouch) continue;
    if (found.edges++ == 0) found.first = a + hit.t * (b - a);
    return;
  }
}

Crossings findCrossings(const TriangleMesh& mesh, Context& context) {
  const TriangleBvh bvh(mesh, context);
  std::vector<Edge> edges;
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k)
      if (t[k] < t[(k + 1) % 3]) edges.push_back({t[k], t[(k + 1) % 3]});  // its partner runs the other way
  return parallelReduce(
      context, edges.size(), 512, Crossings(),
      [&](size_t begin, size_t end) {
        Crossings part;
        for (size_t e = begin; e < end; ++e) addCrossing(mesh, bvh, edges[e], part);
        return part;
      },
      [](Crossings a, const Crossings& b) {
        if (a.edges == 0) a.first = b.first;
        a.edges += b.edges;
        return a;
      });
}

}  // namespace

void refuseCrossings(RepairRun& run) {
  const Crossings found = findCrossings(run.mesh.triangles(), run.context);
  if (found.edges > 0)
    run.refuse(fmt::format("the surface crosses itself: {} edges pass through faces, around {}", found.edges,
                           placeText(found.first)),
               "rebuild the surface (resurface), or leave them (allow_crossings)");
}

size_t smoothCrossings(Geometry& surface, Context& context) {
  constexpr int kRounds = 12, kSteps = 3;
  const EdgeTable table = findEdges(surface, context);
  std::vector<std::vector<int32_t>> neighbours(surface.pointCount());
  for (const Edge& e : table.edges) {
    neighbours[e[0]].push_back(e[1]);
    neighbours[e[1]].push_back(e[0]);
  }
  for (int round = 0;; ++round) {
    const TriangleMesh mesh = triangleMesh(surface, context);
    const std::vector<std::array<int32_t, 2>> pairs = selfIntersections(mesh, context);
    if (pairs.empty() || round == kRounds) return pairs.size();
    std::vector<int32_t> moved;
    for (const std::array<int32_t, 2>& pair : pairs)
      for (const int32_t t : pair) {
        const Triangle& corners = mesh.triangles[t];
        moved.insert(moved.end(), corners.begin(), corners.end());
      }
    // From round to round a wider neighbourhood moves along.
    for (int ring = 0; ring < 1 + round / 4; ++ring) {
      const size_t count = moved.size();
      for (size_t i = 0; i < count; ++i) {
        const std::vector<int32_t>& around = neighbours[moved[i]];
        moved.insert(moved.end(), around.begin(), around.end());
      }
      std::sort(moved.begin(), moved.end());
      moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
    }
    for (int step = 0; step < kSteps; ++step) {
      std::vector<Vec3> places;
      for (const int32_t p : moved) {
        Vec3 sum = Vec3::Zero();
        for (const int32_t n : neighbours[p]) sum += surface.position(static_cast<size_t>(n));
        places.push_back(sum / static_cast<double>(neighbours[p].size()));
      }
      std::vector<Vec3>& positions = surface.editPositions();
      for (size_t i = 0; i < moved.size(); ++i) positions[moved[i]] = places[i];
    }
  }
}

}  // namespace hackle::detail
