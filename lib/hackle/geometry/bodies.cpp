#include <hackle/geometry/bodies.h>
#include <hackle/geometry/union_find.h>
#include <hackle/geometry/winding_number.h>

#include <algorithm>
#include <limits>
#include <map>

namespace hackle {

std::vector<std::vector<int32_t>> findBodies(Span<const Vec3> points, Span<const Triangle> triangles) {
  const auto place = [&](int32_t p) -> const Vec3& { return points[p]; };
  UnionFind shellOf(points.size());
  for (const Triangle& t : triangles)
    for (size_t k = 1; k < 3; ++k) shellOf.unite(t[0], t[k]);
  std::map<int32_t, size_t> number;
  std::vector<std::vector<int32_t>> shells;
  std::vector<double> volume;  // m^3, six times
  for (size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    const auto [found, isNew] = number.emplace(static_cast<int32_t>(shellOf.find(t[0])), shells.size());
    if (isNew) {
      shells.emplace_back();
      volume.push_back(0);
    }
    shells[found->second].push_back(static_cast<int32_t>(i));
    const Vec3& origin = points[0];
    volume[found->second] += (place(t[0]) - origin).dot((place(t[1]) - origin).cross(place(t[2]) - origin));
  }
  const auto contains = [&](size_t shell, const Vec3& x) {
    std::vector<Triangle> faces;
    for (const int32_t t : shells[shell]) faces.push_back(triangles[t]);
    return windingNumberExact(points, faces, x) > 0.5;
  };
  std::vector<std::vector<int32_t>> bodies(shells.size());
  for (size_t s = 0; s < shells.size(); ++s) {
    size_t body = s;
    double least = std::numeric_limits<double>::infinity();
    const Vec3& inside = place(triangles[shells[s][0]][0]);
    for (size_t o = 0; volume[s] < 0 && o < shells.size(); ++o)
      if (volume[o] > 0 && volume[o] < least && contains(o, inside)) {
        least = volume[o];
        body = o;
      }
    bodies[body].insert(bodies[body].end(), shells[s].begin(), shells[s].end());
  }
  bodies.erase(std::remove_if(bodies.begin(), bodies.end(), [](const auto& b) { return b.empty(); }),
               bodies.end());
  for (auto& b : bodies) std::sort(b.begin(), b.end());
  return bodies;
}

}  // namespace hackle
