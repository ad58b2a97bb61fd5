#include <hackle/meshing/surface/sharp_edges.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kRadians = 3.14159265358979323846 / 180;
// Part of its length by which a segment may be off the sharp edges that it stands for: the chord of a rim
// with twelve sides is 0.07 off.
constexpr double kAside = 0.1;

struct HalfEdge {
  Edge edge;  // smaller point first
  int32_t triangle;
  bool operator<(const HalfEdge& o) const { return edge != o.edge ? edge < o.edge : triangle < o.triangle; }
};

}  // namespace

SharpEdges::SharpEdges(const TriangleMesh& mesh, Context& context) {
  std::vector<Vec3> normals;
  std::vector<HalfEdge> halves;
  halves.reserve(3 * mesh.triangles.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3& a = mesh.points[c[0]];
    normals.push_back((mesh.points[c[1]] - a).cross(mesh.points[c[2]] - a).stableNormalized());
    for (size_t k = 0; k < 3; ++k) {
      const int32_t from = c[k], to = c[(k + 1) % 3];
      halves.push_back({{std::min(from, to), std::max(from, to)}, static_cast<int32_t>(t)});
    }
  }
  context.checkCancel();
  std::sort(halves.begin(), halves.end());
  const double limit = std::cos(kSharpAngle * kRadians);
  std::vector<Triangle> segments;
  for (size_t h = 0; h + 1 < halves.size(); ++h) {
    if (halves[h].edge != halves[h + 1].edge) continue;
    const Vec3 &n = normals[halves[h].triangle], &m = normals[halves[h + 1].triangle];
    // A triangle without area has no normal to compare.
    if (n.isZero() || m.isZero() || n.dot(m) > limit) continue;
    mEdges.push_back(halves[h].edge);
    segments.push_back({halves[h].edge[0], halves[h].edge[1], halves[h].edge[1]});
  }
  if (!segments.empty()) mTree.emplace(mesh.points, segments, context);
}

std::optional<Vec3> SharpEdges::nearest(const Vec3& place, double reach) const {
  if (!mTree) return {};
  const ClosestPoint closest = mTree->closestPoint(place, reach);
  if (closest.triangle < 0) return {};
  return closest.point;
}

bool SharpEdges::hasAlong(const Vec3& a, const Vec3& b) const {
  const double reach = kAside * (b - a).norm();
  for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0})
    if (!nearest((1 - t) * a + t * b, reach)) return false;
  return true;
}

}  // namespace hackle
