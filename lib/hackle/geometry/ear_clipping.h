// Cuts one polygon into triangles. triangle_mesh.h has the one-call functions.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// Ear clipping in the polygon's best-fit (Newell) plane. An ear is a convex corner whose triangle holds no
/// other corner; cutting it off leaves a polygon with one corner less. Corners are rounded to a 2^50 grid in
/// the plane, where orientation is exact, so a simple polygon never gives a flipped triangle. Holes that are
/// joined to the outline by a double edge work. One object keeps its buffers for many polygons.
///
/// Corners wait in a queue and are looked at again only when a neighbour or the corner that blocked them is
/// gone; blocking corners are found in a uniform grid. 10^5 corners take a fraction of a second.
class EarClipper {
 public:
  /// Writes corners.size() - 2 triangles, as indices into `corners`, to `triangles`; nothing for fewer than
  /// three corners. Collinear, self-crossing or non-finite polygons give that many triangles too.
  void triangulate(Span<const Vec3> corners, Triangle* triangles);

 private:
  struct Corner {
    double x = 0.0, y = 0.0;  // whole numbers below 2^50
    int32_t prev = 0, next = 0;
    int32_t blocker = -1;  // corner that kept this one from being an ear when last looked at
    bool live = true;
    bool queued = false;
    bool reflex = false;  // not strictly convex: can block others
  };
  /// What may be cut off, more with each level that finds no ear left.
  enum Level { Strict, Touching, Flat, Anything };

  bool project(Span<const Vec3> corners);
  void buildGrid();
  void clip(int32_t corner, Triangle*& triangles);
  bool isEar(int32_t corner);
  int32_t findBlocker(const Corner& a, const Corner& b, const Corner& c);
  bool blocks(const Corner& q, const Corner& a, const Corner& b, const Corner& c) const;
  void push(int32_t corner);
  void release(int32_t blocker);
  void updateReflex(int32_t corner);

  Corner& at(int32_t corner) { return mCorners[corner]; }

  Level mLevel = Strict;
  std::vector<Corner> mCorners;
  std::vector<std::vector<int32_t>> mBlocked;  // corners that wait for this one
  std::vector<int32_t> mQueue;
  size_t mQueueHead = 0;

  // Grid of reflex corners: cell (x, y) holds mCellItems[mCellStart[y * mColumns + x]] up to mCellEnd.
  int mColumns = 1;
  double mCellSize = 1.0;
  std::vector<int32_t> mCellStart, mCellEnd, mCellItems;
};

}  // namespace hackle
