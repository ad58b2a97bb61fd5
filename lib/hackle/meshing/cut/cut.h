// The faces that cutting a solid along a partition of space gives.
#pragma once

#include <hackle/core/error.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// A cut whose faces do not fit together: facets of the partition fold onto each other, or parts of the
/// surface lie on each other or cross. Whoever has another partition to cut with may try that.
class DegenerateCut : public Error {
 public:
  explicit DegenerateCut(const Vec3& near);
};

/// A vertex of the cut. On a mesh point: triangle = -1, point >= 0. On the surface: a triangle that holds it
/// and its barycentric coordinates there (an edge of the mesh has one of them 0). Inside the solid: both -1.
struct CutVertex {
  Vec3 position = Vec3::Zero();
  int32_t point = -1;
  int32_t triangle = -1;
  Vec3 barycentric = Vec3::Zero();
};

struct CutFace {
  int32_t cell = 0;        // the site or label whose region the face bounds
  int32_t neighbour = -1;  // inside faces: the one across; outside faces: -1
  int32_t primitive = -1;  // outside faces: the polygon it is a part of
  int32_t triangle = -1;   // outside faces: the triangle it is a part of; -1 if the whole polygon is here
  int32_t pair = -1;       // inside faces: a number that the two sides of a face share
  int32_t plane = -1;      // inside faces that are part of a rough one: its plane before, in Cut::planes
  int32_t first = 0;       // corners [first, first + count)
  int32_t count = 0;
};

/// Faces of all cells. Those of one cell form closed surfaces, counter-clockwise seen from outside; each
/// inside face appears twice, with the same corners in opposite orders.
struct Cut {
  std::vector<CutVertex> vertices;
  std::vector<CutFace> faces;    // sorted by cell
  std::vector<int32_t> corners;  // indices of vertices
  std::vector<int32_t> origins;  // where vertices were joined: what each corner was before; else empty
  std::vector<Vec3> planes;      // unit normals, from the lower cell to the higher

  void addFace(CutFace face, Span<const int32_t> faceCorners);
  /// Both sides of a face between two cells; cell i sees the corners counter-clockwise from outside.
  void addInsideFace(int32_t i, int32_t j, int32_t pair, std::vector<int32_t> faceCorners);
  void sortFaces();
};

}  // namespace hackle
