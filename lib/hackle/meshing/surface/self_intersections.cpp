#include <hackle/meshing/surface/self_intersections.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/exact_number.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

using Corners = std::array<Vec3, 3>;

int exactOrientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  ExactCoordinates exact;
  for (const Vec3* p : {&a, &b, &c, &d}) exact.include(*p);
  ExactInt rows[3][3];
  const Vec3* points[3] = {&a, &b, &c};
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < 3; ++i) rows[r][i] = exact.get<ExactInt>((*points[r])[i]) - exact.get<ExactInt>(d[i]);
  return determinant3(rows[0], rows[1], rows[2]).sign();
}

/// Sign of the area of a triangle in the plane: 1 if counter-clockwise.
int orientation2(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y()), right = (a.y() - c.y()) * (b.x() - c.x());
  const double area = left - right;
  if (std::abs(area) > 4e-16 * (std::abs(left) + std::abs(right)) + 1e-290) return area > 0 ? 1 : -1;
  ExactCoordinates exact;
  for (const Vec2* p : {&a, &b, &c}) exact.include(Vec3(p->x(), p->y(), 0));
  const auto difference = [&](double x, double y) {
    return ExactInt(exact.get<ExactInt>(x) - exact.get<ExactInt>(y));
  };
  return determinant2(difference(a.x(), c.x()), difference(a.y(), c.y()), difference(b.x(), c.x()),
                      difference(b.y(), c.y()))
      .sign();
}

Vec2 dropped(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

/// An axis along which a triangle can be seen as one with area, or -1 if it has none.
int projectionAxis(const Corners& t) {
  int best;
  (t[1] - t[0]).cross(t[2] - t[0]).cwiseAbs().maxCoeff(&best);
  for (int i = 0; i < 3; ++i) {
    const int axis = (best + i) % 3;
    if (orientation2(dropped(t[0], axis), dropped(t[1], axis), dropped(t[2], axis)) != 0) return axis;
  }
  return -1;
}

/// Whether the box of p and q holds r, for three points on a line.
bool between(const Vec2& p, const Vec2& q, const Vec2& r) {
  return (r.array() >= p.cwiseMin(q).array()).all() && (r.array() <= p.cwiseMax(q).array()).all();
}

bool segmentsMeet(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
  const int pa = orientation2(p, q, a), pb = orientation2(p, q, b);
  const int ap = orientation2(a, b, p), aq = orientation2(a, b, q);
  if (pa * pb < 0 && ap * aq < 0) return true;
  return (pa == 0 && between(p, q, a)) || (pb == 0 && between(p, q, b)) || (ap == 0 && between(a, b, p)) ||
         (aq == 0 && between(a, b, q));
}

/// A segment in the plane of a triangle; ends and outline count.
bool meetsInPlane(const Vec3& p, const Vec3& q, const Corners& t) {
  const int axis = projectionAxis(t);
  const Vec2 p2 = dropped(p, axis), q2 = dropped(q, axis);
  const Vec2 c[3] = {dropped(t[0], axis), dropped(t[1], axis), dropped(t[2], axis)};
  bool left = true, right = true;
  for (int i = 0; i < 3; ++i) {
    if (segmentsMeet(p2, q2, c[i], c[(i + 1) % 3])) return true;
    const int side = orientation2(c[i], c[(i + 1) % 3], p2);
    left = left && side > 0;
    right = right && side < 0;
  }
  return left || right;
}

/// Whether a segment and a triangle have a point in common.
bool segmentMeets(const Vec3& p, const Vec3& q, const Corners& t) {
  const int sp = orientation(t[0], t[1], t[2], p), sq = orientation(t[0], t[1], t[2], q);
  if (sp * sq > 0) return false;
  if (sp == 0 && sq == 0) return meetsInPlane(p, q, t);
  bool positive = false, negative = false;
  for (size_t i = 0; i < 3; ++i) {
    const int side = orientation(p, q, t[i], t[(i + 1) % 3]);
    positive = positive || side > 0;
    negative = negative || side < 0;
    if (positive && negative) return false;
  }
  return true;
}

/// Two triangles with an edge in common: they overlap if one is folded flat onto the other.
bool foldedOver(const Corners& s, size_t apex, const Vec3& otherApex) {
  const Vec3 &a = s[(apex + 1) % 3], &b = s[(apex + 2) % 3];
  const int axis = projectionAxis(s);
  // Where they look to opposite sides of the edge they cannot; this spares flat neighbours the exact test.
  if (orientation2(dropped(a, axis), dropped(b, axis), dropped(s[apex], axis)) !=
      orientation2(dropped(a, axis), dropped(b, axis), dropped(otherApex, axis)))
    return false;
  return orientation(s[0], s[1], s[2], otherApex) == 0;
}

/// Whether a plane across `direction` keeps two triangles apart, for certain in spite of rounding. With a
/// corner in common (`origin`) the plane goes through it, else anywhere.
bool directionSeparates(const Corners& s, const Corners& t, const Vec3& origin, bool common,
                        const Vec3& direction) {
  double high = -std::numeric_limits<double>::infinity(), low = -high, size = 0;
  for (const Vec3& p : s) {
    if (common && p == origin) continue;
    const Vec3 d = p - origin;
    size = std::max(size, d.squaredNorm());
    high = std::max(high, d.dot(direction));
  }
  for (const Vec3& p : t) {
    if (common && p == origin) continue;
    const Vec3 d = p - origin;
    size = std::max(size, d.squaredNorm());
    low = std::min(low, d.dot(direction));
  }
  const double slack = 1e-14 * std::sqrt(size * direction.squaredNorm());
  return common ? high < -slack && low > slack : low - high > slack;
}

/// Most pairs are far from touching; a few directions show it without exact arithmetic. False says nothing.
bool clearlyApart(const Corners& s, const Corners& t, const Vec3& origin, bool common) {
  if (directionSeparates(s, t, origin, common, (t[0] + t[1] + t[2]) - (s[0] + s[1] + s[2]))) return true;
  const Vec3 ns = (s[1] - s[0]).cross(s[2] - s[0]), nt = (t[1] - t[0]).cross(t[2] - t[0]);
  for (size_t i = 0; i < 3; ++i)
    if (directionSeparates(s, t, origin, common, (s[(i + 1) % 3] - s[i]).cross(ns)) ||
        directionSeparates(s, t, origin, common, nt.cross(t[(i + 1) % 3] - t[i])))
      return true;
  return false;
}

/// All corners of one strictly on one side of the other's plane.
bool planeSeparates(const Corners& s, const Corners& t) {
  const int side = orientation(s[0], s[1], s[2], t[0]);
  return side != 0 && orientation(s[0], s[1], s[2], t[1]) == side &&
         orientation(s[0], s[1], s[2], t[2]) == side;
}

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double adx = a.x() - d.x(), ady = a.y() - d.y(), adz = a.z() - d.z();
  const double bdx = b.x() - d.x(), bdy = b.y() - d.y(), bdz = b.z() - d.z();
  const double cdx = c.x() - d.x(), cdy = c.y() - d.y(), cdz = c.z() - d.z();
  const double bc1 = bdx * cdy, bc2 = cdx * bdy, ca1 = cdx * ady, ca2 = adx * cdy, ab1 = adx * bdy,
               ab2 = bdx * ady;
  const double determinant = adz * (bc1 - bc2) + bdz * (ca1 - ca2) + cdz * (ab1 - ab2);
  const double permanent = (std::abs(bc1) + std::abs(bc2)) * std::abs(adz) +
                           (std::abs(ca1) + std::abs(ca2)) * std::abs(bdz) +
                           (std::abs(ab1) + std::abs(ab2)) * std::abs(cdz);
  // Shewchuk's bound is 7.8e-16; the addend is for underflow.
  if (std::abs(determinant) > 8e-16 * permanent + 1e-280) return determinant > 0 ? 1 : -1;
  return exactOrientation(a, b, c, d);
}

