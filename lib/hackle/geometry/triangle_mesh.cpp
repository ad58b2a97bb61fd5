#include <hackle/geometry/triangle_mesh.h>

namespace hackle {

std::vector<Triangle> triangulatePolygon(Span<const Vec3> corners) {
  std::vector<Triangle> triangles;
  for (int32_t c = 2; c < static_cast<int32_t>(corners.size()); ++c) triangles.push_back({0, c - 1, c});
  return triangles;
}

TriangleMesh triangleMesh(const Geometry& geometry) {
  TriangleMesh mesh;
  mesh.points = geometry.positions();
  std::vector<Vec3> corners;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Polygon) continue;
    const Span<const int32_t> points = geometry.corners(p);
    corners.clear();
    for (const int32_t point : points) corners.push_back(geometry.position(static_cast<size_t>(point)));
    const int32_t first = static_cast<int32_t>(geometry.firstVertex(p));
    for (const Triangle& t : triangulatePolygon(corners)) {
      mesh.triangles.edit().push_back({points[static_cast<size_t>(t[0])], points[static_cast<size_t>(t[1])],
                                       points[static_cast<size_t>(t[2])]});
      mesh.vertices.edit().push_back({first + t[0], first + t[1], first + t[2]});
      mesh.primitives.edit().push_back(static_cast<int32_t>(p));
    }
  }
  return mesh;
}

TetrahedronMesh tetrahedronMesh(const Geometry& geometry) {
  TetrahedronMesh mesh;
  mesh.points = geometry.positions();
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Tetrahedron) continue;
    const Span<const int32_t> c = geometry.corners(p);
    mesh.tetrahedra.edit().push_back({c[0], c[1], c[2], c[3]});
    mesh.primitives.edit().push_back(static_cast<int32_t>(p));
  }
  return mesh;
}

}  // namespace hackle
