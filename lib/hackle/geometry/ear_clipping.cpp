#include <hackle/geometry/ear_clipping.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kGridExtent = 0x1p50;
constexpr size_t kReflexPerCell = 4;

/// Sign of the area of (a, b, c), exact for whole coordinates below 2^50.
template <class Point>
int orientation(const Point& a, const Point& b, const Point& c) {
  const double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y;
  const double left = bx * cy, right = by * cx;
  const double determinant = left - right;
  const double bound = (std::abs(left) + std::abs(right)) * 0x1p-51;
  if (determinant > bound) return 1;
  if (determinant < -bound) return -1;
  const auto whole = [](double v) { return static_cast<__int128>(static_cast<int64_t>(v)); };
  const __int128 exact = whole(bx) * whole(cy) - whole(by) * whole(cx);
  return exact > 0 ? 1 : exact < 0 ? -1 : 0;
}

template <class Point>
bool coincide(const Point& a, const Point& b) {
  return a.x == b.x && a.y == b.y;
}

/// Twice the area vector of a polygon.
Vec3 newellNormal(Span<const Vec3> corners) {
  Vec3 normal = Vec3::Zero();
  for (size_t i = 1; i + 1 < corners.size(); ++i)
    normal += (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
  return normal;
}

/// Two triangles. The diagonal 0-2, unless it lies (almost) outside or on the outline and 1-3 is better.
void splitQuad(Span<const Vec3> p, Triangle* triangles) {
  const Vec3 d02 = p[2] - p[0], d13 = p[3] - p[1];
  const Vec3 normal = d02.cross(d13);
  const double worst02 = std::min(normal.dot((p[1] - p[0]).cross(d02)), normal.dot(d02.cross(p[3] - p[0])));
  const double worst13 =
      std::min(normal.dot((p[2] - p[1]).cross(d13)), normal.dot((p[1] - p[0]).cross(p[3] - p[0])));
  if (worst02 <= 1e-6 * normal.squaredNorm() && worst13 > worst02) {
    triangles[0] = {0, 1, 3};
    triangles[1] = {1, 2, 3};
  } else {
    triangles[0] = {0, 1, 2};
    triangles[1] = {0, 2, 3};
  }
}

struct Interval {
  double low, high;
};

/// Extent in x of a triangle's part in the slab low <= y <= high.
template <class Point>
Interval extentInSlab(const Point& a, const Point& b, const Point& c, double low, double high) {
  constexpr double kRounding = 64.0;  // divisions here and of cells err by a few units of 2^50
  low -= kRounding;
  high += kRounding;
  Interval extent{kGridExtent, 0.0};
  const Point* ends[] = {&a, &b, &c, &a};
  for (int e = 0; e < 3; ++e) {
    const Point& p = ends[e]->y <= ends[e + 1]->y ? *ends[e] : *ends[e + 1];
    const Point& q = ends[e]->y <= ends[e + 1]->y ? *ends[e + 1] : *ends[e];
    if (q.y < low || p.y > high) continue;
    const double slope = q.y > p.y ? (q.x - p.x) / (q.y - p.y) : 0.0;
    const double x0 = p.y >= low ? p.x : p.x + (low - p.y) * slope;
    const double x1 = q.y <= high ? q.x : p.x + (high - p.y) * slope;
    extent.low = std::min({extent.low, x0, x1});
    extent.high = std::max({extent.high, x0, x1});
  }
  return {extent.low - kRounding, extent.high + kRounding};
}

}  // namespace

