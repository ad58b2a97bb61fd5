// Collects the faces of a closed surface, with part names and texture charts, and makes a geometry of them.
#pragma once

#include <hackle/geometry/geometry.h>
#include <hackle/meshing/shapes/texture_charts.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace hackle {

/// A corner of a face: its point, and its place in the face's chart in metres, so that charts are true to
/// scale.
struct SurfaceCorner {
  int32_t point = 0;
  Vec2 uv = Vec2::Zero();
};

/// Faces are added counter-clockwise seen from outside. Every face is in one part (a primitive group) and in
/// one chart; further groups may overlap parts.
class SurfaceBuilder {
 public:
  int32_t addPoint(const Vec3& position);
  const Vec3& position(int32_t point) const { return mPoints[point]; }
  /// Moves all points so far; charts stay. `place` must keep orientation.
  template <class Place>
  void movePoints(const Place& place) {
    for (Vec3& p : mPoints) p = place(p);
  }
  int32_t addChart() { return mCharts++; }
  /// The part of that name, made on first use; groups come out in this order.
  int32_t part(const std::string& name);
  /// Index of the new face.
  int32_t addFace(std::initializer_list<SurfaceCorner> corners, int32_t part, int32_t chart);
  void addToGroup(const std::string& group, int32_t face);
  /// A further group of all faces of some parts.
  void addGroupOfParts(const std::string& group, std::initializer_list<const char*> parts);

  /// Points and polygons in the order of adding; a primitive group per part, then the further groups; vertex
  /// `uv` with the charts packed into the unit square.
  Geometry geometry() const;

 private:
  struct NamedFaces {
    std::string name;
    std::vector<int32_t> faces;
  };
  std::vector<Vec3> mPoints;
  std::vector<int32_t> mCorners;
  std::vector<int32_t> mFaceSizes;
  TextureCharts mTexture;
  int32_t mCharts = 0;
  std::vector<NamedFaces> mParts;
  std::vector<NamedFaces> mGroups;
};

}  // namespace hackle
