// What a geometry shows: triangles, tubes and dots in a space of unit size.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/render/colour.h>

#include <vector>

namespace hackle {

/// Where a drawn corner came from; -1 where a loose point has no vertex or primitive.
struct Corner {
  int32_t point = -1;
  int32_t vertex = -1;
  int32_t primitive = -1;
};

/// Positions are (P - origin) * scale, so that the drawn things fill a ball of radius 1 at 0 whatever their
/// size.
struct Drawable {
  Vec3 origin = Vec3::Zero();
  double scale = 1.0;
  float floorHeight = -1.0f;  // lowest drawn point

  // Surface: polygons cut into triangles, and boundary faces of tetrahedra.
  std::vector<Vec3f> points;           // the geometry's, all of them
  std::vector<Triangle> triangles;     // into points
  std::vector<Corner> surfaceCorners;  // 3 per triangle
  std::vector<uint8_t> outlines;       // bit c: the side from corner c to c + 1 is an edge of the polygon
  // Polylines: a tube a segment.
  std::vector<Corner> segmentCorners;  // 2 a segment
  // Points that no primitive uses.
  std::vector<Corner> dotCorners;

  Vec3f toUnit(const Vec3& position) const { return ((position - origin) * scale).cast<float>(); }
  /// Points that anything drawn uses, each once, in order.
  std::vector<int32_t> usedPoints() const;
};

/// Warns about primitives that are not drawn; throws Error(BadInput) if nothing is left.
Drawable makeDrawable(const Geometry& geometry, Context& context);

}  // namespace hackle
