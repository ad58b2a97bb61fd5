#include <hackle/render/corner_normals.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/normals.h>

#include <cmath>

namespace hackle {

namespace {

constexpr size_t kGrain = 4096;

/// Length 1, or zero for what has no direction.
Vec3f unitOrZero(const Vec3& v) {
  const double length = v.norm();
  return length > 0 && std::isfinite(length) ? Vec3f((v / length).cast<float>()) : Vec3f(0, 0, 0);
}

/// The drawn triangles as a geometry: boundary faces of tetrahedra are no polygons of the original.
Geometry surfaceOf(const Drawable& drawable) {
  Geometry surface;
  surface.addPoints(drawable.points.size());
  std::vector<Vec3>& positions = surface.editPositions();
  for (size_t p = 0; p < positions.size(); ++p) positions[p] = drawable.points[p].cast<double>();
  surface.addPrimitives(
      PrimitiveType::Polygon, drawable.triangles.size(), 3,
      Span<const int32_t>(drawable.triangles.front().data(), 3 * drawable.triangles.size()));
  return surface;
}

}  // namespace

std::vector<Vec3f> cornerNormals(const Geometry& geometry, const Drawable& drawable, double cuspAngle,
                                 Context& context) {
  std::vector<Vec3f> normals(drawable.surfaceCorners.size());
  if (normals.empty()) return normals;

  // Take the normals that the geometry brings.
  const Attribute* given = geometry.findAttribute(Owner::Vertex, "N");
  const bool onVertices = given != nullptr;
  if (!given) given = geometry.findAttribute(Owner::Point, "N");
  if (given && given->isFloat() && given->tupleSize() == 3) {
    parallelFor(context, normals.size(), kGrain, [&](size_t i) {
      const Corner& corner = drawable.surfaceCorners[i];
      const auto element = static_cast<size_t>(onVertices ? corner.vertex : corner.point);
      normals[i] =
          unitOrZero({given->number(element, 0), given->number(element, 1), given->number(element, 2)});
    });
    return normals;
  }

  const std::vector<Vec3> computed = vertexNormals(surfaceOf(drawable), cuspAngle, context);
  for (size_t i = 0; i < normals.size(); ++i) normals[i] = computed[i].cast<float>();
  return normals;
}

}  // namespace hackle
