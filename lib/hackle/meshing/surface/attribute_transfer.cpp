#include <hackle/meshing/surface/attribute_transfer.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mixture.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <vector>

namespace hackle {

namespace {

Mixture mixtureOf(const Triangle& elements, const Vec3& weights) {
  Mixture m;
  size_t n = 0;
  for (size_t k = 0; k < 3; ++k) {
    const double weight = weights[k];
    if (!(weight > 0)) continue;
    m.sources[n] = elements[k];
    m.weights[n++] = weight;
  }
  return m;
}

/// Triangles across the edges 0-1, 1-2, 2-0 of each triangle; -1 where there is none or a seam.
using Neighbours = std::vector<Triangle>;

Neighbours findNeighbours(const TriangleMesh& mesh, const Attribute& uv) {
  struct Side {
    int32_t low, high;              // points
    int32_t lowVertex, highVertex;  // of the geometry
    int32_t triangle;
    size_t edge;
  };
  std::vector<Side> sides;
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t e = 0; e < 3; ++e) {
      const size_t f = (e + 1) % 3;
      Side side{mesh.triangles[t][e], mesh.triangles[t][f],    mesh.vertices[t][e],
                mesh.vertices[t][f],  static_cast<int32_t>(t), e};
      if (side.low > side.high) {
        std::swap(side.low, side.high);
        std::swap(side.lowVertex, side.highVertex);
      }
      sides.push_back(side);
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  const auto agree = [&](int32_t v, int32_t w) {
    for (int c = 0; c < uv.tupleSize(); ++c)
      if (uv.number(static_cast<size_t>(v), c) != uv.number(static_cast<size_t>(w), c)) return false;
    return true;
  };
  Neighbours neighbours(mesh.triangles.size(), Triangle{-1, -1, -1});
  for (size_t i = 1; i < sides.size(); ++i) {
    const Side &a = sides[i - 1], &b = sides[i];
    if (a.low != b.low || a.high != b.high) continue;
    if (!agree(a.lowVertex, b.lowVertex) || !agree(a.highVertex, b.highVertex)) continue;
    neighbours[a.triangle][a.edge] = b.triangle;
    neighbours[b.triangle][b.edge] = a.triangle;
  }
  return neighbours;
}

/// Looks for closest points on the surface near one triangle, without stepping over a seam.
class LocalSurface {
 public:
  LocalSurface(const TriangleMesh& mesh, const Neighbours& neighbours, int32_t home, const Vec3& middle,
               double radius)
      : mMesh(mesh), mTriangles{home}, mKnown{home} {
    for (size_t i = 0; i < mTriangles.size(); ++i)
      for (const int32_t next : neighbours[mTriangles[i]])
        if (next >= 0 && !holds(next) && (closest(next, middle).point - middle).norm() <= radius) {
          mTriangles.push_back(next);
          mKnown.insert(next);
        }
  }
  bool holds(int32_t triangle) const { return mKnown.count(triangle) > 0; }
  ClosestPoint closestPoint(const Vec3& query) const {
    ClosestPoint best;
    for (const int32_t t : mTriangles) {
      ClosestPoint found = closest(t, query);
      found.triangle = t;
      if (found.squaredDistance < best.squaredDistance) best = found;
    }
    return best;
  }

 private:
  ClosestPoint closest(int32_t triangle, const Vec3& query) const {
    const Triangle& t = mMesh.triangles[triangle];
    const auto at = [&](size_t i) -> const Vec3& { return mMesh.points[t[i]]; };
    return closestPointOnTriangle(query, at(0), at(1), at(2));
  }
  const TriangleMesh& mMesh;
  std::vector<int32_t> mTriangles;
  std::unordered_set<int32_t> mKnown;  // the same
};

}  // namespace

void transferAttributes(const Geometry& source, Geometry& target, Context& context) {
  const TriangleMesh mesh = triangleMesh(source, context);
  if (mesh.triangles.empty()) return;
  const TriangleBvh bvh(mesh, context);
  const Attribute* uv = source.findAttribute(Owner::Vertex, "uv");
  const bool hasSeams = uv && !uv->isString();
  const Neighbours neighbours = hasSeams ? findNeighbours(mesh, *uv) : Neighbours();

  std::vector<Mixture> points(target.pointCount()), vertices(target.vertexCount());
  std::vector<Mixture> primitives(target.primitiveCount());
  std::vector<ClosestPoint> nearest(target.pointCount());
  parallelFor(context, points.size(), 256, [&](size_t p) {
    nearest[p] = bvh.closestPoint(target.position(p));
    points[p] = mixtureOf(mesh.triangles[nearest[p].triangle], nearest[p].barycentric);
  });
  parallelFor(context, primitives.size(), 256, [&](size_t p) {
    const Span<const int32_t> corners = target.corners(p);
    if (corners.empty()) return;
    Vec3 middle = Vec3::Zero();
    for (const int32_t c : corners) middle += target.position(static_cast<size_t>(c));
    middle /= static_cast<double>(corners.size());
    double radius = 0;
    for (const int32_t c : corners)
      radius = std::max(radius, (target.position(static_cast<size_t>(c)) - middle).norm());
    const ClosestPoint home = bvh.closestPoint(middle);
    primitives[p] = Mixture::copyOf(mesh.primitives[home.triangle]);
    std::optional<LocalSurface> local;
    if (hasSeams)
      local.emplace(mesh, neighbours, home.triangle, middle, std::sqrt(home.squaredDistance) + 1.5 * radius);
    for (size_t k = 0; k < corners.size(); ++k) {
      ClosestPoint at = nearest[corners[k]];
      if (local && !local->holds(at.triangle))
        at = local->closestPoint(target.position(static_cast<size_t>(corners[k])));
      vertices[target.firstVertex(p) + k] = mixtureOf(mesh.vertices[at.triangle], at.barycentric);
    }
  });
  carryAttributes(source, Owner::Point, points, target);
  carryAttributes(source, Owner::Vertex, vertices, target);
  carryAttributes(source, Owner::Primitive, primitives, target);
  for (const Attribute& a : source.attributes(Owner::Detail)) target.addAttribute(Owner::Detail, a);
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive})
    target.removeAttribute(owner, "N");
}

}  // namespace hackle
