// Volume, centre of mass, inertia and area of solids given by their surface or by tetrahedra.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

namespace hackle {

struct TriangleMesh;
struct TetrahedronMesh;

/// For density 1: multiply volume and inertia by kg/m^3.
struct MassProperties {
  double volume = 0.0;          // m^3; negative for a surface that is inside out
  Vec3 centre = Vec3::Zero();   // of mass
  Mat3 inertia = Mat3::Zero();  // about the centre, m^5: integral of (|r|^2 I - r r^T) dV
  double area = 0.0;            // of the surface; 0 for tetrahedra
};

/// Of the solid inside a closed, consistently oriented triangle mesh, by exact integrals over the cones from
/// a point in its middle to its triangles. Parts that overlap count twice, cavities not at all. An open
/// surface gives the volume of those cones. Without volume, the centre is that of the surface and the inertia
/// is zero; without triangles, all is zero.
MassProperties massProperties(Span<const Vec3> points, Span<const Triangle> triangles, Context& context);
MassProperties massProperties(const TriangleMesh& mesh, Context& context);

/// Of tetrahedra; one that is inside out counts negative.
MassProperties massProperties(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context);
MassProperties massProperties(const TetrahedronMesh& mesh, Context& context);

double surfaceArea(Span<const Vec3> points, Span<const Triangle> triangles, Context& context);

/// Greatest distance between two of the points, found by sweeps to the farthest point: exact for nearly all
/// shapes, never too large. 0 for fewer than two points.
double diameter(Span<const Vec3> points);

}  // namespace hackle
