// Meshes and known fields for tests, validation and benchmarks of boundary elements.
#pragma once

#include <hackle/bem/system.h>
#include <hackle/mechanics/elastic.h>

#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace hackle::bodies {

constexpr double kPi = 3.14159265358979323846;

struct Mesh {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

inline BemSurface surfaceOf(const Mesh& mesh) { return BemSurface(mesh.points, mesh.triangles); }

/// A grid of (u+1) × (v+1) points given by a function; points at equal places are shared with those of the
/// mesh, and the diagonals alternate.
inline void addGrid(Mesh& mesh, int u, int v, const std::function<Vec3(double, double)>& place) {
  const auto key = [](const Vec3& p) {
    return std::array<int64_t, 3>{std::llround(p.x() * 1e7), std::llround(p.y() * 1e7),
                                  std::llround(p.z() * 1e7)};
  };
  std::map<std::array<int64_t, 3>, int32_t> known;
  for (size_t i = 0; i < mesh.points.size(); ++i) known.emplace(key(mesh.points[i]), static_cast<int32_t>(i));
  std::vector<int32_t> at;
  for (int i = 0; i <= u; ++i)
    for (int j = 0; j <= v; ++j) {
      const Vec3 p = place(static_cast<double>(i) / u, static_cast<double>(j) / v);
      const auto [found, isNew] = known.emplace(key(p), static_cast<int32_t>(mesh.points.size()));
      if (isNew) mesh.points.push_back(p);
      at.push_back(found->second);
    }
  const auto corner = [&](int i, int j) { return at[i * (v + 1) + j]; };
  for (int i = 0; i < u; ++i)
    for (int j = 0; j < v; ++j) {
      const int32_t a = corner(i, j), b = corner(i + 1, j), c = corner(i + 1, j + 1), d = corner(i, j + 1);
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
}

/// A box with this many cells along each axis; `cut` shifts the parameter of an axis (grading), 0 to 1.
inline Mesh box(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells) {
  Mesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const bool top : {false, true}) {
      const auto place = [&](double s, double t) {
        Vec3 p;
        p[axis] = top ? high[axis] : low[axis];
        const double a = top ? s : t, b = top ? t : s;
        p[u] = low[u] + a * (high[u] - low[u]);
        p[v] = low[v] + b * (high[v] - low[v]);
        return p;
      };
      const int cu = cells[u], cv = cells[v];
      addGrid(mesh, top ? cu : cv, top ? cv : cu, place);
    }
  }
  return mesh;
}

/// An octahedron, each edge cut in `cuts`, blown up to a sphere. 8 cuts² triangles.
inline Mesh sphere(int cuts, double radius) {
  Mesh mesh;
  std::map<std::array<int, 3>, int32_t> known;
  const auto node = [&](const std::array<int, 3>& i) {
    const auto [found, isNew] = known.emplace(i, static_cast<int32_t>(mesh.points.size()));
    if (isNew) mesh.points.push_back(radius * Vec3(i[0], i[1], i[2]).normalized());
    return found->second;
  };
  for (int octant = 0; octant < 8; ++octant) {
    const int sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
    const auto at = [&](int i, int j) { return node({sx * i, sy * j, sz * (cuts - i - j)}); };
    for (int i = 0; i < cuts; ++i)
      for (int j = 0; j < cuts - i; ++j) {
        const auto add = [&](int32_t a, int32_t b, int32_t c) {
          if (sx * sy * sz < 0) std::swap(b, c);
          mesh.triangles.push_back({a, b, c});
        };
        add(at(i, j), at(i + 1, j), at(i, j + 1));
        if (i + j + 1 < cuts) add(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
  }
  return mesh;
}

inline void append(Mesh& mesh, const Mesh& other, bool turnedOver) {
  const int32_t first = static_cast<int32_t>(mesh.points.size());
  mesh.points.insert(mesh.points.end(), other.points.begin(), other.points.end());
  for (Triangle t : other.triangles) {
    if (turnedOver) std::swap(t[1], t[2]);
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
}

/// A disk of `rings` rings with 6 i nodes on ring i, in the plane of the first two axes of `frame`, facing
/// the third. 6 rings² triangles.
inline Mesh disk(int rings, double radius, const Mat3& frame = Mat3::Identity(),
                 const Vec3& centre = Vec3::Zero()) {
  Mesh mesh;
  const auto first = [](int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); };
  for (int i = 0; i <= rings; ++i)
    for (int j = 0; j < std::max(1, 6 * i); ++j) {
      const double r = radius * i / rings, angle = i == 0 ? 0 : 2 * kPi * j / (6 * i);
      mesh.points.push_back(centre + frame * Vec3(r * std::cos(angle), r * std::sin(angle), 0));
    }
  const auto at = [&](int ring, int j) { return first(ring) + (ring == 0 ? 0 : j % (6 * ring)); };
  for (int i = 1; i <= rings; ++i)
    for (int side = 0; side < 6; ++side)
      for (int j = 0; j < i; ++j) {
        const int outer = side * i + j, inner = side * (i - 1) + j;
        mesh.triangles.push_back({at(i, outer), at(i, outer + 1), at(i - 1, inner)});
        if (j + 1 < i) mesh.triangles.push_back({at(i - 1, inner), at(i, outer + 1), at(i - 1, inner + 1)});
      }
  return mesh;
}

/// The sheet as a crack of a system: its nodes follow those that are there; all but the rim are opened.
inline CrackGrowth crackOf(const Mesh& sheet, size_t firstNode) {
  CrackGrowth growth;
  growth.points = sheet.points;
  std::map<Edge, int> edges;
  for (Triangle t : sheet.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = t[k], b = t[(k + 1) % 3];
      ++edges[{std::min(a, b), std::max(a, b)}];
    }
    for (int32_t& c : t) c += static_cast<int32_t>(firstNode);
    growth.triangles.push_back(t);
  }
  std::vector<bool> rim(sheet.points.size(), false);
  for (const auto& [edge, count] : edges)
    if (count == 1) rim[edge[0]] = rim[edge[1]] = true;
  for (size_t n = 0; n < rim.size(); ++n)
    if (!rim[n]) growth.opened.push_back(static_cast<int32_t>(firstNode + n));
  return growth;
}

/// Displacement and traction of a constant displacement gradient.
struct LinearField {
  Mat3 gradient;
  ElasticMaterial material;
  Vec3 u(const Vec3& x) const { return gradient * x; }
  Vec3 q(const Vec3& n) const { return stressOf(material, gradient) * n; }
};

}  // namespace hackle::bodies
