// The boundary of an elastic body, and crack sheets inside it, as boundary elements.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/vec.h>

#include <array>
#include <unordered_map>
#include <vector>

namespace hackle {

/// A corner of a triangle, as seen from its node.
struct BemCorner {
  int32_t triangle;
  int32_t corner;  // 0, 1, 2
};

/// Flat triangles, counter-clockwise seen from outside, and what integration over them needs. Tractions are
/// constant on a triangle, displacements linear between nodes. Grows at its end only: indices stay valid.
class BemSurface {
 public:
  BemSurface() = default;
  BemSurface(Span<const Vec3> points, Span<const Triangle> triangles) { append(points, triangles); }
  /// All points of the mesh become nodes, used or not.
  explicit BemSurface(const TriangleMesh& mesh);

  /// Adds nodes, and triangles that index all nodes so far: a crack sheet, or its next strip. A sheet has
  /// nodes of its own, also where it touches the body: equal coordinates are recognised. Error(BadInput),
  /// and nothing is added, for a triangle without area, with a bad index or with coordinates that are not
  /// finite.
  void append(Span<const Vec3> points, Span<const Triangle> triangles);

  size_t nodeCount() const { return mPoints.size(); }
  size_t triangleCount() const { return mTriangles.size(); }
  const Vec3& point(size_t node) const { return mPoints[node]; }
  const Triangle& triangle(size_t t) const { return mTriangles[t]; }
  const Vec3& corner(size_t t, size_t v) const { return mPoints[mTriangles[t][v]]; }

  const Vec3& normal(size_t t) const { return mShapes[t].normal; }  // unit
  double area(size_t t) const { return mShapes[t].area; }
  const Vec3& centroid(size_t t) const { return mShapes[t].centroid; }
  /// Largest distance of a corner from the centroid.
  double radius(size_t t) const { return mShapes[t].radius; }
  /// Longest edge.
  double size(size_t t) const { return mShapes[t].size; }
  /// Surface curls n × ∇φ of the three hat functions, 1/m; README eq. 3.
  const std::array<Vec3, 3>& curls(size_t t) const { return mShapes[t].curls; }
  /// Gradients ∇φ of the three hat functions, 1/m.
  std::array<Vec3, 3> gradients(size_t t) const;
  /// Triangles around a node, ascending.
  Span<const BemCorner> corners(size_t node) const {
    return {mCorners.data() + mFirstCorner[node], mFirstCorner[node + 1] - mFirstCorner[node]};
  }
  /// Equal for nodes at equal coordinates: the first such node.
  int32_t site(size_t node) const { return mSites[node]; }

 private:
  struct Shape {
    Vec3 normal, centroid;
    std::array<Vec3, 3> curls;
    double area, radius, size;
  };
  struct PointHash {
    size_t operator()(const std::array<double, 3>& p) const;
  };
  Shape shapeOf(const Triangle& corners, size_t index, Span<const Vec3> more) const;
  void indexCorners();

  std::vector<Vec3> mPoints;
  std::vector<Triangle> mTriangles;
  std::vector<Shape> mShapes;
  std::vector<BemCorner> mCorners;
  std::vector<size_t> mFirstCorner = {0};
  std::vector<int32_t> mSites;
  std::unordered_map<std::array<double, 3>, int32_t, PointHash> mSiteOf;
};

/// Where two triangles touch by their corners: how many coincide (0 to 3), those first in `first` and
/// `second` (equal places coincide), then the others in cyclic order.
struct SharedCorners {
  int count = 0;
  std::array<int, 3> first = {0, 1, 2};
  std::array<int, 3> second = {0, 1, 2};
};
SharedCorners sharedCorners(const BemSurface& surface, size_t f, size_t g);

}  // namespace hackle
