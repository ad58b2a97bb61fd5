#include <hackle/fracture/impact/wall_lattice.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hackle {

namespace {

constexpr size_t kMostRays = 2000;
constexpr double kThinShare = 0.2;   // of the surface
constexpr double kThinnest = 0.125;  // cells: bending stiffness is known to 6 % from here on
constexpr double kLeastCount = 10000, kMostCount = 40000;

}  // namespace

double wallThickness(const Solid& solid) {
  const double diagonal = solid.bvh.bounds().diagonal();
  std::vector<std::pair<double, double>> walls;  // thickness, area
  double area = 0;
  const size_t stride = std::max<size_t>(1, solid.mesh.triangles.size() / kMostRays);
  for (size_t t = 0; t < solid.mesh.triangles.size(); t += stride) {
    const Triangle& c = solid.mesh.triangles[t];
    const Vec3 &p = solid.mesh.points[c[0]], &q = solid.mesh.points[c[1]], &r = solid.mesh.points[c[2]];
    const Vec3 normal = (q - p).cross(r - p);
    if (!(normal.norm() > 0)) continue;
    Ray ray;
    ray.origin = (p + q + r) / 3;
    ray.direction = -normal.normalized();
    ray.tMin = 1e-7 * diagonal;
    const std::optional<RayHit> hit = solid.bvh.firstHit(ray);
    walls.emplace_back(hit ? hit->t : diagonal, 0.5 * normal.norm());
    area += walls.back().second;
  }
  std::sort(walls.begin(), walls.end());
  double sum = 0;
  for (const auto& [thickness, part] : walls)
    if ((sum += part) >= kThinShare * area) return thickness;
  return diagonal;
}

double latticeCount(const Solid& solid, double cellSize) {
  // Twelve tetrahedra per cube; the lattice reaches a cube beyond the surface.
  return 12 * (solid.mass.volume + 1.1 * solid.mass.area * cellSize) / (cellSize * cellSize * cellSize);
}

size_t countForWalls(const Solid& solid, double thickness) {
  return static_cast<size_t>(std::clamp(latticeCount(solid, thickness), kLeastCount, kMostCount));
}

void warnOfThinWalls(const Solid& solid, double thickness, double cellSize, Context& context) {
  if (thickness >= kThinnest * cellSize) return;
  context.warn(fmt::format(
      "walls of {:.3g} m are thinner than an eighth of a cell of the lattice ({:.3g} m): their stiffness is "
      "rough; elements {:.2g} would do",
      thickness, cellSize, latticeCount(solid, thickness / kThinnest)));
}

}  // namespace hackle
