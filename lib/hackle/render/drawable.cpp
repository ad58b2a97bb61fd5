#include <hackle/render/drawable.h>

#include <hackle/geometry/triangle_mesh.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

void addPolygons(const Geometry& geometry, Drawable& drawable) {
  const TriangleMesh mesh = triangleMesh(geometry);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const int32_t primitive = mesh.primitives[t];
    const auto first = static_cast<int32_t>(geometry.firstVertex(static_cast<size_t>(primitive)));
    const auto count = static_cast<int32_t>(geometry.vertexCount(static_cast<size_t>(primitive)));
    uint8_t outline = 0;
    for (size_t c = 0; c < 3; ++c) {
      drawable.surfaceCorners.push_back({mesh.triangles[t][c], mesh.vertices[t][c], primitive});
      const int32_t from = mesh.vertices[t][c] - first;
      const int32_t to = mesh.vertices[t][(c + 1) % 3] - first;
      if (to == (from + 1) % count || from == (to + 1) % count) outline |= static_cast<uint8_t>(1u << c);
    }
    drawable.triangles.push_back(mesh.triangles[t]);
    drawable.outlines.push_back(outline);
  }
}

/// Faces that exactly one tetrahedron has, counter-clockwise seen from outside.
void addBoundaryOfTetrahedra(const Geometry& geometry, Drawable& drawable) {
  static constexpr int kFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const TetrahedronMesh mesh = tetrahedronMesh(geometry);
  struct Face {
    Triangle key;  // points in rising order
    int32_t tetrahedron;
    int32_t side;
  };
  std::vector<Face> faces;
  faces.reserve(mesh.tetrahedra.size() * 4);
  for (size_t t = 0; t < mesh.tetrahedra.size(); ++t)
    for (int32_t side = 0; side < 4; ++side) {
      Face face{{}, static_cast<int32_t>(t), side};
      for (size_t c = 0; c < 3; ++c) face.key[c] = mesh.tetrahedra[t][kFaces[side][c]];
      std::sort(face.key.begin(), face.key.end());
      faces.push_back(face);
    }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return std::tie(a.key, a.tetrahedron, a.side) < std::tie(b.key, b.tetrahedron, b.side);
  });
  for (size_t i = 0; i < faces.size();) {
    size_t end = i + 1;
    while (end < faces.size() && faces[end].key == faces[i].key) ++end;
    if (end == i + 1) {
      const auto tetrahedron = static_cast<size_t>(faces[i].tetrahedron);
      const int32_t primitive = mesh.primitives[tetrahedron];
      const auto first = static_cast<int32_t>(geometry.firstVertex(static_cast<size_t>(primitive)));
      Triangle triangle;
      for (size_t c = 0; c < 3; ++c) {
        const int corner = kFaces[faces[i].side][c];
        triangle[c] = mesh.tetrahedra[tetrahedron][corner];
        drawable.surfaceCorners.push_back({triangle[c], first + corner, primitive});
      }
      drawable.triangles.push_back(triangle);
      drawable.outlines.push_back(7);
    }
    i = end;
  }
}

void addPolylines(const Geometry& geometry, Drawable& drawable) {
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Polyline) continue;
    const auto first = static_cast<int32_t>(geometry.firstVertex(p));
    const Span<const int32_t> points = geometry.corners(p);
    for (size_t c = 0; c + 1 < points.size(); ++c)
      for (const size_t end : {c, c + 1})
        drawable.segmentCorners.push_back(
            {points[end], first + static_cast<int32_t>(end), static_cast<int32_t>(p)});
  }
}

void addLoosePoints(const Geometry& geometry, Drawable& drawable) {
  std::vector<uint8_t> used(geometry.pointCount(), 0);
  for (const int32_t point : geometry.vertexPoints()) used[point] = 1;
  for (size_t p = 0; p < used.size(); ++p)
    if (!used[p]) drawable.dotCorners.push_back({static_cast<int32_t>(p), -1, -1});
}

void warnAboutTheRest(const Geometry& geometry, Context& context) {
  const struct {
    PrimitiveType type;
    const char* what;
    const char* remedy;
  } kSkipped[] = {{PrimitiveType::Volume, "volumes are not drawn", "convert them to polygons first"},
                  {PrimitiveType::Packed, "packed primitives are not drawn", "unpack them first"}};
  for (const auto& skipped : kSkipped)
    if (const size_t count = geometry.countOf(skipped.type))
      context.warn(fmt::format("{} {}; {}", count, skipped.what, skipped.remedy));
}

void fitToUnitBall(const Geometry& geometry, Drawable& drawable) {
  const std::vector<int32_t> used = drawable.usedPoints();
  Box3 bounds;
  for (const int32_t p : used) bounds.add(geometry.position(static_cast<size_t>(p)));
  const double diagonal = bounds.diagonal();
  drawable.origin = bounds.centre();
  drawable.scale = diagonal > 0 ? 2.0 / diagonal : 1.0;
  drawable.floorHeight = drawable.toUnit(bounds.min).y();
  drawable.points.reserve(geometry.pointCount());
  for (const Vec3& position : geometry.positions()) drawable.points.push_back(drawable.toUnit(position));
}

}  // namespace

std::vector<int32_t> Drawable::usedPoints() const {
  std::vector<int32_t> used;
  for (const std::vector<Corner>* corners : {&surfaceCorners, &segmentCorners, &dotCorners})
    for (const Corner& corner : *corners) used.push_back(corner.point);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

Drawable makeDrawable(const Geometry& geometry, Context& context) {
  Drawable drawable;
  addPolygons(geometry, drawable);
  context.checkCancel();
  addBoundaryOfTetrahedra(geometry, drawable);
  context.checkCancel();
  addPolylines(geometry, drawable);
  addLoosePoints(geometry, drawable);
  warnAboutTheRest(geometry, context);
  if (drawable.triangles.empty() && drawable.segmentCorners.empty() && drawable.dotCorners.empty())
    throw Error(ErrorCode::BadInput, "the geometry has nothing to draw",
                "it needs polygons, tetrahedra, polylines or loose points");
  fitToUnitBall(geometry, drawable);
  return drawable;
}

}  // namespace hackle