bool trianglesIntersect(const Corners& s, const Corners& t) {
  // Corners in common; partner[i] is the one of t that s[i] is.
  int shared = 0;
  int partner[3] = {-1, -1, -1};
  bool taken[3] = {false, false, false};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      if (s[i] == t[j]) {
        partner[i] = static_cast<int>(j);
        taken[j] = true;
        ++shared;
      }
  if (shared == 3) return true;
  if (shared == 2) {
    size_t apex = 0, other = 0;
    while (partner[apex] >= 0) ++apex;
    while (taken[other]) ++other;
    return foldedOver(s, apex, t[other]);
  }
  if (shared == 1) {
    // What they have in common besides ends at an edge that the corner is not on.
    size_t i = 0;
    while (partner[i] < 0) ++i;
    const size_t j = static_cast<size_t>(partner[i]);
    if (clearlyApart(s, t, s[i], true)) return false;
    return segmentMeets(s[(i + 1) % 3], s[(i + 2) % 3], t) || segmentMeets(t[(j + 1) % 3], t[(j + 2) % 3], s);
  }
  if (clearlyApart(s, t, s[0], false)) return false;
  if (planeSeparates(s, t) || planeSeparates(t, s)) return false;
  for (size_t i = 0; i < 3; ++i)
    if (segmentMeets(s[i], s[(i + 1) % 3], t) || segmentMeets(t[i], t[(i + 1) % 3], s)) return true;
  return false;
}

std::vector<std::array<int32_t, 2>> selfIntersections(const TriangleMesh& mesh, Context& context) {
  const TriangleBvh bvh(mesh, context);
  const auto cornersOf = [&](size_t t) {
    const Triangle& triangle = mesh.triangles[t];
    return Corners{mesh.points[triangle[0]], mesh.points[triangle[1]], mesh.points[triangle[2]]};
  };
  const size_t count = mesh.triangles.size();
  std::vector<uint8_t> solid(count);  // finite and with an area
  parallelFor(context, count, 1024, [&](size_t t) {
    const Corners c = cornersOf(t);
    solid[t] = c[0].allFinite() && c[1].allFinite() && c[2].allFinite() && projectionAxis(c) >= 0;
  });
  using Pairs = std::vector<std::array<int32_t, 2>>;
  return parallelReduce(
      context, count, 256, Pairs(),
      [&](size_t begin, size_t end) {
        Pairs found;
        for (size_t t = begin; t < end; ++t) {
          if (!solid[t]) continue;
          const Corners corners = cornersOf(t);
          Box3 box;
          for (const Vec3& p : corners) box.add(p);
          for (const int32_t other : bvh.trianglesNear(box))
            if (static_cast<size_t>(other) > t && solid[other] &&
                trianglesIntersect(corners, cornersOf(static_cast<size_t>(other))))
              found.push_back({static_cast<int32_t>(t), other});
        }
        return found;
      },
      [](Pairs all, Pairs more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
}

}  // namespace hackle
