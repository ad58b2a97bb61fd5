#include <hackle/fracture/modes/mirror_symmetry.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/lattice/tet_locator.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kOff = 1e-3;    // of the diagonal: corners that are moved this near to the surface are on it
constexpr double kPaint = 0.01;  // of its value: paint that differs by less is the same

Vec3 mirrored(const Vec3& p, const Vec3& middle, int axis) {
  Vec3 image = p;
  image[axis] = 2 * middle[axis] - p[axis];
  return image;
}

bool isSymmetric(const TriangleMesh& mesh, const TriangleBvh& bvh, int axis, Context& context) {
  const double reach = kOff * bvh.bounds().diagonal();
  const Vec3 middle = bvh.bounds().centre();
  std::atomic<bool> off = false;
  parallelFor(context, mesh.points.size(), 256, [&](size_t p) {
    if (off.load(std::memory_order_relaxed)) return;
    if (bvh.closestPoint(mirrored(mesh.points[p], middle, axis), reach).triangle < 0) off = true;
  });
  return !off;
}

bool isSamePaint(const ElementPaint& paint, size_t a, size_t b) {
  const auto same = [&](const std::vector<double>& values) {
    return values.empty() || std::abs(values[a] - values[b]) <= kPaint * values[a];
  };
  return same(paint.density) && same(paint.toughness) &&
         (paint.axisToughness.empty() ||
          (paint.axisToughness[a] - paint.axisToughness[b]).norm() <= kPaint * paint.axisToughness[a].norm());
}

}  // namespace

ElementMirrors elementMirrors(const TriangleMesh& mesh, const TriangleBvh& bvh, Span<const Vec3> points,
                              Span<const Tetrahedron> tetrahedra, const ElementPaint& paint,
                              Context& context) {
  const Vec3 middle = bvh.bounds().centre();
  std::vector<Vec3> centres;
  for (const Tetrahedron& t : tetrahedra)
    centres.push_back(0.25 * (points[t[0]] + points[t[1]] + points[t[2]] + points[t[3]]));
  const auto nearest = [&](const Vec3& place) {
    size_t best = 0;
    for (size_t e = 1; e < centres.size(); ++e)
      if ((centres[e] - place).squaredNorm() < (centres[best] - place).squaredNorm()) best = e;
    return static_cast<int32_t>(best);
  };
  const TetLocator locator(points, tetrahedra, context);
  ElementMirrors mirrors;
  for (int axis = 0; axis < 3; ++axis) {
    if (!isSymmetric(mesh, bvh, axis, context)) continue;
    std::vector<int32_t> images(centres.size());
    parallelFor(context, images.size(), 64, [&](size_t e) {
      const Vec3 place = mirrored(centres[e], middle, axis);
      const std::optional<TetPlace> found = locator.find(place);
      images[e] = found ? found->tetrahedron : nearest(place);
    });
    bool same = true;
    for (size_t e = 0; e < images.size() && same; ++e)
      same = isSamePaint(paint, e, static_cast<size_t>(images[e]));
    if (same) mirrors.push_back(std::move(images));
  }
  return mirrors;
}

}  // namespace hackle