void EarClipper::triangulate(Span<const Vec3> corners, Triangle* triangles) {
  const int32_t count = static_cast<int32_t>(corners.size());
  if (count < 3) return;
  if (count == 3) {
    *triangles = {0, 1, 2};
    return;
  }
  if (count == 4) return splitQuad(corners, triangles);
  if (!project(corners)) {
    for (int32_t c = 2; c < count; ++c) *triangles++ = {0, c - 1, c};
    return;
  }
  buildGrid();

  // Cut ears; when none is left, be content with less.
  mLevel = Strict;
  mQueue.clear();
  mQueueHead = 0;
  for (int32_t c = 0; c < count; ++c) push(c);
  int32_t first = 0;  // some live corner
  for (int32_t remaining = count; remaining > 3;) {
    if (mQueueHead == mQueue.size()) {
      mLevel = static_cast<Level>(std::min<int>(mLevel + 1, Anything));
      while (!at(first).live) first = at(first).next;
      for (int32_t c = first, n = remaining; n > 0; --n, c = at(c).next) push(c);
    }
    const int32_t corner = mQueue[mQueueHead++];
    at(corner).queued = false;
    if (!at(corner).live || !isEar(corner)) continue;
    clip(corner, triangles);
    --remaining;
  }
  while (!at(first).live) first = at(first).next;
  *triangles = {at(first).prev, first, at(first).next};
}

/// Corners in the plane, counter-clockwise; false if the polygon has no area to speak of.
bool EarClipper::project(Span<const Vec3> corners) {
  const Vec3 normal = newellNormal(corners);
  double size = 0.0;
  for (const Vec3& c : corners) size = std::max(size, (c - corners[0]).lpNorm<Eigen::Infinity>());
  const double area = normal.norm();
  if (!std::isfinite(area) || !(area > 1e-14 * size * size)) return false;
  const Vec3 u = normal.unitOrthogonal();
  const Vec3 v = (normal / area).cross(u);

  const size_t count = corners.size();
  mCorners.assign(count, Corner());
  Vec2 low(0, 0), high(0, 0);
  for (size_t i = 0; i < count; ++i) {
    const Vec3 offset = corners[i] - corners[0];
    const Vec2 p(offset.dot(u), offset.dot(v));
    mCorners[i].x = p.x();
    mCorners[i].y = p.y();
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double scale = (kGridExtent - 1) / (high - low).maxCoeff();
  if (!std::isfinite(scale)) return false;
  for (size_t i = 0; i < count; ++i) {
    mCorners[i].x = std::floor((mCorners[i].x - low.x()) * scale);
    mCorners[i].y = std::floor((mCorners[i].y - low.y()) * scale);
    mCorners[i].prev = static_cast<int32_t>(i == 0 ? count - 1 : i - 1);
    mCorners[i].next = static_cast<int32_t>(i + 1 == count ? 0 : i + 1);
  }
  for (Corner& c : mCorners) c.reflex = orientation(at(c.prev), c, at(c.next)) <= 0;
  if (mBlocked.size() < count) mBlocked.resize(count);
  for (size_t i = 0; i < count; ++i) mBlocked[i].clear();
  return true;
}

void EarClipper::buildGrid() {
  const size_t reflexCount = static_cast<size_t>(
      std::count_if(mCorners.begin(), mCorners.end(), [](const Corner& c) { return c.reflex; }));
  mColumns = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(reflexCount / kReflexPerCell))));
  mCellSize = kGridExtent / mColumns;
  const auto cellOf = [&](const Corner& c) {
    return std::min(mColumns - 1, static_cast<int>(c.y / mCellSize)) * mColumns +
           std::min(mColumns - 1, static_cast<int>(c.x / mCellSize));
  };
  mCellStart.assign(static_cast<size_t>(mColumns) * static_cast<size_t>(mColumns) + 1, 0);
  for (const Corner& c : mCorners)
    if (c.reflex) ++mCellStart[static_cast<size_t>(cellOf(c)) + 1];
  for (size_t i = 1; i < mCellStart.size(); ++i) mCellStart[i] += mCellStart[i - 1];
  mCellEnd.assign(mCellStart.begin(), mCellStart.end() - 1);
  mCellItems.resize(reflexCount);
  for (size_t i = 0; i < mCorners.size(); ++i)
    if (mCorners[i].reflex) mCellItems[mCellEnd[cellOf(mCorners[i])]++] = static_cast<int32_t>(i);
}

