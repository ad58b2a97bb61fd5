// A tree of boxes over triangles: closest point, rays, box queries.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <limits>
#include <optional>
#include <vector>

namespace hackle {

struct TriangleMesh;
struct BvhWideNode;

struct ClosestPoint {
  int32_t triangle = -1;  // -1: nothing within reach
  Vec3 point = Vec3::Zero();
  Vec3 barycentric = Vec3::Zero();  // weights of the triangle's corners
  double squaredDistance = std::numeric_limits<double>::infinity();
};

/// The direction need not have unit length; `t` counts in multiples of it.
struct Ray {
  Vec3 origin = Vec3::Zero();
  Vec3 direction = Vec3::UnitX();
  double tMin = 0.0;
  double tMax = std::numeric_limits<double>::infinity();
};

struct RayHit {
  int32_t triangle = -1;
  double t = 0.0;  // the hit is at origin + t * direction
  Vec3 barycentric = Vec3::Zero();
  bool front = false;  // the ray comes from outside (counter-clockwise) of the triangle
};

/// Built with binned surface-area splits [Wald07], the same on any number of threads. Queries may come
/// from many threads at once. Triangles with a corner that is not finite are left out; degenerate ones are
/// points or segments to closest-point queries and invisible to rays.
///
/// The tree keeps a copy of the corners relative to the middle of the mesh, in double precision, and its
/// boxes in single precision, rounded outwards: results are as exact as the coordinates.
class TriangleBvh {
 public:
  TriangleBvh(Span<const Vec3> points, Span<const Triangle> triangles, Context& context);
  TriangleBvh(const TriangleMesh& mesh, Context& context);
  ~TriangleBvh();
  TriangleBvh(TriangleBvh&&) noexcept;
  TriangleBvh& operator=(TriangleBvh&&) noexcept;

  bool empty() const { return mTriangles.empty(); }
  Box3 bounds() const;

  /// The point of the triangles that is nearest to `query`, if it is nearer than `maxDistance`.
  ClosestPoint closestPoint(const Vec3& query,
                            double maxDistance = std::numeric_limits<double>::infinity()) const;

  /// The first hit along a ray. Watertight [Woop13]: no ray slips through a shared edge.
  std::optional<RayHit> firstHit(const Ray& ray) const;
  /// All hits by ascending t, equal t by ascending triangle. A ray through a shared edge hits both triangles.
  std::vector<RayHit> allHits(const Ray& ray) const;
  bool anyHit(const Ray& ray) const;

  /// Triangles whose bounding boxes meet the box, ascending.
  std::vector<int32_t> trianglesNear(const Box3& box) const;
  /// The same into a list that is used again and again.
  void trianglesNear(const Box3& box, std::vector<int32_t>& result) const;

  // For algorithms on the tree, such as winding numbers
  // ------------------------------------------------------------
  /// Inner nodes have their children at `first` and `first + 1`; leaves (count > 0) have the triangles
  /// leafTriangles()[first] to first + count. The root is node 0; children come after their parent.
  struct Node {
    float min[3];
    float max[3];
    int32_t first;
    int32_t count;
  };
  struct Corners {
    Vec3 a, b, c;  // relative to origin()
  };
  const std::vector<Node>& nodes() const { return mNodes; }
  const std::vector<Corners>& leafTriangles() const { return mCorners; }
  const Vec3& origin() const { return mOrigin; }

 private:
  template <class Visit>
  void visitRay(const Ray& ray, const Visit& visit) const;

  Vec3 mOrigin = Vec3::Zero();
  std::vector<Node> mNodes;
  std::vector<BvhWideNode> mWide;   // the same tree, four children a node, for queries
  std::vector<Corners> mCorners;    // in leaf order
  std::vector<int32_t> mTriangles;  // their numbers
};

/// Nearest point of one triangle, degenerate or not; `triangle` is left at -1.
ClosestPoint closestPointOnTriangle(const Vec3& query, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace hackle
