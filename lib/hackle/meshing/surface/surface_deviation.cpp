#include <hackle/meshing/surface/surface_deviation.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

struct OneSided {
  double largest = 0, sum = 0;
  size_t samples = 0;
};

OneSided distanceFrom(const TriangleMesh& from, const TriangleBvh& to, double spacing, Context& context) {
  return parallelReduce(
      context, from.triangles.size(), 256, OneSided(),
      [&](size_t begin, size_t end) {
        OneSided part;
        for (size_t t = begin; t < end; ++t) {
          const auto corner = [&](size_t c) -> const Vec3& { return from.points[from.triangles[t][c]]; };
          const Vec3 &a = corner(0), &b = corner(1), &c = corner(2);
          const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
          const int steps = static_cast<int>(std::clamp(std::ceil(longest / spacing), 1.0, 1000.0));
          for (int i = 0; i <= steps; ++i)
            for (int j = 0; i + j <= steps; ++j) {
              const Vec3 p =
                  a + (b - a) * (static_cast<double>(i) / steps) + (c - a) * (static_cast<double>(j) / steps);
              const double d = std::sqrt(to.closestPoint(p).squaredDistance);
              part.largest = std::max(part.largest, d);
              part.sum += d;
              ++part.samples;
            }
        }
        return part;
      },
      [](OneSided a, const OneSided& b) {
        return OneSided{std::max(a.largest, b.largest), a.sum + b.sum, a.samples + b.samples};
      });
}

}  // namespace

SurfaceDeviation surfaceDeviation(const TriangleMesh& a, const TriangleMesh& b, double spacing,
                                  Context& context) {
  if (a.triangles.empty() || b.triangles.empty()) {
    const double far =
        a.triangles.empty() && b.triangles.empty() ? 0.0 : std::numeric_limits<double>::infinity();
    return {far, far};
  }
  const TriangleBvh treeA(a, context), treeB(b, context);
  const OneSided there = distanceFrom(a, treeB, spacing, context);
  const OneSided back = distanceFrom(b, treeA, spacing, context);
  return {std::max(there.largest, back.largest),
          (there.sum + back.sum) / static_cast<double>(there.samples + back.samples)};
}

}  // namespace hackle