void EarClipper::push(int32_t corner) {
  if (at(corner).queued) return;
  at(corner).queued = true;
  mQueue.push_back(corner);
}

/// Looks again at the corners that a corner blocked.
void EarClipper::release(int32_t blocker) {
  std::vector<int32_t>& blocked = mBlocked[blocker];
  for (const int32_t corner : blocked)
    if (at(corner).live && at(corner).blocker == blocker) push(corner);
  blocked.clear();
}

void EarClipper::updateReflex(int32_t corner) {
  Corner& c = at(corner);
  if (!c.reflex || orientation(at(c.prev), c, at(c.next)) <= 0) return;
  c.reflex = false;
  release(corner);
}

void EarClipper::clip(int32_t corner, Triangle*& triangles) {
  Corner& b = at(corner);
  *triangles++ = {b.prev, corner, b.next};
  b.live = false;
  at(b.prev).next = b.next;
  at(b.next).prev = b.prev;
  release(corner);
  for (const int32_t neighbour : {b.prev, b.next}) {
    updateReflex(neighbour);
    push(neighbour);
  }
}

bool EarClipper::isEar(int32_t corner) {
  Corner& b = at(corner);
  const Corner& a = at(b.prev);
  const Corner& c = at(b.next);
  if (mLevel == Anything || coincide(a, b) || coincide(b, c)) return true;
  const int side = orientation(a, b, c);
  if (side == 0) return mLevel >= Flat;
  if (side < 0) return false;

  // The new edge from a to c must leave both inside the polygon; where corners coincide (the ends of a double
  // edge to a hole) nothing else tells their sides apart.
  const auto wait = [&](int32_t blocker) {
    b.blocker = blocker;
    mBlocked[blocker].push_back(corner);
    return false;
  };
  const Corner& beforeA = at(a.prev);
  const Corner& afterC = at(c.next);
  if (orientation(beforeA, a, b) > 0 && orientation(a, c, beforeA) < 0) return wait(a.prev);
  if (orientation(b, c, afterC) > 0 && orientation(c, afterC, a) < 0) return wait(c.next);

  const int32_t blocker = findBlocker(a, b, c);
  return blocker < 0 || wait(blocker);
}

int32_t EarClipper::findBlocker(const Corner& a, const Corner& b, const Corner& c) {
  const auto cellOf = [&](double v) { return std::clamp(static_cast<int>(v / mCellSize), 0, mColumns - 1); };
  const int lastRow = cellOf(std::max({a.y, b.y, c.y}));
  for (int row = cellOf(std::min({a.y, b.y, c.y})); row <= lastRow; ++row) {
    const Interval extent = extentInSlab(a, b, c, row * mCellSize, (row + 1) * mCellSize);
    const int lastColumn = cellOf(extent.high);
    for (int column = cellOf(extent.low); column <= lastColumn; ++column) {
      const size_t cell = static_cast<size_t>(row * mColumns + column);
      for (int32_t i = mCellStart[cell]; i < mCellEnd[cell];) {
        const int32_t candidate = mCellItems[i];
        const Corner& q = at(candidate);
        if (!q.live || !q.reflex) {  // for good: drop it from the grid
          mCellItems[i] = mCellItems[--mCellEnd[cell]];
          continue;
        }
        if (blocks(q, a, b, c)) return candidate;
        ++i;
      }
    }
  }
  return -1;
}

bool EarClipper::blocks(const Corner& q, const Corner& a, const Corner& b, const Corner& c) const {
  if (coincide(q, a) || coincide(q, b) || coincide(q, c)) return false;
  const int inside = mLevel == Strict ? 0 : 1;
  return orientation(c, a, q) >= inside && orientation(a, b, q) >= inside && orientation(b, c, q) >= inside;
}

}  // namespace hackle
