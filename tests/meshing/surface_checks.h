// What a closed surface must be, checked the plain way: independent of the library's own topology code.
#pragma once

#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <vector>

namespace hackle::test {

struct SurfaceFacts {
  size_t badEdges = 0;         // without exactly one face on either side
  size_t badPoints = 0;        // whose faces are not one closed fan, or that have none
  size_t repeatedFaces = 0;    // with the same points as another, or with a point twice
  size_t degenerateFaces = 0;  // triangles with a height below 1e-6 of their longest side
  long euler = 0;              // V - E + F
  double volume = 0, area = 0;

  bool closedManifold() const { return badEdges + badPoints + repeatedFaces + degenerateFaces == 0; }
};

inline SurfaceFacts surfaceFacts(const Geometry& geometry) {
  SurfaceFacts facts;
  // At corner `point` of a face: the neighbours that the face has there.
  struct Turn {
    int32_t point, next, before;
    bool operator<(const Turn& o) const { return point != o.point ? point < o.point : next < o.next; }
  };
  std::vector<Turn> turns;
  std::vector<std::vector<int32_t>> faces;
  for (size_t f = 0; f < geometry.primitiveCount(); ++f) {
    const Span<const int32_t> c = geometry.corners(f);
    faces.emplace_back(c.begin(), c.end());
    std::sort(faces.back().begin(), faces.back().end());
    const auto twice = std::adjacent_find(faces.back().begin(), faces.back().end());
    facts.repeatedFaces += twice != faces.back().end();
    for (size_t i = 0; i < c.size(); ++i)
      turns.push_back({c[i], c[(i + 1) % c.size()], c[(i + c.size() - 1) % c.size()]});
  }
  std::sort(faces.begin(), faces.end());
  for (size_t f = 1; f < faces.size(); ++f) facts.repeatedFaces += faces[f] == faces[f - 1];
  std::sort(turns.begin(), turns.end());

  // Each directed edge once, with its opposite; around each point one cycle.
  const auto isEdge = [&](int32_t from, int32_t to) {
    return std::binary_search(turns.begin(), turns.end(), Turn{from, to, 0});
  };
  size_t first = 0;
  for (int32_t point = 0; point < static_cast<int32_t>(geometry.pointCount()); ++point) {
    size_t end = first;
    while (end < turns.size() && turns[end].point == point) {
      const bool repeated = end > first && turns[end].next == turns[end - 1].next;
      facts.badEdges += repeated || !isEdge(turns[end].next, point);
      ++end;
    }
    size_t seen = 0;
    if (end > first) {
      int32_t at = turns[first].next;
      do {
        const auto step = std::find_if(turns.begin() + static_cast<std::ptrdiff_t>(first),
                                       turns.begin() + static_cast<std::ptrdiff_t>(end),
                                       [&](const Turn& t) { return t.next == at; });
        if (step == turns.begin() + static_cast<std::ptrdiff_t>(end)) break;
        at = step->before;
        ++seen;
      } while (at != turns[first].next && seen < end - first);
    }
    facts.badPoints += end == first || seen != end - first;
    first = end;
  }
  facts.euler = static_cast<long>(geometry.pointCount()) - static_cast<long>(turns.size() / 2) +
                static_cast<long>(geometry.primitiveCount());

  const TriangleMesh mesh = triangleMesh(geometry);
  const Vec3 origin = geometry.bounds().centre();
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.points[t[0]] - origin, b = mesh.points[t[1]] - origin, c = mesh.points[t[2]] - origin;
    facts.volume += a.dot(b.cross(c)) / 6.0;
    const double twice = (b - a).cross(c - a).norm();
    facts.area += 0.5 * twice;
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    if (!(twice > 1e-6 * longest * longest)) ++facts.degenerateFaces;
  }
  return facts;
}

/// Whether the segment pq passes through triangle abc, not counting touches within `slack` (a relative
/// volume).
inline bool segmentCrosses(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto volume = [](const Vec3& o, const Vec3& x, const Vec3& y, const Vec3& z) {
    return (x - o).dot((y - o).cross(z - o));
  };
  const double sp = volume(p, a, b, c), sq = volume(q, a, b, c);
  const double scale = std::max({(q - p).norm(), (b - a).norm(), (c - a).norm()});
  const double slack = 1e-10 * scale * scale * scale;
  if (!((sp > slack && sq < -slack) || (sp < -slack && sq > slack))) return false;
  const double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  return (u > slack && v > slack && w > slack) || (u < -slack && v < -slack && w < -slack);
}

