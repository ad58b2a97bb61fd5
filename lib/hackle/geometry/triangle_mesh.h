// Triangles and tetrahedra of a geometry, as algorithms want them. Attributes stay where they are.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <vector>

namespace hackle {

/// The polygons of a geometry as triangles, counter-clockwise seen from outside.
struct TriangleMesh {
  CowArray<Vec3> points;         // the geometry's own, not copied
  CowArray<Triangle> triangles;  // point indices
  CowArray<Triangle> vertices;   // the geometry's vertex at each corner
  CowArray<int32_t> primitives;  // the polygon that a triangle is part of
};

/// Polygons of more than three corners are cut by ear clipping in their best-fit plane, so concave ones come
/// out right; those with fewer than three corners are left out. Triangles come in the order of their
/// polygons.
TriangleMesh triangleMesh(const Geometry& geometry);
TriangleMesh triangleMesh(const Geometry& geometry, Context& context);

/// Triangulates one polygon: indices into `corners`, corners.size() - 2 triangles. A polygon that is
/// degenerate or crosses itself still gives that many triangles.
std::vector<Triangle> triangulatePolygon(Span<const Vec3> corners);

/// The tetrahedra of a geometry.
struct TetrahedronMesh {
  CowArray<Vec3> points;
  CowArray<Tetrahedron> tetrahedra;
  CowArray<int32_t> primitives;
};

TetrahedronMesh tetrahedronMesh(const Geometry& geometry);

}  // namespace hackle
