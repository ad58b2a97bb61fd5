#include <hackle/meshing/cut/cut.h>
#include <hackle/meshing/cut/planar_faces.h>

#include <hackle/core/error.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hackle {

namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// A loop with its corners in the plane.
struct PlanarLoop {
  std::vector<int32_t> vertices;
  std::vector<Vec2> corners;
  double area = 0.0;
};

double signedArea(const std::vector<Vec2>& corners) {
  double area = 0;
  for (size_t k = 1; k + 1 < corners.size(); ++k)
    area += cross(corners[k] - corners[0], corners[k + 1] - corners[0]);
  return 0.5 * area;
}

bool contains(const PlanarLoop& loop, const Vec2& p) {
  bool inside = false;
  for (size_t k = 0, n = loop.corners.size(); k < n; ++k) {
    const Vec2& a = loop.corners[k];
    const Vec2& b = loop.corners[(k + 1) % n];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    if (p.x() < a.x() + (b.x() - a.x()) * (p.y() - a.y()) / (b.y() - a.y())) inside = !inside;
  }
  return inside;
}

bool segmentsCross(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double s = cross(b - a, c - a), t = cross(b - a, d - a), u = cross(d - c, a - c),
               v = cross(d - c, b - c);
  return ((s > 0) != (t > 0)) && ((u > 0) != (v > 0));
}

/// Whether a bridge from a corner of the loop to `p` would start into the loop's inside. Only where corners
/// coincide, as those that bridges have doubled, need it be asked: nothing else tells their sides apart.
bool looksInside(const PlanarLoop& loop, size_t corner, const Vec2& p) {
  const size_t n = loop.corners.size();
  const Vec2& at = loop.corners[corner];
  size_t before = (corner + n - 1) % n, after = (corner + 1) % n;
  while (before != corner && loop.corners[before] == at) before = (before + n - 1) % n;
  while (after != corner && loop.corners[after] == at) after = (after + 1) % n;
  const Vec2 back = loop.corners[before] - at, ahead = loop.corners[after] - at, to = p - at;
  if (cross(ahead, back) > 0) return cross(ahead, to) > 0 && cross(to, back) > 0;
  return cross(ahead, to) > 0 || cross(to, back) > 0;
}

/// Joins the first of the holes to the outer loop by a bridge, walked once in each direction: from the hole's
/// rightmost corner to the nearest corner of the outer loop that can be seen from it past all holes.
void bridge(PlanarLoop& outer, Span<const PlanarLoop* const> holes) {
  const PlanarLoop& hole = *holes[0];
  size_t h = 0;
  for (size_t k = 1; k < hole.corners.size(); ++k)
    if (hole.corners[k].x() > hole.corners[h].x()) h = k;
  std::vector<size_t> order(outer.corners.size());
  std::iota(order.begin(), order.end(), 0);
  const Vec2 from = hole.corners[h];
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return (outer.corners[a] - from).squaredNorm() < (outer.corners[b] - from).squaredNorm();
  });
  const auto crosses = [&](const PlanarLoop& loop, size_t o) {
    for (size_t k = 0, n = loop.corners.size(); k < n; ++k) {
      const size_t next = (k + 1) % n;
      const auto isEnd = [&](size_t c) {
        return loop.corners[c] == outer.corners[o] || loop.corners[c] == from;
      };
      if (isEnd(k) || isEnd(next)) continue;
      if (segmentsCross(from, outer.corners[o], loop.corners[k], loop.corners[next])) return true;
    }
    return false;
  };
  // Corners in line with the bridge are as good as on it.
  const auto touches = [&](const PlanarLoop& loop, size_t o) {
    constexpr double kInLine = 1e-9;
    const Vec2 along = outer.corners[o] - from;
    const double square = along.squaredNorm();
    return std::any_of(loop.corners.begin(), loop.corners.end(), [&](const Vec2& c) {
      if (c == from || c == outer.corners[o]) return false;
      const double at = along.dot(c - from);
      return at > 0 && at < square && std::abs(cross(along, c - from)) < kInLine * square;
    });
  };
  bool strict = true;
  const auto blocked = [&](size_t o) {
    if (strict && (touches(outer, o) || std::any_of(holes.begin(), holes.end(), [&](const PlanarLoop* other) {
                     return touches(*other, o);
                   })))
      return true;
    if (std::count(outer.corners.begin(), outer.corners.end(), outer.corners[o]) > 1 &&
        !looksInside(outer, o, from))
      return true;
    return crosses(outer, o) || std::any_of(holes.begin(), holes.end(),
                                            [&](const PlanarLoop* other) { return crosses(*other, o); });
  };
  auto seen = std::find_if_not(order.begin(), order.end(), blocked);
  if (seen == order.end()) {
    strict = false;
    seen = std::find_if_not(order.begin(), order.end(), blocked);
  }
  const size_t o = seen == order.end() ? order[0] : *seen;

  PlanarLoop joined;
  const auto add = [&](const PlanarLoop& loop, size_t k) {
    joined.vertices.push_back(loop.vertices[k]);
    joined.corners.push_back(loop.corners[k]);
  };
  for (size_t k = 0; k <= o; ++k) add(outer, k);
  for (size_t k = 0; k <= hole.corners.size(); ++k) add(hole, (h + k) % hole.corners.size());
  for (size_t k = o; k < outer.corners.size(); ++k) add(outer, k);
  outer.vertices = std::move(joined.vertices);
  outer.corners = std::move(joined.corners);
}

}  // namespace

