#include <hackle/geometry/triangle_mesh.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/ear_clipping.h>

#include <algorithm>
#include <numeric>

namespace hackle {

namespace {

constexpr size_t kGrain = 1 << 14;

bool isTriangleSoup(const Geometry& geometry) {
  if (geometry.vertexCount() != 3 * geometry.primitiveCount()) return false;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) != PrimitiveType::Polygon || geometry.vertexCount(p) != 3) return false;
  return true;
}

/// Where each primitive's triangles start in the mesh; one more entry for the end.
std::vector<size_t> triangleStarts(const Geometry& geometry) {
  std::vector<size_t> starts(geometry.primitiveCount() + 1, 0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    const bool isFace = geometry.primitiveType(p) == PrimitiveType::Polygon && geometry.vertexCount(p) >= 3;
    starts[p + 1] = starts[p] + (isFace ? geometry.vertexCount(p) - 2 : 0);
  }
  return starts;
}

}  // namespace

std::vector<Triangle> triangulatePolygon(Span<const Vec3> corners) {
  std::vector<Triangle> triangles(corners.size() < 3 ? 0 : corners.size() - 2);
  EarClipper().triangulate(corners, triangles.data());
  return triangles;
}

TriangleMesh triangleMesh(const Geometry& geometry, Context& context) {
  const bool soup = isTriangleSoup(geometry);
  const std::vector<size_t> starts = soup ? std::vector<size_t>() : triangleStarts(geometry);
  const size_t count = soup ? geometry.primitiveCount() : starts.back();
  std::vector<Triangle> triangles(count), vertices(count);
  std::vector<int32_t> primitives(count);
  parallelRanges(context, geometry.primitiveCount(), kGrain, [&](size_t begin, size_t end) {
    EarClipper clipper;
    std::vector<Vec3> corners;
    for (size_t p = begin; p < end; ++p) {
      const Span<const int32_t> points = geometry.corners(p);
      const int32_t first = static_cast<int32_t>(geometry.firstVertex(p));
      const size_t start = soup ? p : starts[p];
      const size_t size = soup ? 1 : starts[p + 1] - start;
      if (size == 1) {
        triangles[start] = {points[0], points[1], points[2]};
        vertices[start] = {first, first + 1, first + 2};
        primitives[start] = static_cast<int32_t>(p);
        continue;
      }
      if (size == 0) continue;
      corners.resize(points.size());
      for (size_t c = 0; c < points.size(); ++c)
        corners[c] = geometry.position(static_cast<size_t>(points[c]));
      clipper.triangulate(corners, vertices.data() + start);
      for (size_t t = start; t < start + size; ++t) {
        for (size_t c = 0; c < 3; ++c) {
          triangles[t][c] = points[vertices[t][c]];
          vertices[t][c] += first;
        }
        primitives[t] = static_cast<int32_t>(p);
      }
    }
  });
  return {geometry.positions(), std::move(triangles), std::move(vertices), std::move(primitives)};
}

TriangleMesh triangleMesh(const Geometry& geometry) {
  Context context;
  return triangleMesh(geometry, context);
}

TetrahedronMesh tetrahedronMesh(const Geometry& geometry) {
  const size_t count = geometry.countOf(PrimitiveType::Tetrahedron);
  std::vector<Tetrahedron> tetrahedra;
  std::vector<int32_t> primitives;
  tetrahedra.reserve(count);
  primitives.reserve(count);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Tetrahedron) continue;
    const Span<const int32_t> c = geometry.corners(p);
    tetrahedra.push_back({c[0], c[1], c[2], c[3]});
    primitives.push_back(static_cast<int32_t>(p));
  }
  return {geometry.positions(), std::move(tetrahedra), std::move(primitives)};
}

}  // namespace hackle