/// Number of pairs of triangles that pass through each other; pairs that share an edge are taken as
/// neighbours.
inline size_t selfIntersections(const Geometry& geometry) {
  const TriangleMesh mesh = triangleMesh(geometry);
  const auto at = [&](int32_t p) -> const Vec3& { return mesh.points[p]; };
  double length = 0;
  for (const Triangle& t : mesh.triangles)
    for (size_t i = 0; i < 3; ++i) length += (at(t[(i + 1) % 3]) - at(t[i])).norm();
  const double cell = 1.5 * length / (3.0 * static_cast<double>(mesh.triangles.size()));
  const Vec3 origin = geometry.bounds().min;

  // Put every triangle in the grid cells that its box covers, then test pairs cell by cell.
  std::unordered_map<uint64_t, std::vector<size_t>> grid;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    Box3 box;
    for (const int32_t p : mesh.triangles[t]) box.add(at(p));
    const Vec3 low = (box.min - origin) / cell, high = (box.max - origin) / cell;
    for (int64_t z = static_cast<int64_t>(low.z()); z <= static_cast<int64_t>(high.z()); ++z)
      for (int64_t y = static_cast<int64_t>(low.y()); y <= static_cast<int64_t>(high.y()); ++y)
        for (int64_t x = static_cast<int64_t>(low.x()); x <= static_cast<int64_t>(high.x()); ++x)
          grid[static_cast<uint64_t>(x | y << 21 | z << 42)].push_back(t);
  }
  std::set<std::pair<size_t, size_t>> found;
  for (const auto& entry : grid)
    for (size_t i = 0; i < entry.second.size(); ++i)
      for (size_t j = i + 1; j < entry.second.size(); ++j) {
        const Triangle& s = mesh.triangles[entry.second[i]];
        const Triangle& t = mesh.triangles[entry.second[j]];
        int shared = 0;
        for (const int32_t p : s) shared += std::count(t.begin(), t.end(), p) > 0;
        if (shared >= 2) continue;
        for (size_t e = 0; e < 3; ++e) {
          const auto crosses = [&](const Triangle& edgeOf, const Triangle& other) {
            const int32_t p = edgeOf[e], q = edgeOf[(e + 1) % 3];
            // An edge that ends at a corner of the other touches it there and nowhere else.
            if (std::count(other.begin(), other.end(), p) || std::count(other.begin(), other.end(), q))
              return false;
            return segmentCrosses(at(p), at(q), at(other[0]), at(other[1]), at(other[2]));
          };
          if (crosses(s, t) || crosses(t, s)) found.insert(std::minmax(entry.second[i], entry.second[j]));
        }
      }
  return found.size();
}

struct Stretch {
  double low = 1e300,
         high = 0;      // of lengths in the texture over lengths on the surface, relative to the whole
  size_t mirrored = 0;  // triangles whose image is turned over
};

/// How a texture map stretches triangles: the singular values of its derivative over the square root of the
/// ratio of the areas, texture to surface.
inline Stretch textureStretch(const Geometry& geometry) {
  const TriangleMesh mesh = triangleMesh(geometry);
  const Attribute& uv = *geometry.findAttribute(Owner::Vertex, "uv");
  const auto place = [&](int32_t v) {
    return Vec2(uv.number(static_cast<size_t>(v), 0), uv.number(static_cast<size_t>(v), 1));
  };
  std::vector<Eigen::Matrix2d> maps;
  double surface = 0, texture = 0;
  Stretch out;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& p = mesh.triangles[t];
    const Triangle& v = mesh.vertices[t];
    const Vec3 e1 = mesh.points[p[1]] - mesh.points[p[0]];
    const Vec3 e2 = mesh.points[p[2]] - mesh.points[p[0]];
    const Vec3 x = e1.normalized(), y = (e2 - e2.dot(x) * x).normalized();
    Eigen::Matrix2d from, to;
    from << e1.dot(x), e2.dot(x), e1.dot(y), e2.dot(y);
    to.col(0) = place(v[1]) - place(v[0]);
    to.col(1) = place(v[2]) - place(v[0]);
    maps.push_back(to * from.inverse());
    surface += std::abs(from.determinant());
    texture += std::abs(to.determinant());
    out.mirrored += to.determinant() <= 0;
  }
  const double scale = std::sqrt(texture / surface);
  for (const Eigen::Matrix2d& m : maps) {
    const double a = m.squaredNorm(), d = std::abs(m.determinant());
    const double high = std::sqrt(0.5 * (a + std::sqrt(std::max(0.0, a * a - 4 * d * d))));
    out.high = std::max(out.high, high / scale);
    out.low = std::min(out.low, d / high / scale);
  }
  return out;
}

}  // namespace hackle::test
