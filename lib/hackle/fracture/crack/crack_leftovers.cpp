#include <hackle/fracture/crack/crack_leftovers.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

// Distance from the surface, of r_c, that nodes of sheets keep.
constexpr double kClearance = 0.1;
// Area, of r_c^2, below which a part is no crack that stress could resolve.
constexpr double kLeastArea = 0.5;

Vec3 rounded(const Vec3& p) { return p.cast<float>().cast<double>(); }

/// Takes triangles away until two rim edges, or none, meet at every node: stress wants a front that is a
/// curve
/// ([Hahn17] 7.4).
void removePinches(std::vector<Triangle>& triangles) {
  for (bool again = true; again;) {
    std::map<std::pair<int32_t, int32_t>, int> edges;
    for (const Triangle& t : triangles)
      for (size_t k = 0; k < 3; ++k) ++edges[std::minmax({t[k], t[(k + 1) % 3]})];
    std::map<int32_t, int> rim;
    for (const auto& [edge, count] : edges)
      if (count == 1) ++rim[edge.first], ++rim[edge.second];
    const auto pinched = [&](const Triangle& t) {
      return std::any_of(t.begin(), t.end(), [&](int32_t n) { return rim.count(n) && rim.at(n) != 2; });
    };
    const auto end = std::remove_if(triangles.begin(), triangles.end(), pinched);
    again = end != triangles.end();
    triangles.erase(end, triangles.end());
  }
}

/// The parts of triangles that share points, as numbers of parts.
std::vector<int32_t> partsOf(const std::vector<Triangle>& triangles, size_t points) {
  std::vector<int32_t> root(points);
  for (size_t p = 0; p < points; ++p) root[p] = static_cast<int32_t>(p);
  const auto find = [&](int32_t p) {
    while (root[p] != p) p = root[p] = root[root[p]];
    return p;
  };
  for (const Triangle& t : triangles)
    for (size_t k = 1; k < 3; ++k) root[std::max(find(t[0]), find(t[k]))] = std::min(find(t[0]), find(t[k]));
  std::vector<int32_t> parts;
  for (const Triangle& t : triangles) parts.push_back(find(t[0]));
  return parts;
}

}  // namespace

Geometry leftoverCracks(const CrackSolver& solver, const TriangleBvh& piece, double coarse) {
  const BemSystem& system = solver.system();
  const BemSurface& surface = system.surface();
  const size_t first = system.body().triangleCount();
  const double clearance = kClearance * coarse;
  std::vector<int8_t> clear(surface.nodeCount(), -1);  // -1: not asked yet
  const auto isClear = [&](int32_t node) {
    const Vec3& p = surface.point(node);
    if (clear[node] < 0)
      clear[node] = insideSurface(piece, p) && piece.closestPoint(p).squaredDistance > clearance * clearance;
    return clear[node] > 0;
  };
  std::vector<Triangle> triangles;
  for (size_t t = first; t < surface.triangleCount(); ++t) {
    const Triangle& corners = surface.triangle(t);
    const bool doubled = system.crackOnto()[t - first] >= 0;
    if (!doubled && std::all_of(corners.begin(), corners.end(), isClear)) triangles.push_back(corners);
  }

  removePinches(triangles);
  const std::vector<int32_t> parts = partsOf(triangles, surface.nodeCount());
  std::vector<double> areas(surface.nodeCount(), 0);
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Vec3 &a = surface.point(triangles[t][0]), &b = surface.point(triangles[t][1]);
    areas[parts[t]] += 0.5 * (b - a).cross(surface.point(triangles[t][2]) - a).norm();
  }
  Geometry sheets;
  std::vector<int32_t> number(surface.nodeCount(), -1);
  for (size_t t = 0; t < triangles.size(); ++t) {
    if (areas[parts[t]] < kLeastArea * coarse * coarse) continue;
    Triangle corners = triangles[t];
    for (int32_t& c : corners) {
      if (number[c] < 0) number[c] = static_cast<int32_t>(sheets.addPoint(rounded(surface.point(c))));
      c = number[c];
    }
    sheets.addPolygon({corners[0], corners[1], corners[2]});
  }
  return sheets;
}

}  // namespace hackle
