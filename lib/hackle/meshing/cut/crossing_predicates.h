// Exact decisions about how two sets of triangles cross, in general position by construction.
//
// One set (the surface) stays, the other (the partition) is moved by an infinitesimal vector d = (e, e^2,
// e^3): every sign is that of the moved configuration, so points on planes, edges through edges and coplanar
// triangles have one consistent answer. Since all answers come from one real configuration, they can never
// contradict each other as long as either set by itself is free of crossings.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/meshing/cut/exact_number.h>

namespace hackle {

class CrossingPredicates {
 public:
  /// The spans must outlive this. Coordinates must be finite.
  CrossingPredicates(Span<const Vec3> surface, Span<const Vec3> partition);

  /// 1 if a point of the surface is in front of a triangle of the partition (which it sees
  /// counter-clockwise), -1 if behind it; 1 if the triangle has no area.
  int surfacePointSide(int32_t point, const Triangle& partition) const;
  int partitionPointSide(int32_t point, const Triangle& surface) const;
  bool surfaceHasArea(const Triangle& surface) const;
  bool partitionHasArea(const Triangle& partition) const;
  /// Sign of the volume of (p, q, c, d), p and q of the surface, c and d of the partition. 0 only for
  /// parallel edges, which cannot cross.
  int edges(int32_t p, int32_t q, int32_t c, int32_t d) const;

  /// Along the surface's edge from p to q: -1 if it meets triangle s before t, 1 if after, 0 if both lie in
  /// one plane. It must cross both.
  int orderAlongSurfaceEdge(int32_t p, int32_t q, const Triangle& s, const Triangle& t) const;
  int orderAlongPartitionEdge(int32_t c, int32_t d, const Triangle& s, const Triangle& t) const;

  /// Where the surface's edge meets the triangle: the part of q, 0 to 1. Rounded.
  double surfaceEdgeParameter(int32_t p, int32_t q, const Triangle& partition) const;
  /// Barycentric coordinates in the surface's triangle of the point where the partition's edge meets it.
  Vec3 surfaceTriangleParameter(const Triangle& surface, int32_t c, int32_t d) const;

 private:
  template <class T>
  std::array<T, 3> normal(const Vec3& a, const Vec3& b, const Vec3& c) const;
  template <class T>
  T height(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) const;
  template <class Terms>
  int lexicographic(const Terms& terms) const;
  int side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p, int shift) const;
  int order(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t,
            int shift) const;
  const Vec3& fixed(int32_t p) const { return mSurface[p]; }
  const Vec3& moved(int32_t p) const { return mPartition[p]; }

  Span<const Vec3> mSurface, mPartition;
  ExactCoordinates mExact;
};

}  // namespace hackle
