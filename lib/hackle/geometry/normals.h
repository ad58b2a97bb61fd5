// Normals of faces, of points, and of vertices with sharp edges.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <vector>

namespace hackle {

/// Unit normals of vertices. Faces of a point are averaged, weighted by their angle there, as far as they can
/// be reached from the vertex's own face across edges whose two faces meet at no more than `cuspAngle`
/// (degrees; 0 is faceted, 180 is smooth). Edges with other than two faces, or whose faces disagree about
/// outside, are sharp. Zero where there is no face with an area.
std::vector<Vec3> vertexNormals(const Geometry& geometry, double cuspAngle, Context& context);

/// Unit normals of points: all their faces, weighted by angle. Zero for points without a face.
std::vector<Vec3> pointNormals(const Geometry& geometry, Context& context);

/// Unit normals of polygons in their best-fit planes. Zero for other primitives and faces without area.
std::vector<Vec3> faceNormals(const Geometry& geometry, Context& context);

}  // namespace hackle