std::vector<std::vector<int32_t>> linkLoops(Span<const LoopEdge> edges, const Vec3& normal,
                                            Span<const Vec3> positions) {
  std::vector<uint8_t> used(edges.size(), 0);
  const auto at = [&](int32_t v) -> const Vec3& { return positions[v]; };
  const auto successor = [&](const LoopEdge& edge, const LoopEdge& start) {
    const auto first = std::lower_bound(edges.begin(), edges.end(), edge.to,
                                        [](const LoopEdge& e, int32_t v) { return e.from < v; });
    const LoopEdge* best = nullptr;
    double least = 0;
    for (auto e = first; e != edges.end() && e->from == edge.to; ++e) {
      if (used[e - edges.begin()] && e != &start) continue;
      // Clockwise angle from where the edge came.
      const Vec3 back = at(edge.from) - at(edge.to), ahead = at(e->to) - at(e->from);
      double angle = -std::atan2(normal.dot(back.cross(ahead)), normal.norm() * back.dot(ahead));
      if (angle <= 0) angle += 2 * M_PI;
      if (best && angle >= least) continue;
      best = e;
      least = angle;
    }
    if (!best) throw DegenerateCut(at(edge.to));
    return best;
  };
  std::vector<std::vector<int32_t>> loops;
  for (const LoopEdge& start : edges) {
    if (used[&start - edges.begin()]) continue;
    std::vector<int32_t> loop;
    const LoopEdge* edge = &start;
    do {
      used[edge - edges.begin()] = 1;
      loop.push_back(edge->from);
      edge = successor(*edge, start);
    } while (edge != &start);
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::vector<std::vector<int32_t>> facesFromLoops(const std::vector<std::vector<int32_t>>& loops,
                                                 const Vec3& normal, Span<const Vec3> positions) {
  // One loop, by far the most frequent: nothing to decide.
  if (loops.size() == 1) return loops;

  // Project along the normal.
  Eigen::Index axis = 0;
  normal.cwiseAbs().minCoeff(&axis);
  const Vec3 u = normal.cross(Vec3::Unit(axis)).normalized();
  const Vec3 v = normal.cross(u).normalized();
  std::vector<PlanarLoop> outer, holes;
  for (const std::vector<int32_t>& vertices : loops) {
    PlanarLoop loop{vertices, {}, 0.0};
    const Vec3 origin = positions[loops[0][0]];
    for (const int32_t vertex : vertices) {
      const Vec3 p = positions[vertex] - origin;
      loop.corners.emplace_back(p.dot(u), p.dot(v));
    }
    loop.area = signedArea(loop.corners);
    (loop.area >= 0 ? outer : holes).push_back(std::move(loop));
  }
  if (outer.empty()) {
    const auto largest = std::max_element(
        holes.begin(), holes.end(),
        [](const PlanarLoop& a, const PlanarLoop& b) { return std::abs(a.area) < std::abs(b.area); });
    outer.push_back(*largest);
    holes.erase(largest);
  }

  // Each hole belongs to the smallest outer loop around it; rightmost holes are joined first.
  std::vector<std::vector<const PlanarLoop*>> holesOf(outer.size());
  const auto right = [](const PlanarLoop& loop) {
    double x = -std::numeric_limits<double>::infinity();
    for (const Vec2& c : loop.corners) x = std::max(x, c.x());
    return x;
  };
  for (const PlanarLoop& hole : holes) {
    size_t best = 0;
    double bestArea = std::numeric_limits<double>::infinity();
    for (size_t o = 0; o < outer.size(); ++o) {
      if (outer[o].area >= bestArea || !contains(outer[o], hole.corners[0])) continue;
      best = o;
      bestArea = outer[o].area;
    }
    holesOf[best].push_back(&hole);
  }
  std::vector<std::vector<int32_t>> faces;
  for (size_t o = 0; o < outer.size(); ++o) {
    if (holesOf[o].empty()) {
      faces.push_back(outer[o].vertices);
      continue;
    }
    std::stable_sort(holesOf[o].begin(), holesOf[o].end(),
                     [&](const PlanarLoop* a, const PlanarLoop* b) { return right(*a) > right(*b); });
    PlanarLoop loop = outer[o];
    for (size_t h = 0; h < holesOf[o].size(); ++h)
      bridge(loop, {holesOf[o].data() + h, holesOf[o].size() - h});
    std::vector<Vec3> corners;
    for (const Vec2& c : loop.corners) corners.emplace_back(c.x(), c.y(), 0.0);
    for (const Triangle& t : triangulatePolygon(corners))
      faces.push_back({loop.vertices[t[0]], loop.vertices[t[1]], loop.vertices[t[2]]});
  }
  return faces;
}

}  // namespace hackle
