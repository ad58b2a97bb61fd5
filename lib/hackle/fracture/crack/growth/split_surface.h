// A boundary element mesh whose edges are split, with conditions that follow.
#pragma once

#include <hackle/fracture/crack/growth/cut_shape.h>

#include <map>
#include <optional>
#include <vector>

namespace hackle {

class SplitSurface {
 public:
  SplitSurface(const BemSurface& body, const BoundaryData& data);

  const std::vector<Vec3>& points() const { return mPoints; }
  const std::vector<Triangle>& triangles() const { return mTriangles; }
  const std::vector<int32_t>& source() const { return mSource; }
  const BoundaryData& data() const { return mData; }

  /// Makes edges along the shape in the triangles `touched`: nodes close to it move onto it, edges across it
  /// are split. Returns the edges on the shape between triangles on both sides, the body to their left seen
  /// from the tip of the normal.
  std::vector<std::array<int32_t, 2>> cut(const CutShape& shape, const std::vector<char>& touched);
  /// A node at a + t (b - a) on an edge. Both triangles become two.
  int32_t splitEdge(int32_t a, int32_t b, double t);

 private:
  Vec3 normal(size_t triangle) const;
  std::optional<int32_t> wayOnto(const CutShape& shape, int32_t node,
                                 const std::vector<double>& heights) const;
  bool movable(int32_t node, int32_t towards, double t) const;
  bool crease(int32_t a, int32_t b) const;
  std::vector<int32_t> around(int32_t node) const;
  void splitTriangle(int32_t triangle, int32_t a, int32_t b, int32_t node);

  std::vector<Vec3> mPoints;
  std::vector<Triangle> mTriangles;
  std::vector<int32_t> mSource;
  BoundaryData mData;
  std::map<std::array<int32_t, 2>, int32_t> mTriangleOf;  // by directed edge
};

}  // namespace hackle
