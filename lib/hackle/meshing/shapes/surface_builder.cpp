#include <hackle/meshing/shapes/surface_builder.h>

#include <algorithm>

namespace hackle {

int32_t SurfaceBuilder::addPoint(const Vec3& position) {
  mPoints.push_back(position);
  return static_cast<int32_t>(mPoints.size()) - 1;
}

int32_t SurfaceBuilder::part(const std::string& name) {
  const auto known =
      std::find_if(mParts.begin(), mParts.end(), [&](const auto& p) { return p.name == name; });
  if (known != mParts.end()) return static_cast<int32_t>(known - mParts.begin());
  mParts.push_back({name, {}});
  return static_cast<int32_t>(mParts.size()) - 1;
}

int32_t SurfaceBuilder::addFace(std::initializer_list<SurfaceCorner> corners, int32_t part, int32_t chart) {
  const int32_t face = static_cast<int32_t>(mFaceSizes.size());
  for (const SurfaceCorner& corner : corners) {
    mCorners.push_back(corner.point);
    mTexture.uv.push_back(corner.uv);
  }
  mFaceSizes.push_back(static_cast<int32_t>(corners.size()));
  mTexture.chart.push_back(chart);
  mParts[part].faces.push_back(face);
  return face;
}

void SurfaceBuilder::addToGroup(const std::string& group, int32_t face) {
  auto known = std::find_if(mGroups.begin(), mGroups.end(), [&](const auto& g) { return g.name == group; });
  if (known == mGroups.end()) known = mGroups.insert(mGroups.end(), {group, {}});
  known->faces.push_back(face);
}

void SurfaceBuilder::addGroupOfParts(const std::string& group, std::initializer_list<const char*> parts) {
  for (const char* name : parts)
    for (const int32_t face : mParts[part(name)].faces) addToGroup(group, face);
}

Geometry SurfaceBuilder::geometry() const {
  Geometry geometry;
  geometry.addPoints(mPoints.size());
  geometry.editPositions() = mPoints;
  geometry.addPrimitives(PrimitiveType::Polygon, mFaceSizes, mCorners);
  for (const std::vector<NamedFaces>* list : {&mParts, &mGroups})
    for (const NamedFaces& named : *list) {
      std::vector<uint8_t>& bits = geometry.addGroup(Owner::Primitive, named.name).bits.edit();
      for (const int32_t face : named.faces) bits[face] = 1;
    }
  addPackedUv(geometry, mTexture);
  return geometry;
}

}  // namespace hackle
