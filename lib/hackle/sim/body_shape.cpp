#include <hackle/sim/body_shape.h>

#include <hackle/fracture/convex_parts.h>
#include <hackle/geometry/triangle_mesh.h>

namespace hackle {

namespace {

// Margin that Bullet adds around hulls, of the size of the body. Faces move inwards by as much before, so
// that neighbours touch and neither overlap nor gape.
constexpr double kMargin = 1e-3;
// Corners of a hull that is put together in the middle of a step: shrinking it takes time.
constexpr int kJoinedCorners = 32;

CollisionShapePtr shapeOfHulls(const Geometry& geometry, const std::vector<ConvexHull>& hulls) {
  auto shape = std::make_shared<CollisionShape>();
  shape->margin = kMargin * geometry.bounds().diagonal();
  for (const ConvexHull& hull : hulls) shape->hulls.push_back(shrunkCorners(hull, shape->margin));
  // A piece that is flat up to rounding has no hull: its points and the margin do.
  if (shape->hulls.empty()) {
    std::vector<Vec3> points;
    const size_t count = std::min<size_t>(geometry.pointCount(), 64);
    for (size_t i = 0; i < count; ++i) points.push_back(geometry.position(i * geometry.pointCount() / count));
    shape->hulls.push_back(std::move(points));
  }
  return shape;
}

}  // namespace

CollisionShapePtr hullShape(const Geometry& geometry, int maxParts, Context& context) {
  const TriangleMesh mesh = triangleMesh(geometry, context);
  ConvexPartOptions options;
  options.maxParts = maxParts;
  return shapeOfHulls(geometry,
                      convexParts(mesh.points.span(), mesh.triangles.span(), options, context).hulls);
}

CollisionShapePtr joinedShape(const Geometry& geometry, Span<const std::vector<Vec3>> hulls, double volume,
                              int maxParts, Context& context) {
  context.checkCancel();
  ConvexPartOptions options;
  options.maxParts = maxParts;
  options.maxCorners = kJoinedCorners;
  return shapeOfHulls(geometry, joinedHulls(hulls, volume, options).hulls);
}

int hullsOf(FragmentClass kind) {
  return kind == FragmentClass::VerySmall ? 1 : kind == FragmentClass::Small ? 4 : 16;
}

CollisionShapePtr surfaceShape(const Geometry& geometry, Context& context) {
  auto shape = std::make_shared<CollisionShape>();
  const TriangleMesh mesh = triangleMesh(geometry, context);
  shape->points.assign(mesh.points.begin(), mesh.points.end());
  shape->triangles.assign(mesh.triangles.begin(), mesh.triangles.end());
  shape->margin = kMargin * geometry.bounds().diagonal();
  return shape;
}

CollisionShapePtr groundShape(double height) {
  auto shape = std::make_shared<CollisionShape>();
  shape->planeNormal = Vec3::UnitY();
  shape->planeOffset = height;
  return shape;
}

}  // namespace hackle
