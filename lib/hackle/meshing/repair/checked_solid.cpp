#include <hackle/meshing/repair/checked_solid.h>

#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/repair/repair.h>

#include <algorithm>
#include <vector>

namespace hackle {

namespace {

/// True if every edge of the triangles has two of them: diagonals of polygons can coincide.
bool trianglesAreManifold(const TriangleMesh& mesh) {
  std::vector<uint64_t> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
      edges.push_back(static_cast<uint64_t>(low) << 32 | static_cast<uint64_t>(high));
    }
  std::sort(edges.begin(), edges.end());
  for (size_t i = 2; i < edges.size(); ++i)
    if (edges[i] == edges[i - 2]) return false;
  return true;
}

/// True if all parts are oriented outwards and none can lie in another: their boxes do not.
bool partsAreApart(const Geometry& solid, const TriangleMesh& mesh) {
  const Components parts = findComponents(solid);
  std::vector<Box3> boxes(parts.count);
  for (size_t p = 0; p < solid.pointCount(); ++p) boxes[parts.ofPoint[p]].add(solid.position(p));
  std::vector<double> volumes(parts.count, 0.0);
  for (const Triangle& t : mesh.triangles) {
    const size_t part = static_cast<size_t>(parts.ofPoint[t[0]]);
    const Vec3 o = boxes[part].centre();
    const auto at = [&](size_t i) -> Vec3 { return mesh.points[t[i]] - o; };
    volumes[part] += at(0).dot(at(1).cross(at(2)));
  }
  if (std::any_of(volumes.begin(), volumes.end(), [](double v) { return !(v > 0); })) return false;

  // Sweep along x: a box can only lie in one that begins before it and has not ended.
  std::sort(boxes.begin(), boxes.end(), [](const Box3& a, const Box3& b) {
    return a.min.x() != b.min.x() ? a.min.x() < b.min.x() : a.max.x() > b.max.x();
  });
  std::vector<const Box3*> begun;
  for (const Box3& box : boxes) {
    begun.erase(
        std::remove_if(begun.begin(), begun.end(), [&](const Box3* b) { return b->max.x() < box.min.x(); }),
        begun.end());
    for (const Box3* b : begun)
      if ((box.min - b->min).minCoeff() >= 0 && (b->max - box.max).minCoeff() >= 0) return false;
    begun.push_back(&box);
  }
  return true;
}

bool isCleanSolid(const Geometry& input, Context& context) {
  for (const Vec3& p : input.positions())
    if (!p.allFinite()) return false;
  const Topology topology = analyseTopology(input, context);
  const bool manifold = topology.faces > 0 && topology.faces == input.primitiveCount() &&
                        topology.points == input.pointCount() && topology.closed && topology.manifold &&
                        topology.oriented && topology.degenerateFaces == 0;
  if (!manifold) return false;
  const TriangleMesh mesh = triangleMesh(input, context);
  const bool hasDiagonals = mesh.triangles.size() > input.primitiveCount();
  return (!hasDiagonals || trianglesAreManifold(mesh)) && partsAreApart(input, mesh);
}

}  // namespace

Geometry checkedSolid(const Geometry& input, Context& context) {
  const Context::Stage stage(context, "check");
  if (isCleanSolid(input, context)) return input;
  RepairOptions options;
  options.allowCrossings = true;
  return repairSolid(input, options, context).geometry;
}

}  // namespace hackle
