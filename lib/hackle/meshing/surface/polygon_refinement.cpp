#include <hackle/meshing/surface/polygon_refinement.h>

#include <hackle/core/error.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

double orient(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Positive if d is inside the circle through a, b, c (counter-clockwise).
double inCircle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const Vec2 p = a - d, q = b - d, r = c - d;
  return p.squaredNorm() * (q.x() * r.y() - q.y() * r.x()) -
         q.squaredNorm() * (p.x() * r.y() - p.y() * r.x()) +
         r.squaredNorm() * (p.x() * q.y() - p.y() * q.x());
}

/// Triangles with neighbours; grows by one point at a time.
class PlanarTriangulation {
 public:
  PlanarTriangulation(Span<const Vec2> polygon, Span<const Vec2> points)
      : mAt(polygon.begin(), polygon.end()) {
    mAt.insert(mAt.end(), points.begin(), points.end());
    std::vector<Vec3> corners;
    for (const Vec2& p : polygon) corners.emplace_back(p.x(), p.y(), 0.0);
    std::map<std::pair<int32_t, int32_t>, std::pair<int32_t, size_t>> open;
    for (const hackle::Triangle& t : triangulatePolygon(corners)) {
      const int32_t index = static_cast<int32_t>(mTriangles.size());
      mTriangles.push_back({t, {-1, -1, -1}});
      for (size_t k = 0; k < 3; ++k) {
        const int32_t a = t[k], b = t[(k + 1) % 3];
        const auto other = open.find({b, a});
        if (other == open.end()) {
          open[{a, b}] = {index, k};
          continue;
        }
        mTriangles.back().neighbours[k] = other->second.first;
        triangle(other->second.first).neighbours[other->second.second] = index;
        open.erase(other);
      }
    }
    for (size_t t = 0; t < mTriangles.size(); ++t)
      for (size_t k = 0; k < 3; ++k) legalise(static_cast<int32_t>(t), k, 0);
    for (size_t p = polygon.size(); p < mAt.size(); ++p) insert(static_cast<int32_t>(p));
  }

  std::vector<hackle::Triangle> result() const {
    std::vector<hackle::Triangle> list;
    for (const Entry& t : mTriangles) list.push_back(t.corners);
    return list;
  }

 private:
  struct Entry {
    hackle::Triangle corners;
    hackle::Triangle neighbours;  // across the edge from corner k to k + 1; -1 at the polygon's edges
  };

  Entry& triangle(int32_t t) { return mTriangles[t]; }
  const Vec2& at(int32_t v) const { return mAt[v]; }

  bool holds(const Entry& t, const Vec2& p) const {
    for (size_t k = 0; k < 3; ++k)
      if (orient(at(t.corners[k]), at(t.corners[(k + 1) % 3]), p) <= 0) return false;
    return true;
  }

  /// Walks towards the point; looks everywhere if that leads nowhere.
  int32_t locate(const Vec2& p) {
    int32_t t = mLast;
    for (size_t step = 0; step < mTriangles.size() && t >= 0; ++step) {
      size_t out = 3;
      for (size_t k = 0; k < 3 && out == 3; ++k)
        if (orient(at(triangle(t).corners[k]), at(triangle(t).corners[(k + 1) % 3]), p) <= 0) out = k;
      if (out == 3) return t;
      t = triangle(t).neighbours[out];
    }
    const auto found =
        std::find_if(mTriangles.begin(), mTriangles.end(), [&](const Entry& e) { return holds(e, p); });
    return found == mTriangles.end() ? -1 : static_cast<int32_t>(found - mTriangles.begin());
  }

  void relink(int32_t t, int32_t before, int32_t after) {
    if (t < 0) return;
    for (int32_t& n : triangle(t).neighbours)
      if (n == before) {
        n = after;
        return;
      }
  }

  void insert(int32_t p) {
    const int32_t t = locate(at(p));
    if (t < 0) return;
    const Entry old = triangle(t);
    const int32_t u = static_cast<int32_t>(mTriangles.size()), v = u + 1;
    const auto [a, b, c] = old.corners;
    triangle(t) = {{a, b, p}, {old.neighbours[0], u, v}};
    mTriangles.push_back({{b, c, p}, {old.neighbours[1], v, t}});
    mTriangles.push_back({{c, a, p}, {old.neighbours[2], t, u}});
    relink(old.neighbours[1], t, u);
    relink(old.neighbours[2], t, v);
    mLast = t;
    for (const int32_t part : {t, u, v}) legalise(part, 0, 0);
  }

  /// Flips edge k of t if the point across lies in t's circle, and goes on with the edges behind it.
  void legalise(int32_t t, size_t k, int depth) {
    constexpr int kDeepest = 200;
    const int32_t o = triangle(t).neighbours[k];
    if (o < 0 || depth > kDeepest) return;
    Entry& mine = triangle(t);
    Entry& other = triangle(o);
    const int32_t a = mine.corners[k], b = mine.corners[(k + 1) % 3], p = mine.corners[(k + 2) % 3];
    size_t m = 0;
    while (m < 3 && !(other.corners[m] == b && other.corners[(m + 1) % 3] == a)) ++m;
    HACKLE_ASSERT(m < 3);
    const int32_t q = other.corners[(m + 2) % 3];
    if (inCircle(at(a), at(b), at(p), at(q)) <= 0) return;
    // The two new triangles must not be turned over.
    if (orient(at(p), at(a), at(q)) <= 0 || orient(at(q), at(b), at(p)) <= 0) return;
    const int32_t pa = mine.neighbours[(k + 2) % 3], bp = mine.neighbours[(k + 1) % 3];
    const int32_t aq = other.neighbours[(m + 1) % 3], qb = other.neighbours[(m + 2) % 3];
    mine = {{a, q, p}, {aq, o, pa}};
    other = {{q, b, p}, {qb, bp, t}};
    relink(aq, o, t);
    relink(bp, t, o);
    legalise(t, 0, depth + 1);
    legalise(o, 0, depth + 1);
  }

  std::vector<Vec2> mAt;
  std::vector<Entry> mTriangles;
  int32_t mLast = 0;
};

}  // namespace

std::vector<Triangle> triangulateWithPoints(Span<const Vec2> polygon, Span<const Vec2> points) {
  return PlanarTriangulation(polygon, points).result();
}

}  // namespace hackle
